package traced

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/spans"
)

// turn is what a program that keeps running has reported of a turn, in its own protocol, before its final reply.
type turn struct {
	arrivals int // of requests before it
	reported reportedCalls
	replies  int        // that were handed out
	usage    chat.Usage // of them
	counted  bool       // it tells tokens
	usd      float64    // of them, as far as it is known
	unpriced bool       // what some of them cost is not known
}

// goesOn records a reply with tool calls, after which the turn goes on. The last reply of the turn has the number of
// model calls, and the cost if it is not known yet.
func (t *turn) goesOn(r chat.Reply, price *providers.Price) chat.Reply {
	t.reported.add(&r)
	t.replies++
	r.ModelCalls = new(0)
	r.Unreported = slices.DeleteFunc(slices.Clone(r.Unreported), func(what string) bool {
		return what == chat.UnreportedModelCalls
	})
	t.usage = t.usage.Add(r.Usage)
	t.counted = t.counted || r.Usage.Total() > 0
	switch {
	case r.CostUSD != nil:
		t.usd += *r.CostUSD
	case price != nil: // which sets the cost of the reply, too
		t.usd += price.USD(r.Usage)
	default:
		t.unpriced = true
		r.CostUSD = new(0.0)
	}
	return r
}

// settle sets usage and cost of the replies at the end of a turn. Of the values in the program's own report and in its
// traces, the larger one counts. final is the reply as the program reported it.
func (t *turn) settle(out []chat.Reply, trace *spans.Trace, final chat.Reply, price *providers.Price) {
	last := &out[len(out)-1]
	if t.replies > 0 && trace.ModelCalls() == 0 {
		last.ModelCalls = new(1 + t.replies)
	}
	if !t.counted && (final.Usage.Estimated || final.Usage.Total() == 0) && final.CostUSD == nil && !t.unpriced {
		return // the lines say nothing
	}
	usage, usd := t.usage, t.reportedUSD(final, price)
	if final.Usage.Estimated { // a guess is no count
		usage.Estimated = true
	} else {
		usage = usage.Add(final.Usage)
	}
	all := usage
	if traced := trace.Usage(); traced != nil && traced.Total() >= usage.Total() {
		all = *traced
		all.Estimated = slices.ContainsFunc(out, func(r chat.Reply) bool { return r.Usage.Estimated })
		if cost := tracedUSD(out); cost != nil && (usd == nil || *cost > *usd) {
			usd = cost
		}
	}
	for i := range out {
		out[i].Usage, out[i].CostUSD = chat.Usage{}, new(0.0)
	}
	last.Usage, last.CostUSD = less(all, t.usage), nil
	if usd != nil {
		last.CostUSD = new(max(0, *usd-t.usd))
	}
}

// reportedUSD returns the cost of the turn by the program's own report; nil: not known.
func (t *turn) reportedUSD(final chat.Reply, price *providers.Price) *float64 {
	switch {
	case t.unpriced:
		return nil
	case final.CostUSD != nil:
		return new(t.usd + *final.CostUSD)
	case price != nil:
		return new(t.usd + price.USD(final.Usage))
	}
	return nil
}

// tracedUSD returns the sum of the costs of replies; nil: not known.
func tracedUSD(list []chat.Reply) *float64 {
	sum := 0.0
	for i := range list {
		if list[i].CostUSD == nil {
			return nil
		}
		sum += *list[i].CostUSD
	}
	return &sum
}

// less subtracts tokens.
func less(all, counted chat.Usage) chat.Usage {
	return chat.Usage{
		InputTokens:      max(0, all.InputTokens-counted.InputTokens),
		OutputTokens:     max(0, all.OutputTokens-counted.OutputTokens),
		CachedTokens:     max(0, all.CachedTokens-counted.CachedTokens),
		CacheWriteTokens: max(0, all.CacheWriteTokens-counted.CacheWriteTokens),
		ReasoningTokens:  max(0, all.ReasoningTokens-counted.ReasoningTokens),
		Estimated:        all.Estimated,
	}
}

// together merges several replies of a turn into one.
func together(list []chat.Reply) chat.Reply {
	r := list[len(list)-1]
	models := 0
	r.Usage, r.ToolCalls, r.ToolResults = chat.Usage{}, nil, nil
	for i := range list {
		one := &list[i]
		r.Usage = r.Usage.Add(one.Usage)
		r.ToolCalls, r.ToolResults = append(r.ToolCalls, one.ToolCalls...), append(r.ToolResults, one.ToolResults...)
		if one.ModelCalls == nil {
			models++
		} else {
			models += *one.ModelCalls
		}
	}
	r.CostUSD = tracedUSD(list)
	if r.ModelCalls = nil; models != 1 {
		r.ModelCalls = &models
	}
	return r
}
