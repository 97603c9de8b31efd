package traced

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans"
	"github.com/arena-evals/arena/internal/tools"
)

// round is the work between two model calls: model calls, and then tool calls.
type round struct {
	models    int
	usage     *chat.Usage
	usd       float64
	priced    bool // something has a cost
	unknown   bool // the cost of a model's call is not known
	uncounted bool // the tokens of a model are unreported
	calls     []spans.Call
	finish    string // finish reason of the last model reply; "": unreported
}

func (r *round) spend(s *spans.Span, spec *scenario.Provider) {
	if s.Usage != nil {
		if r.usage == nil {
			r.usage = &chat.Usage{}
		}
		*r.usage = r.usage.Add(*s.Usage)
		r.uncounted = r.uncounted || s.Partial
	} else if s.Kind == spans.Model {
		r.uncounted = true
	}
	usd := s.CostUSD
	price := providers.TracedPrice(spec, s.Model)
	if usd == nil && price != nil && s.Usage != nil && !s.Partial && !s.Miscosted {
		usd = new(price.USD(*s.Usage))
	}
	if usd == nil {
		r.unknown = r.unknown || s.Kind == spans.Model || s.Usage != nil
		return
	}
	r.usd += *usd
	r.priced = true
}

// rounds splits the work in a trace into rounds, in order. The last one has no tool calls.
func rounds(t *spans.Trace, calls []spans.Call, spec *scenario.Provider) []round {
	all, next := []round{{}}, 0
	paid := map[*spans.Span]bool{}
	for s := range t.Spent {
		paid[s] = true
	}
	for i := range t.Spans {
		s := &t.Spans[i]
		last := &all[len(all)-1]
		if s.Kind == spans.Model && len(last.calls) > 0 {
			all = append(all, round{})
			last = &all[len(all)-1]
		}
		if s.Kind == spans.Model {
			last.models++
			last.finish = s.Finish
		}
		if paid[s] {
			last.spend(s, spec)
		}
		for next < len(calls) && calls[next].Span == i {
			last.calls = append(last.calls, calls[next])
			next++
		}
	}
	if len(all[len(all)-1].calls) > 0 {
		all = append(all, round{})
	}
	return all
}

// replies returns the replies of a turn as a model would have given them: tool calls with their results, and the text
// at the end. Calls that the program reported itself are left out.
func replies(t *spans.Trace, final chat.Reply, of *turn, spec *scenario.Provider) (out []chat.Reply) {
	names := &names{used: map[string]bool{}}
	for i := range of.reported.calls {
		names.used[of.reported.calls[i].ID] = true
	}
	reported := len(of.reported.calls)
	calls, notice := of.reported.without(t.Calls())
	made := make([]chat.ToolCall, len(calls))
	for i := range calls {
		c := &calls[i]
		made[i] = toolCall(c)
		made[i].ID = names.unique(cmp.Or(c.ID, t.Spans[c.Span].ID, "call"))
	}
	all := rounds(t, calls, spec)
	if t.ModelCalls() == 0 && t.Usage() == nil { // nothing is known of models: the last reply is one, as without traces
		for i := range all {
			all[i].uncounted = true
		}
	}
	for i := range all {
		r := &all[i]
		reply := chat.Reply{FinishReason: "tool_calls", Model: final.Model}
		if i == len(all)-1 {
			reply = final
			reply.FinishReason = cmp.Or(reply.FinishReason, r.finish)
		}
		r.measure(&reply, t, i == len(all)-1)
		for n := range r.calls {
			call := made[0]
			made = made[1:]
			reply.ToolCalls = append(reply.ToolCalls, call)
			reply.ToolResults = append(reply.ToolResults, resultOf(&r.calls[n], call))
			reply.Unreported = append(reply.Unreported, missingIn(&r.calls[n], &call)...)
		}
		slices.Sort(reply.Unreported)
		reply.Unreported = slices.Compact(reply.Unreported)
		out = append(out, reply)
	}
	last := &out[len(out)-1]
	last.Unreported = stillMissing(t, final.Unreported, reported)
	if len(t.Spans) > 0 {
		last.Trace = digest(t)
	}
	for _, text := range []string{t.Notice, notice} {
		if text != "" {
			last.Notice = strings.TrimPrefix(last.Notice+"; "+text, "; ")
		}
	}
	if n := t.Dropped(); n > 0 {
		last.Doubt = fmt.Sprintf("comes with traces that lack %s, and arguments or results may be among them: raise "+
			"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT in the env of the program", plural.Count(n, "attribute"))
	}
	return out
}

