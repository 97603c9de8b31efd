package recording

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// aiSpan is a span of generative AI: a call of a model, of a tool or of an agent.
type aiSpan struct {
	id, parent string
	operation  string
	start, end time.Time // zero: not known
	failure    string

	input, output []event // as far as they were recorded; input has the system prompt first
	tool          chat.ToolResult
	toolSaid      bool // tool holds a result
	model         string
	provider      string
}

// attributes are the values of a span's attributes as JSON.
type attributes map[string]value

// aiSpan reads a span.
func (b *builder) aiSpan(v value) (s aiSpan, ok bool) {
	o, ok := b.object(v, "a span")
	if !ok {
		return s, false
	}
	attrs := b.attributes(o.get("attributes"))
	s.id, _ = o.get("spanid").str()
	s.parent, _ = o.get("parentspanid").str()
	s.operation = attrs.text("gen_ai.operation.name")
	s.start, s.end = b.nanos(o.get("starttimeunixnano")), b.nanos(o.get("endtimeunixnano"))
	s.model = attrs.text("gen_ai.response.model", "gen_ai.request.model")
	s.provider = attrs.text("gen_ai.provider.name", "gen_ai.system")
	s.failure = failureOf(o.get("status"), attrs)
	b.spanTool(&s, attrs)
	b.spanMessages(&s, v, attrs, o.get("events"))
	if len(s.output) > 1 && s.operation != "invoke_agent" {
		b.notef("a call has %d choices; the first one is taken", len(s.output))
		s.output = s.output[:1]
	}
	if n := len(s.output); n > 0 {
		b.spanMeasures(&s.output[n-1].Message, &s, attrs)
	}
	return s, true
}

// failureOf is why a span failed, or "".
func failureOf(status value, attrs attributes) string {
	code := strings.Trim(string(status.get("code").text), `"`)
	if code != "2" && code != "STATUS_CODE_ERROR" {
		return ""
	}
	if text, ok := status.get("message").str(); ok && text != "" {
		return text
	}
	if kind := attrs.text("error.type"); kind != "" {
		return kind
	}
	return "the span failed"
}

func (b *builder) spanTool(s *aiSpan, attrs attributes) {
	if s.operation != "execute_tool" {
		return
	}
	s.tool.ID, s.tool.Name = attrs.text("gen_ai.tool.call.id"), attrs.text("gen_ai.tool.name")
	if v, found := attrs["gen_ai.tool.call.result"]; found {
		s.toolSaid = true
		if text, ok := v.str(); ok {
			s.tool.Content = text
		} else {
			s.tool.Content = string(v.text)
		}
	}
	s.tool.Error = s.failure
	s.tool.LatencyMS = s.latency()
}

// latency in milliseconds; 0: not known.
func (s *aiSpan) latency() float64 {
	if s.start.IsZero() || s.end.Before(s.start) {
		return 0
	}
	return float64(s.end.Sub(s.start)) / float64(time.Millisecond)
}

// spanMeasures puts what the call took on its reply.
func (b *builder) spanMeasures(m *Message, s *aiSpan, attrs attributes) {
	m.LatencyMS = s.latency()
	in, hasIn := attrs.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
	out, hasOut := attrs.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
	if hasIn || hasOut {
		cached, _ := attrs.count("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens")
		m.Usage = &chat.Usage{InputTokens: in, OutputTokens: out, CachedTokens: cached}
	}
	if cost, ok := attrs["gen_ai.usage.cost"].number(); ok {
		m.CostUSD = &cost
	}
	if m.FinishReason == "" {
		for reason := range attrs["gen_ai.response.finish_reasons"].items {
			m.FinishReason, _ = reason.str()
			break
		}
	}
}

func (a attributes) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := a[k].scalar(); ok && s != "" {
			return s
		}
	}
	return ""
}

func (a attributes) count(keys ...string) (int, bool) {
	for _, k := range keys {
		if f, ok := a[k].number(); ok && f >= 0 && f < 1<<31 {
			return int(f), true
		}
	}
	return 0, false
}

// attributes reads a list of {key, value}.
func (b *builder) attributes(v value) attributes {
	attrs := attributes{}
	for item := range v.items {
		key, ok := item.get("key").str()
		if !ok {
			continue
		}
		if _, twice := attrs[key]; twice {
			b.errorf(item, "duplicate-key", "the attribute %q is there twice", cutText(key, 60))
			continue
		}
		attrs[key] = value{b.plain(item.get("value"), 0), item.at}
	}
	return attrs
}

const maxAnyDepth = 100

// plain makes the JSON that a typed value stands for.
func (b *builder) plain(v value, depth int) []byte {
	if depth > maxAnyDepth {
		b.errorf(v, "too-deep", "an attribute is nested deeper than %d levels", maxAnyDepth)
		return []byte("null")
	}
	for name, member := range v.members {
		switch foldKey(name) {
		case "stringvalue", "doublevalue", "boolvalue", "bytesvalue":
			return member.text
		case "intvalue": // a 64 bit number, which JSON of protocol buffers writes as a text
			if s, ok := member.scalar(); ok {
				if _, err := strconv.ParseInt(s, 10, 64); err == nil {
					return []byte(s)
				}
			}
			return member.text
		case "arrayvalue":
			return b.plainList(member.get("values"), depth)
		case "kvlistvalue":
			return b.plainMap(member.get("values"), depth)
		}
	}
	return []byte("null")
}

func (b *builder) plainList(v value, depth int) []byte {
	out := []byte{'['}
	for item := range v.items {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, b.plain(item, depth+1)...)
	}
	return append(out, ']')
}

func (b *builder) plainMap(v value, depth int) []byte {
	out := []byte{'{'}
	for item := range v.items {
		key := item.get("key")
		if key.kind() != '"' {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, key.text...), ':')
		out = append(out, b.plain(item.get("value"), depth+1)...)
	}
	return append(out, '}')
}

// nanos reads nanoseconds since 1970, which JSON of protocol buffers writes as a text.
func (b *builder) nanos(v value) time.Time {
	s, ok := v.scalar()
	if !ok {
		return time.Time{}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		b.errorf(v, "wrong-type", "a time must be nanoseconds, found %s", describe(v))
		return time.Time{}
	}
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// inner is the JSON within a text, or the value itself when it is none. Its place is that of v.
func inner(v value) value {
	s, ok := v.str()
	if !ok {
		return v
	}
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '[' && s[0] != '{' || !json.Valid([]byte(s)) {
		return v
	}
	return value{[]byte(s), v.at}
}
