package recording

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// message reads a message in any spelling of the formats. It reports problems.
func (b *builder) message(v value) (e event, ok bool) {
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return event{}, false
	}
	return b.messageOf(o, b.pos(v))
}

// messageOf is message for a parsed object.
func (b *builder) messageOf(o object, pos diag.Pos) (e event, ok bool) {
	before := b.problems.Errors()
	defer func() { b.badMessage = b.badMessage || !ok }()
	e.Pos, e.Offset = pos, -1
	b.checkFields(o, "a message", messageFields())
	e.Role = b.role(o)
	if b.problems.Errors() == before {
		b.requireContent(o)
	}
	e.At = b.time(o.get("timestamp", "createdat", "time"), "timestamp")
	b.content(&e.Message, o)
	b.toolCalls(&e.Message, o)
	if e.Role == chat.ToolRole {
		b.toolResult(&e.Message, o)
	}
	switch e.Role {
	case chat.Assistant:
		b.measures(&e.Message, o)
	case chat.System: // a workflow state may be in it
		e.State = b.text(o.get("state"), "state")
	case chat.User:
		e.Generated = b.generated(o.get("generated"))
	case chat.ToolRole:
	}
	if failure := b.failureIn(o); e.Role != chat.ToolRole && e.FinishReason != "incomplete" {
		b.failed(fmt.Sprintf("a message of the %s failed: ", e.Role), failure)
	}
	for _, name := range []string{"meta", "metadata"} {
		// a tool's are of what it is about
		if told, is := o.members[name]; is && told.kind() == '{' && e.Role != chat.ToolRole {
			b.doubtMessage(told, e.Role)
		}
	}
	if meta := o.get("meta"); meta.kind() == '{' {
		e.Verdicts = b.verdicts(meta.get("assertions"))
	}
	return e, b.problems.Errors() == before
}

// requireContent refuses a message without any field for content. The content may be empty.
func (b *builder) requireContent(o object) {
	if o.get("content", "parts", "refusal", "toolcalls", "functioncall", "toolresult", "error").missing() {
		b.errorf(o.value, "missing-content", "a message has neither content nor tool calls").
			Hint = "the recording lacks messages; record the conversation again"
	}
}

func (b *builder) role(o object) chat.Role {
	v := o.get("role")
	word := b.text(v, "role")
	role, known := chat.ParseRole(word)
	if known {
		return role
	}
	if word == "" {
		b.errorf(o.value, "missing-field", "a message has no role")
		return ""
	}
	names := []string{"system", "user", "assistant", "tool"}
	b.errorf(v, "unknown-role", "unknown role %q", cutText(word, 40)).
		Hint = orKnown(diag.DidYouMean(word, names), names)
	return ""
}

// measures reads usage, cost, latency and other facts about the model call of a reply.
func (b *builder) measures(m *Message, o object) {
	m.FinishReason, m.Opaque = b.stopReason(o), b.opaque(o.get("opaque"))
	m.State = b.text(o.get("state"), "state")
	if f := b.amount(o.get("latencyms"), "latency_ms"); f != nil {
		m.LatencyMS = *f
	}
	for _, key := range []string{"costinfo", "cost", "usage"} {
		if v := o.get(key); v.kind() == '{' {
			b.cost(&m.Message, v)
		}
	}
	if f := b.amount(o.get("costusd"), "cost_usd"); f != nil {
		m.CostUSD = f
	}
	b.validations(m, o.get("validations"))
	if v := o.get("modelcalls"); !v.missing() {
		m.ModelCalls = new(b.count(v, "model_calls"))
	}
	for _, word := range b.unreported(o.get("untold")) {
		if !slices.Contains(m.Unreported, word) {
			m.Unreported = append(m.Unreported, word)
		}
	}
	m.LeftOut = b.leftOut(o.get("leftout"))
	m.Cached = b.truth(o.get("cached"), "cached")
	b.original(m, o.get("original"))
}

// unreported reads which parts of its reply the agent did not report.
func (b *builder) unreported(v value) (list []string) {
	for _, word := range b.texts(v, "untold") {
		if !slices.Contains(chat.UnreportedWords, word) {
			b.errorf(v, "unknown-word", "untold: %q is nothing that an agent tells", cutText(word, 40)).
				Hint = "known: " + strings.Join(chat.UnreportedWords, ", ")
			continue
		}
		list = append(list, word)
	}
	return list
}

