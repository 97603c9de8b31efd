package spans

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
)

// rawSpan is a span before its attributes are interpreted.
type rawSpan struct {
	Span
	failed   bool
	ok       bool   // its status says that it succeeded
	threw    bool   // it has an exception
	message  string // why it failed
	attrs    attributes
	messages []document // messages in events
}

// MostText is the maximum size in bytes of a model's or a tool's text; the rest is cut.
const MostText = 1 << 20

// read interprets the attributes of a span.
func (r *rawSpan) read() Span {
	s := r.Span
	s.Name = cut(s.Name, 1000, "…")
	operation := cmp.Or(r.attrs.text(Operation), InferenceOperation(r.attrs.text(InferenceKind)))
	s.Kind = kindOf(operation)
	if of := r.attrs.text(OfCheck); of != "" && of != "false" {
		s.Kind = Evaluator
	}
	if code := r.attrs.text(StatusCode); code != "" && !r.failed {
		r.status(code)
	}
	if v, reported := r.attrs.first(Failed); reported {
		r.fails(v)
	}
	if kind := r.attrs.text(ErrorType); r.failed || kind != "" || r.threw && !r.ok {
		s.Failure = cmp.Or(r.message, kind, "the span failed")
	}
	s.Model, s.Provider = r.attrs.text(ModelName), r.attrs.text(ProviderName)
	s.Usage, s.CostUSD = r.usage(), r.cost()
	s.Partial = r.partial(s.Usage)
	s.Miscosted = s.CostUSD == nil && r.miscosted()
	if s.Kind == Other && (operation != "" || s.Model == "" || s.Usage == nil) && NamesTool(r.Name, r.attrs.scalar) {
		s.Kind, s.Inferred = ToolRun, true
	}
	switch {
	case s.Kind == ToolRun:
		s.Tools = []Tool{r.tool()}
	case s.Kind == Model || operation == "" && s.Model != "":
		reply := r.reply()
		if s.Kind == Other && (s.Usage != nil || reply.texts != nil || reply.calls != nil) {
			s.Kind = Model
		}
		s.Output, s.Tools = cut(reply.text(), MostText, "…"), reply.calls
		s.Finish = cmp.Or(reply.finish, r.finish())
	}
	return s
}

// reply reads the reply of a model from the first attribute or event that has one.
func (r *rawSpan) reply() (reply replyText) {
	reply.read(r.attrs.tree(Output), 0)
	if len(reply.texts)+len(reply.calls) == 0 {
		for _, m := range r.messages {
			reply.read(m, 0)
		}
	}
	if v, ok := r.attrs.first(OutputText); ok && len(reply.texts)+len(reply.calls) == 0 {
		if only := v.document().get("value"); !only.missing() {
			v = valueOf(only)
		}
		reply.value(v)
	}
	if len(reply.calls) == 0 {
		for call := range r.attrs.tree(ReplyCalls).elements {
			reply.call(call)
		}
	}
	return reply
}

// finish is why a reply ended: a text, or the first of a list.
func (r *rawSpan) finish() string {
	v, _ := r.attrs.first(FinishReason)
	for reason := range v.document().elements {
		return reason.str()
	}
	return v.scalar()
}

// tool is the call that the span of a tool is.
func (r *rawSpan) tool() Tool {
	t := Tool{ID: r.attrs.text(ToolID), Name: NameOfTool(r.Name, r.attrs.scalar)}
	t.Args = r.args()
	if v, ok := r.attrs.first(ToolResult); ok {
		t.Result, t.HasResult = cut(v.string(), MostText, chat.CutMark), true
	}
	return t
}

// args are the arguments of the call of a tool: the first that are an object, else the first that there are.
func (r *rawSpan) args() (args string) {
	for _, name := range table[ToolArgs] {
		v, ok := r.attrs[name]
		if !ok {
			continue
		}
		if v.isObject() {
			return v.string()
		}
		args = cmp.Or(args, v.string())
	}
	return args
}

// usage is the tokens of a span; nil if it has none.
func (r *rawSpan) usage() *chat.Usage {
	count := func(f Field) int {
		n, _ := r.attrs.number(f)
		return int(min(max(n, 0), chat.MostTokens)) // what is no count at least breaks every limit
	}
	u := chat.Usage{
		InputTokens: count(InputTokens), OutputTokens: count(OutputTokens), CachedTokens: count(CachedTokens),
		CacheWriteTokens: count(CacheWriteTokens), ReasoningTokens: count(ReasoningTokens),
	}
	if u.InputTokens == 0 && u.OutputTokens == 0 {
		u.InputTokens = count(TotalTokens)
	}
	if aside := u.CachedTokens + u.CacheWriteTokens; aside > u.InputTokens { // counted beside them, as Anthropic does
		u.InputTokens += aside
	}
	if u == (chat.Usage{}) {
		return nil
	}
	return &u
}

