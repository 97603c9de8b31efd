package httpagent

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// count reads the endpoint's token counts. In a stream the last counts apply: each includes the earlier ones, and must
// not be lower.
func (x *exchange) count(call *wire.Call, doc any, data []byte) error {
	v, err := x.at(call, x.p.paths.usage, "usage", doc, data)
	if err != nil || v == nil {
		return err
	}
	fields, is := v.(jsonvalue.Object)
	if !is {
		return x.misfit(call, data, "usage should be an object at %q, and there is %s", x.p.Usage, kindOf(v, false))
	}
	var u chat.Usage
	var cost *float64
	some, both, total := false, 0, 0
	for _, part := range []struct {
		into  *int
		names []string
	}{
		{&u.InputTokens, []string{"input_tokens", "prompt_tokens"}},
		{&u.OutputTokens, []string{"output_tokens", "completion_tokens"}},
		{&u.CachedTokens, []string{"cached_tokens"}},
		{&u.ReasoningTokens, []string{"reasoning_tokens"}},
		{&total, []string{"total_tokens"}},
	} {
		if one, two := contradiction(fields, part.names); two != "" {
			return x.misfit(call, data, "usage is told in two ways, as %s and as %s", one, two)
		}
		for _, name := range part.names {
			if fields[name] == nil {
				continue
			}
			n, ok := jsonvalue.Float(fields[name])
			if !ok || !chat.Tokens(n) || n != float64(int(n)) {
				return x.misfit(call, data, "usage.%s is %v, which no call can have taken", name, shown(call, fields[name]))
			}
			*part.into = int(n)
			if part.into == &u.InputTokens || part.into == &u.OutputTokens {
				some, both = true, both+1
			}
			break
		}
	}
	if fields["cost_usd"] != nil {
		usd, ok := jsonvalue.Float(fields["cost_usd"])
		if !ok || !chat.Measured(usd) {
			return x.misfit(call, data, "usage.cost_usd is %v, which no cost can be", shown(call, fields["cost_usd"]))
		}
		cost, some = &usd, true
	}
	if !some {
		return x.misfit(call, data, "usage at %q has neither input_tokens nor output_tokens nor cost_usd", x.p.Usage)
	}
	if u.InputTokens < x.usage.InputTokens || u.OutputTokens < x.usage.OutputTokens || less(cost, x.usd) {
		return x.misfit(call, data, "usage is less than what was told of this reply before; it should count all of the reply")
	}
	// A sum above the parts, or more thought than was put out, tells of tokens that no part counts.
	x.counted = both == 2 && total <= u.InputTokens+u.OutputTokens && u.ReasoningTokens <= u.OutputTokens
	x.usage, x.usd = u, cost
	call.Count(u)
	return nil
}

func shown(call *wire.Call, v any) string { return call.Excerpt(jsonvalue.Compact(v)) }

// less reports whether a cost is below, or missing after, an earlier one.
func less(now, before *float64) bool { return before != nil && (now == nil || *now < *before) }
