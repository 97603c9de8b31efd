package recording

import "github.com/arena-evals/arena/internal/chat"

var generatedFields = newLazyFields(`persona role provider model finish_reason ends usage cost_usd latency_ms cached`)

// generated reads who generated a message of the user; nil: the recording does not say.
func (b *builder) generated(v value) *chat.Generated {
	if v.missing() {
		return nil
	}
	o, ok := b.object(v, "generated")
	if !ok {
		return nil
	}
	b.checkFields(o, "generated", generatedFields())
	g := &chat.Generated{
		Persona: b.text(o.get("persona"), "persona"), Role: b.text(o.get("role"), "role"),
		Provider: b.text(o.get("provider"), "provider"), Model: b.text(o.get("model"), "model"),
		FinishReason: b.text(o.get("finishreason"), "finish_reason"), Ends: b.truth(o.get("ends"), "ends"),
		CostUSD: b.amount(o.get("costusd"), "cost_usd"), Cached: b.truth(o.get("cached"), "cached"),
		Usage: b.usageOf(o.get("usage")),
	}
	if ms := b.amount(o.get("latencyms"), "latency_ms"); ms != nil {
		g.LatencyMS = *ms
	}
	return g
}
