package httpagent

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// count takes what the endpoint counts. Of several counts in a stream the last one holds. Each is of all so far, and
// none is less than an earlier one.
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
	some, both := false, 0
	for _, part := range []struct {
		into  *int
		names []string
	}{
		{&u.InputTokens, []string{"input_tokens", "prompt_tokens"}},
		{&u.OutputTokens, []string{"output_tokens", "completion_tokens"}},
		{&u.CachedTokens, []string{"cached_tokens"}},
	} {
		for _, name := range part.names {
			if fields[name] == nil {
				continue
			}
			n, ok := jsonvalue.Float(fields[name])
			if !ok || !chat.Tokens(n) || n != float64(int(n)) {
				return x.misfit(call, data, "usage.%s is %v, which no call can have taken", name, shown(call, fields[name]))
			}
			if *part.into, some = int(n), true; part.into != &u.CachedTokens {
				both++
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
	x.usage, x.usd, x.counted = u, cost, both == 2
	call.Count(u)
	return nil
}

func shown(call *wire.Call, v any) string { return call.Excerpt(jsonvalue.Compact(v)) }

// less reports whether a cost is below, or missing after, an earlier one.
func less(now, before *float64) bool { return before != nil && (now == nil || *now < *before) }
