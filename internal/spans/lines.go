package spans

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Limits of a file of spans.
const (
	MostLine = 8 << 20  // bytes of a line
	MostFile = 64 << 20 // bytes of a file
)

// Lines reads spans, one on each line: with a map of attributes, as OpenTelemetry's console exporter writes them, as
// kensa stores them, or whole exports of OTLP. A line that is invalid, too long or cut is an error that names it; the
// other lines are read. The result has an error for each of the first ten bad lines, and one with the number of the
// others.
func Lines(in io.Reader, visit func(Span)) []error {
	var failed []error
	bad := 0
	fail := func(line int, err error) {
		if bad++; bad <= 10 {
			failed = append(failed, fmt.Errorf("line %d: %w", line, err))
		}
	}
	limited := &io.LimitedReader{R: in, N: MostFile + 1}
	r := bufio.NewReaderSize(limited, 64<<10)
	for n := 1; ; n++ {
		text, err := readLine(r)
		if limited.N == 0 {
			fail(n, fmt.Errorf("the file has more than %d MiB", MostFile>>20))
			break
		}
		if text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff"))); len(text) > 0 {
			if err := spanLine(text, visit); err != nil {
				fail(n, err)
			}
		}
		if errors.Is(err, errLong) {
			fail(n, err)
			continue
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fail(n, err)
			}
			break
		}
	}
	if bad > len(failed) {
		failed = append(failed, fmt.Errorf("and %d more", bad-len(failed)))
	}
	return failed
}

var errLong = fmt.Errorf("the line has more than %d MiB", MostLine>>20)

// readLine reads a line with its end. Of one that is too long nothing is kept.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for long := false; ; {
		piece, err := r.ReadSlice('\n')
		if long = long || len(line)+len(piece) > MostLine; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errors.Join(errLong, err)
		}
		return line, err
	}
}

// spanLine reads one line.
func spanLine(text []byte, visit func(Span)) error {
	if err := valid(text); err != nil {
		return err
	}
	d := document(text[jsonvalue.SkipSpace(text, 0):])
	switch {
	case d.kind() != '{':
		return fmt.Errorf("a span must be an object, found %s", ellipsis.Runes(string(d), 40))
	case d.get("resourceSpans").kind() == '[':
		return exportJSON(d, func(_ string, s Span) { visit(s) })
	case d.get("name", "span_id", "trace_id", "context", "attributes", "kind").missing():
		return fmt.Errorf("this is no span: it has none of name, trace_id, span_id, attributes and kind: %s",
			ellipsis.Runes(string(d), 80))
	case d.get("attributes").missing() && !isCamel(d) && d.get("kind").kind() == '"' &&
		!d.get("input", "output", "tools", "tokens", "model", "metadata").missing():
		visit(storedSpan(d))
	default:
		s, err := plainSpan(d)
		if err != nil {
			return err
		}
		visit(s)
	}
	return nil
}

// isCamel reports whether a line is one span as OTLP writes it.
func isCamel(d document) bool { return !d.get("startTimeUnixNano", "traceId").missing() }

// plainSpan reads a span whose attributes are members of an object.
func plainSpan(d document) (Span, error) {
	r := rawSpan{attrs: attributes{}}
	context, status := d.get("context"), d.get("status")
	r.Trace = id(d.get("trace_id", "traceId").or(context.get("trace_id")).str())
	r.ID = id(d.get("span_id", "spanId", "id").or(context.get("span_id")).str())
	r.Parent = id(d.get("parent_span_id", "parentSpanId", "parent_id").str())
	r.Name = d.get("name").str()
	r.Start, r.End = timeOf(d.get("start_time", "startTime").scalar()), timeOf(d.get("end_time", "endTime").scalar())
	if at := d.get("startTimeUnixNano"); !at.missing() {
		r.Start, r.End = nanosText(at.scalar()), nanosText(d.get("endTimeUnixNano").scalar())
	}
	r.status(status.get("status_code", "code").or(d.get("status_code", "statusCode")).or(status).scalar())
	r.message = status.get("description", "message").or(d.get("status_message", "statusMessage")).str()
	if own := d.get("error"); !own.missing() {
		r.fails(valueOf(own))
	}
	attributes := d.get("attributes")
	if name := misplaced(d); attributes.missing() && name != "" {
		return Span{}, fmt.Errorf("its attributes must stand under %q, found them under %q", "attributes", name)
	}
	if err := attributesJSON(r.attrs, attributes); err != nil {
		return Span{}, err
	}
	if kind := d.get("span_kind").str(); IsInferenceKind(kind) && r.attrs.text(InferenceKind) == "" {
		r.attrs.add(InferenceKind.Names()[0], value{text: kind})
	}
	if err := r.eventsJSON(d.get("events")); err != nil {
		return Span{}, err
	}
	return r.read(), nil
}

// misplaced is a member of a span that should be in its attributes; "": none.
func misplaced(d document) string {
	for name, v := range d.members {
		if isRead(name) && strings.Contains(name, ".") {
			return name
		}
		if name == "resource" {
			continue
		}
		for key := range v.members {
			if isRead(key) && strings.Contains(key, ".") {
				return name
			}
		}
		for item := range v.elements {
			if isRead(item.get("key").str()) {
				return name
			}
		}
	}
	return ""
}

// or is the value itself, or another where it is missing.
func (d document) or(other document) document {
	if d.missing() {
		return other
	}
	return d
}

// storedSpan reads a span as kensa stores it.
func storedSpan(d document) Span {
	tokens, cost := d.get("tokens"), d.get("cost")
	r := rawSpan{Span: Span{
		Trace: id(d.get("trace_id").str()), ID: id(d.get("span_id").str()), Parent: id(d.get("parent_span_id").str()),
		Name: d.get("name").str(), Start: timeOf(d.get("start_time").scalar()), End: timeOf(d.get("end_time").scalar()),
	}, attrs: attributes{}}
	r.status(d.get("status").scalar())
	for _, a := range []struct {
		of Field
		v  document
	}{
		{InferenceKind, d.get("kind")}, {ModelName, d.get("model")}, {ProviderName, d.get("provider")},
		{InputTokens, tokens.get("prompt")}, {OutputTokens, tokens.get("completion")}, {TotalTokens, tokens.get("total")},
		{CachedTokens, tokens.get("cache_read")}, {InputCostUSD, cost.get("prompt")},
		{OutputCostUSD, cost.get("completion")}, {CostUSD, cost.get("total")}, {OutputText, d.get("output")},
	} {
		if !a.v.missing() {
			names := a.of.Names()
			r.attrs[names[len(names)-1]] = valueOf(a.v)
		}
	}
	s := r.read()
	s.Tools = storedTools(d, &s)
	return s
}

// storedTools are the calls of a stored span.
func storedTools(d document, s *Span) (tools []Tool) {
	for item := range d.get("tools").elements {
		t := Tool{Name: item.get("name").str(), Args: item.get("args").text()}
		if result := item.get("result"); !result.missing() {
			t.Result, t.HasResult = cut(result.text(), MostText, "…"), true
		}
		tools = append(tools, t)
	}
	if s.Kind == ToolRun && len(tools) == 0 {
		return s.Tools
	}
	if output := d.get("output"); s.Kind == ToolRun && !tools[0].HasResult && !output.missing() {
		tools[0].Result, tools[0].HasResult = cut(output.get("value").or(output).text(), MostText, "…"), true
	}
	return tools
}
