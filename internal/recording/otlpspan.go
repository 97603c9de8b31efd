package recording

import (
	"cmp"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/spans"
)

// aiSpan is a span of generative AI: it records a model call, a tool run or an agent.
type aiSpan struct {
	id, parent string
	operation  string
	inferred   bool      // it is a tool run, although its operation does not say so
	start, end time.Time // zero: not known
	failure    string

	input, output    []event // as recorded; the system prompt is first
	tool             chat.ToolResult
	toolArgs         chat.Args // nil: not known
	toolBadArgs      string
	hasResult        bool // tool holds a result
	model            string
	provider         string
	pos              diag.Pos
	silent           bool             // a model call of which nothing was recorded
	judge            bool             // the call of a check, not part of the conversation
	verdicts         []Verdict        // on the turn or conversation of the span
	customAttributes jsonvalue.Object // that no convention defines
	given            given            // its output beside the messages
}

// aiSpan reads a span.
func (b *builder) aiSpan(v value) (s aiSpan, ok bool) {
	o, ok := b.object(v, "a span")
	if !ok {
		return s, false
	}
	attrs := b.attributes(o.get("attributes"))
	s.pos = b.pos(v)
	s.id, _ = o.get("spanid").str()
	s.parent, _ = o.get("parentspanid").str()
	s.start, s.end = b.nanos(o.get("starttimeunixnano")), b.nanos(o.get("endtimeunixnano"))
	s.failure = failureOf(o.get("status"), attrs)
	b.fillSpan(&s, o, attrs)
	return s, true
}

// fillSpan reads the attributes and events of a span.
func (b *builder) fillSpan(s *aiSpan, o object, attrs attributes) {
	s.operation = attrs.field(spans.Operation)
	s.model, s.provider = attrs.field(spans.ModelName), attrs.field(spans.ProviderName)
	s.judge = attrs.text("arena.judge") != "" || attrs.text("arena.by_check") == "true"
	s.customAttributes = customAttributes(attrs)
	b.spanOfArena(s, attrs)
	kind := attrs.field(spans.InferenceKind)
	s.operation = cmp.Or(s.operation, spans.InferenceOperation(kind))
	s.judge = s.judge || s.operation == "evaluator"
	name, _ := o.get("name").str()
	text := func(key string) string { return attrs.text(key) }
	unknown := !spans.IsKnown(s.operation) && (s.operation != "" || s.model == "")
	s.inferred = !s.judge && unknown && spans.NamesTool(name, text)
	b.spanTool(s, name, attrs)
	b.spanMessages(s, o.value, attrs, o.get("events"))
	b.spanOfInference(s, kind, o, attrs)
	b.evaluations(s, o.get("events"))
	b.spanGiven(s, attrs)
	b.exceptions(s, o.get("events"))
	b.dropped(s, o)
	if len(s.output) > 1 && s.operation != "invoke_agent" {
		b.severalChoices(len(s.output))
		s.output = s.output[:1]
	}
	if n := len(s.output); n > 0 {
		b.spanMeasures(&s.output[n-1].Message, s, attrs)
	}
}

// spanGiven reads the output of a span.
func (b *builder) spanGiven(s *aiSpan, attrs attributes) {
	if s.runsTool() || s.operation == "embeddings" {
		return
	}
	s.given = givenIn(attrs[spans.OutputValue])
	if !s.asksModel() {
		for i := range s.output {
			s.given.add(s.output[i].Text())
		}
	}
}

// exceptions notes exceptions in model calls that did not fail: the program caught them.
func (b *builder) exceptions(s *aiSpan, events value) {
	for item := range events.items {
		if name, _ := item.get("name").str(); name != "exception" || s.failure != "" || !s.asksModel() {
			continue
		}
		what, _ := b.attributes(item.get("attributes"))["exception.message"].str()
		b.doubtf("a call of the model reports an exception: %s", cutText(what, 80))
	}
}

// hasNumber reports whether a value is a number above zero.
func hasNumber(v value) bool {
	n, ok := v.number()
	return ok && n > 0
}

// failureOf is the error of a span, or "".
func failureOf(status value, attrs attributes) string {
	code := strings.Trim(string(status.get("code").text), `"`)
	kind := attrs.text("error.type") // set only when the operation failed
	if code != "2" && code != "STATUS_CODE_ERROR" && kind == "" {
		return ""
	}
	if text, ok := status.get("message").str(); ok && text != "" {
		return text
	}
	return cmp.Or(kind, "the span failed")
}

// runsTool reports whether a span is the run of a tool.
func (s *aiSpan) runsTool() bool { return s.operation == "execute_tool" || s.inferred }

func (b *builder) spanTool(s *aiSpan, name string, attrs attributes) {
	if !s.runsTool() {
		return
	}
	s.tool.ID = attrs.field(spans.ToolID)
	s.tool.Name = spans.NameOfTool(name, func(key string) string { return attrs.text(key) })
	if v := attrs.toolArgs(); !v.missing() {
		s.toolArgs, s.toolBadArgs = b.args(v)
	}
	if v, found := attrs.first(spans.ToolResult); found {
		s.hasResult = true
		if text, ok := v.str(); ok {
			s.tool.Content = text
		} else {
			s.tool.Content = string(v.text)
		}
	}
	s.tool.Error = s.failure
	s.tool.LatencyMS = s.latency()
}

// toolArgs are the arguments of a tool run: the first attribute that holds an object, else the first attribute.
func (a attributes) toolArgs() (args value) {
	for _, name := range spans.ToolArgs.Names() {
		v := a[name]
		if nestedJSON(v).kind() == '{' {
			return v
		}
		args = args.or(v)
	}
	return args
}

// latency is in milliseconds; 0: not known.
func (s *aiSpan) latency() float64 {
	if s.start.IsZero() || s.end.Before(s.start) {
		return 0
	}
	return float64(s.end.Sub(s.start)) / float64(time.Millisecond)
}

// spanMeasures adds the measures of the call to its reply.
func (b *builder) spanMeasures(m *Message, s *aiSpan, attrs attributes) {
	m.LatencyMS = s.latency()
	in, hasIn := attrs.tokens(b, spans.InputTokens)
	out, hasOut := attrs.tokens(b, spans.OutputTokens)
	if (hasIn || hasOut) && m.Usage == nil {
		cached, _ := attrs.tokens(b, spans.CachedTokens)
		written, _ := attrs.tokens(b, spans.CacheWriteTokens)
		thought, _ := attrs.tokens(b, spans.ReasoningTokens)
		m.Usage = &chat.Usage{
			InputTokens: in, OutputTokens: out, CachedTokens: cached, CacheWriteTokens: written, ReasoningTokens: thought,
			Estimated: attrs.text("arena.usage.estimated") == "true",
		}
		total, _ := attrs.first(spans.TotalTokens)
		checkTotal(&m.Message, hasIn, hasOut, total) // for example of a stream whose tokens were not counted
	}
	for _, key := range spans.CostUSD.Names() {
		if cost := b.amount(attrs[key], key); cost != nil && m.CostUSD == nil {
			m.CostUSD = cost
		}
	}
	if v, _ := attrs.first(spans.FinishReason); m.FinishReason == "" {
		m.FinishReason, _ = v.scalar()
		for reason := range v.items {
			m.FinishReason, _ = reason.str()
			break
		}
	}
}