// cost reads tokens and cost in the spellings of arena, PromptArena and chat APIs.
func (b *builder) cost(m *chat.Message, v value) {
	o, ok := b.object(v, "the cost of a message")
	if !ok {
		return
	}
	in, out := o.get("inputtokens", "prompttokens"), o.get("outputtokens", "completiontokens")
	if !in.missing() || !out.missing() {
		m.Usage = &chat.Usage{
			InputTokens: b.tokens(in, "input_tokens"), OutputTokens: b.tokens(out, "output_tokens"),
			CachedTokens:     b.tokens(o.get("cachedtokens", "cachereadinputtokens"), "cached_tokens"),
			CacheWriteTokens: b.tokens(o.get("cachewritetokens"), "cache_write_tokens"),
			ReasoningTokens:  b.tokens(o.get("reasoningtokens"), "reasoning_tokens"),
			Estimated:        b.truth(o.get("estimated"), "estimated"),
		}
		b.usageDetails(m.Usage, o)
		checkTotal(m, !in.missing(), !out.missing(), o.get("totaltokens"))
	}
	if f := b.amount(o.get("totalcostusd", "totalcost", "costusd", "cost"), "total_cost_usd"); f != nil {
		m.CostUSD = f
	}
	if f := b.amount(o.get("latencyns"), "latency_ns"); f != nil && m.LatencyMS == 0 {
		m.LatencyMS = *f / float64(time.Millisecond)
	}
}

// usageDetails reads further token counts. Only Anthropic does not include cached tokens in the input.
func (b *builder) usageDetails(u *chat.Usage, o object) {
	for _, name := range []string{"prompttokensdetails", "inputtokensdetails"} {
		if details := o.get(name); details.kind() == '{' {
			u.CachedTokens = b.tokens(details.get("cachedtokens"), "cached_tokens")
		}
	}
	for _, name := range []string{"completiontokensdetails", "outputtokensdetails"} {
		if details := o.get(name); details.kind() == '{' {
			u.ReasoningTokens = b.tokens(details.get("reasoningtokens"), "reasoning_tokens")
		}
	}
	if details := o.get("inputtokendetails"); details.kind() == '{' {
		u.CachedTokens = b.tokens(details.get("cacheread"), "cache_read")
		u.CacheWriteTokens = b.tokens(details.get("cachecreation"), "cache_creation")
	}
	if details := o.get("outputtokendetails"); details.kind() == '{' {
		u.ReasoningTokens = b.tokens(details.get("reasoning"), "reasoning")
	}
	if o.get("prompttokens").missing() {
		read := b.tokens(o.get("cachereadinputtokens"), "cache_read_input_tokens")
		u.CacheWriteTokens += b.tokens(o.get("cachecreationinputtokens"), "cache_creation_input_tokens")
		u.InputTokens += read + b.tokens(o.get("cachecreationinputtokens"), "cache_creation_input_tokens")
	}
}

func (b *builder) validations(m *Message, v value) {
	for item := range v.items {
		o, ok := b.object(item, "a validation")
		if !ok {
			return
		}
		val := chat.Validation{
			Type: b.text(o.get("validatortype", "type"), "validator_type"), Passed: b.truth(o.get("passed"), "passed"),
		}
		if details := o.get("details"); details.kind() == '{' {
			val.Details, _ = decodeObject(details)
		}
		m.Validations = append(m.Validations, val)
	}
}

// original reads the reply as the model wrote it, before guardrails.
func (b *builder) original(m *Message, v value) {
	if v.missing() {
		return
	}
	o, ok := b.object(v, "original")
	if !ok {
		return
	}
	b.checkFields(o, "original", messageFields())
	message := Message{Message: chat.Message{Role: chat.Assistant}}
	b.content(&message, o)
	b.toolCalls(&message, o)
	m.Original = &chat.Original{
		Content: message.Content, Parts: message.Parts, ToolCalls: message.ToolCalls,
		FinishReason: b.text(o.get("finishreason"), "finish_reason"),
	}
}

// decodeObject decodes an object of any form. Numbers keep their digits.
func decodeObject(v value) (jsonvalue.Object, bool) {
	decoded, err := chat.DecodeJSON(v.text)
	m, ok := decoded.(jsonvalue.Object)
	return m, ok && err == nil
}
