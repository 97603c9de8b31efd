package recording

import "github.com/arena-evals/arena/internal/chat"

var (
	leftOutFields     = newLazyFields(`messages tokens estimated since_turn summary asked`)
	contextCallFields = newLazyFields(`provider model usage cost_usd latency_ms cached`)
)

// leftOut reads which part of the conversation was not sent to the model.
func (b *builder) leftOut(v value) *chat.LeftOut {
	if v.missing() {
		return nil
	}
	o, ok := b.object(v, "left_out")
	if !ok {
		return nil
	}
	b.checkFields(o, "left_out", leftOutFields())
	return &chat.LeftOut{
		Messages: b.count(o.get("messages"), "messages"), Tokens: b.tokens(o.get("tokens"), "tokens"),
		Estimated: b.truth(o.get("estimated"), "estimated"), Since: b.count(o.get("sinceturn"), "since_turn"),
		Summary: b.text(o.get("summary"), "summary"), Asked: b.contextCall(o.get("asked")),
	}
}

// contextCall reads the model call that a context policy made; nil: there was none.
func (b *builder) contextCall(v value) *chat.ContextCall {
	if v.missing() {
		return nil
	}
	o, ok := b.object(v, "asked")
	if !ok {
		return nil
	}
	b.checkFields(o, "asked", contextCallFields())
	c := &chat.ContextCall{
		Provider: b.text(o.get("provider"), "provider"), Model: b.text(o.get("model"), "model"),
		CostUSD: b.amount(o.get("costusd"), "cost_usd"), Cached: b.truth(o.get("cached"), "cached"),
		Usage: b.usageOf(o.get("usage")),
	}
	if ms := b.amount(o.get("latencyms"), "latency_ms"); ms != nil {
		c.LatencyMS = *ms
	}
	return c
}

// usageOf reads the tokens of a call.
func (b *builder) usageOf(v value) chat.Usage {
	var of chat.Message
	if v.kind() == '{' {
		if b.cost(&of, v); of.Usage != nil {
			return *of.Usage
		}
	}
	return chat.Usage{}
}
