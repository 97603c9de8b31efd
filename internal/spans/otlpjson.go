package spans

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Told is what hears of the spans of an export: a span, and the arena.trial of its resource; "" is none.
type Told func(trial string, s Span)

// TrialAttribute is the attribute of a resource that names the trial whose spans it has.
const TrialAttribute = "arena.trial"

// BadSpans is the error of an export of which some spans could not be read.
type BadSpans struct {
	Count int
	First error
}

func (e *BadSpans) Error() string { return e.First.Error() }
func (e *BadSpans) Unwrap() error { return e.First }

// add counts a span that could not be read.
func (e *BadSpans) add(err error) {
	if e.Count++; e.First == nil {
		e.First = err
	}
}

// result is the error; nil when all spans could be read.
func (e *BadSpans) result() error {
	if e.Count == 0 {
		return nil
	}
	return e
}

// JSON reads an export of OTLP as JSON. Spans that cannot be read are a *BadSpans behind the others; any other error
// says that the text is no export.
func JSON(text []byte, told Told) error {
	if err := valid(text); err != nil {
		return err
	}
	at := jsonvalue.SkipSpace(text, 0)
	return exportJSON(document(text[at:]), told)
}

func valid(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("not JSON: %w", err)
}

func exportJSON(d document, told Told) error {
	list := d.get("resourceSpans", "resource_spans")
	if d.kind() != '{' || list.kind() != '[' && !list.missing() {
		return errors.New("no export of traces: it must be an object with a list resourceSpans")
	}
	var bad BadSpans
	for resource := range list.elements {
		trial := trialOf(resource.get("resource").get("attributes"))
		for _, scopes := range []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans"} {
			for scope := range resource.get(scopes).elements {
				for item := range scope.get("spans").elements {
					s, err := spanJSON(item)
					if err != nil {
						bad.add(err)
						continue
					}
					told(trial, s)
				}
			}
		}
	}
	return bad.result()
}

// trialOf is the trial that the attributes of a resource name.
func trialOf(attributes document) string {
	for item := range attributes.elements {
		if item.get("key").str() == TrialAttribute {
			return anyJSON(item.get("value"), 0).scalar()
		}
	}
	return attributes.get(TrialAttribute).scalar()
}

// spanJSON reads a span of OTLP.
func spanJSON(d document) (Span, error) {
	if d.kind() != '{' {
		return Span{}, fmt.Errorf("a span must be an object, found %s", ellipsis.Runes(string(d), 40))
	}
	r := rawSpan{attrs: attributes{}}
	var failed error
	for key, v := range d.members {
		switch key {
		case "traceId", "trace_id":
			r.Trace = id(v.str())
		case "spanId", "span_id":
			r.ID = id(v.str())
		case "parentSpanId", "parent_span_id":
			r.Parent = id(v.str())
		case "name":
			r.Name = v.str()
		case "startTimeUnixNano", "start_time_unix_nano":
			r.Start = nanosText(v.scalar())
		case "endTimeUnixNano", "end_time_unix_nano":
			r.End = nanosText(v.scalar())
		case "attributes":
			attributesJSON(r.attrs, v)
		case "droppedAttributesCount", "dropped_attributes_count":
			if !v.missing() {
				r.Dropped, failed = strconv.Atoi(v.scalar())
			}
		case "events":
			r.eventsJSON(v)
		case "status":
			r.status(v.get("code").scalar())
			r.message = v.get("message").str()
		}
	}
	if failed != nil {
		return Span{}, fmt.Errorf("droppedAttributesCount of a span must be a number: %w", failed)
	}
	return r.read(), nil
}

// nanosText is a time in nanoseconds since 1970, of 64 bits, which may be a text.
func nanosText(number string) time.Time {
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return nanos(n)
}

// attributesJSON reads a list of {key, value}, or an object.
func attributesJSON(attrs attributes, d document) {
	for item := range d.elements {
		if key := item.get("key").str(); key != "" && (wanted(key) || nests(key)) {
			attrs.add(key, valueOf(anyJSON(item.get("value"), 0)))
		}
	}
	attrs.addAll(d)
}

func (r *rawSpan) eventsJSON(d document) {
	for event := range d.elements {
		if !r.noteEvent(event.get("name").str()) {
			continue
		}
		members := map[string]document{}
		for item := range event.get("attributes").elements {
			members[item.get("key").str()] = anyJSON(item.get("value"), 0)
		}
		maps.Insert(members, event.get("attributes").members)
		r.event(members)
	}
}

const deepest = 100 // nesting of a value

// anyJSON makes plain JSON of a typed value.
func anyJSON(d document, depth int) document {
	if depth > deepest {
		return document("null")
	}
	for name, v := range d.members {
		switch name {
		case "stringValue", "string_value", "boolValue", "bool_value", "bytesValue", "bytes_value":
			return v
		case "doubleValue", "double_value", "intValue", "int_value": // a text for numbers of 64 bits
			if n, err := strconv.ParseInt(v.scalar(), 10, 64); err == nil {
				return strconv.AppendInt(nil, n, 10)
			}
			if n, err := strconv.ParseFloat(v.scalar(), 64); err == nil {
				return numberText(n)
			}
			return document("null")
		case "arrayValue", "array_value":
			out := document{'['}
			for item := range v.get("values").elements {
				if len(out) > 1 {
					out = append(out, ',')
				}
				out = append(out, anyJSON(item, depth+1)...)
			}
			return append(out, ']')
		case "kvlistValue", "kvlist_value":
			out := document{'{'}
			for item := range v.get("values").elements {
				key := item.get("key")
				if key.kind() != '"' {
					continue
				}
				if len(out) > 1 {
					out = append(out, ',')
				}
				out = append(append(append(out, key...), ':'), anyJSON(item.get("value"), depth+1)...)
			}
			return append(out, '}')
		}
	}
	if k := d.kind(); k != '{' && k != 0 {
		return d // as programs write it that do without the types
	}
	return document("null")
}