// missingIn lists what a trace does not record of a tool call. Most instrumentations leave out arguments and results
// unless they are configured to record them.
func missingIn(c *spans.Call, call *chat.ToolCall) (unreported []string) {
	if c.Args == "" || call.BadArgs != "" {
		unreported = append(unreported, chat.UnreportedArguments)
	}
	if !c.HasResult && c.Failure == "" {
		unreported = append(unreported, chat.UnreportedResults)
		if !c.Ran {
			unreported = append(unreported, chat.UnreportedOutcomes)
		}
	}
	return unreported
}

// stillMissing lists what is not known of a reply even with its traces: HTTP spans say nothing about tools, and spans
// of tools nothing about models. A model that waited for tools without spans shows that tool calls are missing. said is
// the number of calls that the program reported itself.
func stillMissing(t *spans.Trace, unreported []string, reported int) (left []string) {
	models, tools := t.ModelCalls() > 0, len(t.Calls()) > 0
	hides := t.HidesCalls() && reported == 0
	for _, what := range unreported {
		if what == chat.UnreportedModelCalls && models || what == chat.UnreportedToolCalls && (models || tools) {
			continue
		}
		left = append(left, what)
	}
	if hides && !slices.Contains(left, chat.UnreportedToolCalls) {
		left = append(left, chat.UnreportedToolCalls)
	}
	return left
}

// measure sets model calls, usage and cost of a reply from the trace. What the trace does not record stays as the
// program reported it.
func (r *round) measure(reply *chat.Reply, t *spans.Trace, last bool) {
	hasModelCalls := t.ModelCalls() > 0
	if hasModelCalls || !last {
		if r.models != 1 {
			reply.ModelCalls = new(r.models)
		}
	}
	switch {
	case r.usage != nil:
		reply.Usage = *r.usage
		reply.Usage.Estimated = r.uncounted
	case !last:
		reply.Usage.Estimated = r.uncounted && r.models > 0
	case hasModelCalls && t.Usage() != nil:
		reply.Usage = chat.Usage{}
	}
	switch {
	case r.unknown:
		reply.CostUSD = nil
	case r.priced || !last || hasModelCalls:
		reply.CostUSD = new(r.usd)
	}
}

// resultOf returns the result of a call.
func resultOf(c *spans.Call, call chat.ToolCall) chat.ToolResult {
	res := chat.ToolResult{
		ID: call.ID, Name: call.Name, Content: c.Result, Error: c.Failure,
		LatencyMS: float64(c.Took) / float64(time.Millisecond),
	}
	if text, failed := tools.ReportedFailure([]byte(c.Result)); failed && res.Error == "" {
		res.Error = text
	}
	if res.Error != "" {
		res.ErrorType = chat.ErrorExecution
	}
	return res
}

// names makes ids unique.
type names struct{ used map[string]bool }

func (n *names) unique(id string) string {
	id = ellipsis.Runes(id, 200)
	for i, first := 2, id; n.used[id]; i++ {
		id = fmt.Sprintf("%s-%d", first, i)
	}
	n.used[id] = true
	return id
}

const (
	mostShown  = 500 // spans of a turn
	mostOutput = 500 // characters of what a model said
	mostText   = 200 // of names
)

// digest shortens a trace for reports. Spans of models, tools and agents are kept before all others.
func digest(t *spans.Trace) *chat.Trace {
	out := &chat.Trace{Spans: []chat.TraceSpan{}, Notice: t.Notice}
	shown := make([]bool, len(t.Spans))
	room := mostShown
	for _, telling := range []bool{true, false} {
		for i := range t.Spans {
			if (t.Spans[i].Kind != spans.Other) == telling && room > 0 {
				shown[i] = true
				room--
			}
		}
	}
	var first time.Time
	for i := range t.Spans {
		if s := &t.Spans[i]; t.Timed(i) && (first.IsZero() || s.Start.Before(first)) {
			first = s.Start
		}
	}
	for i := range t.Spans {
		if !shown[i] {
			out.LeftOut++
			continue
		}
		s := &t.Spans[i]
		d := chat.TraceSpan{
			Name: ellipsis.Runes(s.Name, mostText), Kind: s.Kind.String(), Depth: t.Depth(i),
			Model: ellipsis.Runes(s.Model, mostText), Usage: s.Usage, CostUSD: s.CostUSD,
			Output: ellipsis.Runes(s.Output, mostOutput), Error: ellipsis.Runes(s.Failure, mostOutput),
		}
		if s.Kind == spans.ToolRun && len(s.Tools) > 0 {
			d.Name = ellipsis.Runes(cmp.Or(s.Tools[0].Name, s.Name), mostText)
		}
		if t.Timed(i) {
			d.StartMS = new(float64(s.Start.Sub(first)) / float64(time.Millisecond))
			d.DurationMS = float64(s.End.Sub(s.Start)) / float64(time.Millisecond)
		}
		out.Spans = append(out.Spans, d)
	}
	return out
}