// partial reports whether token counts are incomplete, as in streams without counts, or impossible: not numbers,
// negative, more cached than all, fewer than their sum, or contradicting.
func (r *rawSpan) partial(u *chat.Usage) bool {
	if u == nil {
		return false
	}
	for _, f := range []Field{InputTokens, OutputTokens, TotalTokens, CachedTokens, CacheWriteTokens} {
		v, reported := r.attrs.first(f)
		if n, ok := r.attrs.number(f); reported && v.scalar() != "" && (!ok || !chat.Tokens(n)) || r.attrs.contradicts(f) {
			return true
		}
	}
	_, in := r.attrs.number(InputTokens)
	_, out := r.attrs.number(OutputTokens)
	total, summed := r.attrs.number(TotalTokens)
	all := u.InputTokens + u.OutputTokens + u.CachedTokens + u.CacheWriteTokens + u.ReasoningTokens
	return !in || !out || summed && total > float64(all)
}

// roundedCost is the share by which a sum of costs may be below its parts, each of which was rounded.
const roundedCost = 0.01

// cost is the cost of a span; nil if it is unknown or incomplete.
func (r *rawSpan) cost() *float64 {
	in, hasIn := r.attrs.number(InputCostUSD)
	out, hasOut := r.attrs.number(OutputCostUSD)
	usd, ok := r.attrs.number(CostUSD)
	switch sum := in + out; {
	case ok && (r.attrs.contradicts(CostUSD) || usd < max(sum, in, out)*(1-roundedCost)):
		return nil // they contradict each other
	case ok && chat.Measured(usd):
		return &usd
	case hasIn && hasOut && chat.Measured(sum):
		return &sum
	}
	return nil
}

// miscosted reports whether the cost of a span is invalid or incomplete.
func (r *rawSpan) miscosted() bool {
	for _, f := range []Field{CostUSD, InputCostUSD, OutputCostUSD} {
		if v, reported := r.attrs.first(f); reported && v.scalar() != "" {
			return true
		}
	}
	return false
}

// fails reads an error member: a flag, or a message.
func (r *rawSpan) fails(v value) {
	switch text := v.string(); strings.ToLower(strings.TrimSpace(text)) {
	case "", "false", "0", "null", "none", "no", "{}", "[]":
	case "true", "1", "yes":
		r.failed = true
	default:
		r.failed, r.message = true, cmp.Or(r.message, cut(text, 1000, "…"))
	}
}

// status reads a status code. Unset means nothing.
func (r *rawSpan) status(code string) {
	r.failed = code == "2" || strings.EqualFold(code, "ERROR") || code == "STATUS_CODE_ERROR"
	r.ok = code == "1" || strings.EqualFold(code, "OK") || code == "STATUS_CODE_OK"
}

// id normalises an id.
func id(text string) string {
	text = strings.TrimPrefix(strings.ToLower(cut(text, 200, "…")), "0x")
	if strings.Trim(text, "0") == "" {
		return ""
	}
	return text
}

// Since1970 converts a number of seconds, milliseconds, microseconds or nanoseconds since 1970, by its size. It returns
// zero for numbers below one and for other texts.
func Since1970(number string) time.Time {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || !(f > 0 && f < 1<<63) {
			return time.Time{}
		}
		if n = int64(f); f < 1e11 {
			return time.UnixMicro(int64(f * 1e6)).UTC()
		}
	}
	switch {
	case n <= 0:
		return time.Time{}
	case n >= 1e17:
		return time.Unix(0, n).UTC()
	case n >= 1e14:
		return time.UnixMicro(n).UTC()
	case n >= 1e11:
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}

// timeOf reads a time: a number, or a text as ISO 8601 has it.
func timeOf(text string) time.Time {
	if t := Since1970(text); !t.IsZero() {
		return t
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04:05Z0700",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// event reads an event by its attributes: a message, or what would else be an attribute of the span.
func (r *rawSpan) event(members map[string]document) {
	for _, name := range []string{"message", "gen_ai.event.content", "event.body"} {
		if d := valueOf(members[name]).document(); d != nil {
			r.messages = append(r.messages, d)
			return
		}
	}
	if content, ok := members["content"]; ok {
		r.messages = append(r.messages, content)
		return
	}
	for key, v := range members {
		r.attrs.add(key, valueOf(v))
	}
}

// noteEvent handles an event by its name. It reports whether the attributes of the event may hold the reply of a model.
func (r *rawSpan) noteEvent(name string) bool {
	r.threw = r.threw || name == "exception"
	return slices.Contains([]string{
		"gen_ai.choice", "gen_ai.content.completion", "gen_ai.client.inference.operation.details",
	}, name)
}

// cut shortens a text to a number of bytes, between two characters, and appends a mark.
func cut(text string, most int, mark string) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + mark
}
