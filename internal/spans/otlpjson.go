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

// SpanFunc receives each span of an export, with the arena.trial of its resource; "": none.
type SpanFunc func(trial string, s Span)

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
func JSON(text []byte, visit SpanFunc) error {
	if err := valid(text); err != nil {
		return err
	}
	at := jsonvalue.SkipSpace(text, 0)
	return exportJSON(document(text[at:]), visit)
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

func exportJSON(d document, visit SpanFunc) error {
	list := d.get("resourceSpans", "resource_spans")
	if d.kind() != '{' || list.kind() != '[' && !list.missing() {
		return errors.New("no export of traces: it must be an object with a list resourceSpans")
	}
	var bad BadSpans
	err := exportShape.members(d, func(_ string, list document) error {
		for item := range list.elements {
			if err := resourceJSON(item, visit, &bad); err != nil {
				bad.add(err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return bad.result()
}

// resourceJSON reads the spans of a resource.
func resourceJSON(d document, visit SpanFunc, bad *BadSpans) error {
	trial := trialOf(d.get("resource").get("attributes"))
	return resourceShape.members(d, func(name string, scopes document) error {
		if scopes.kind() != '[' {
			return nil
		}
		for scope := range scopes.elements {
			err := scopeShape.members(scope, func(name string, list document) error {
				if name != "spans" {
					return nil
				}
				for item := range list.elements {
					if s, err := spanJSON(item); err != nil {
						bad.add(err)
					} else {
						visit(trial, s)
					}
				}
				return nil
			})
			if err != nil {
				bad.add(err)
			}
		}
		return nil
	})
}

// trialOf is the trial that the attributes of a resource name.
func trialOf(attributes document) string {
	for item := range attributes.elements {
		if item.get("key").str() == TrialAttribute {
			v, _ := anyJSON(item.get("value"), 0) // damage to it is not of a span
			return v.scalar()
		}
	}
	return attributes.get(TrialAttribute).scalar()
}

// spanJSON reads a span of OTLP.
func spanJSON(d document) (Span, error) {
	r := rawSpan{attrs: attributes{}}
	err := spanShape.members(d, func(name string, v document) (err error) {
		switch name {
		case "traceid":
			r.Trace = id(v.str())
		case "spanid":
			r.ID = id(v.str())
		case "parentspanid":
			r.Parent = id(v.str())
		case "name":
			r.Name = v.str()
		case "starttimeunixnano":
			r.Start = nanosText(v.scalar())
		case "endtimeunixnano":
			r.End = nanosText(v.scalar())
		case "attributes":
			return attributesJSON(r.attrs, v)
		case "droppedattributescount":
			if r.Dropped, err = strconv.Atoi(v.scalar()); err != nil {
				return fmt.Errorf("droppedAttributesCount of a span must be a number: %w", err)
			}
		case "events":
			return r.eventsJSON(v)
		case "status":
			r.status(v.get("code").or(v).scalar())
			r.message = v.get("message").str()
		}
		return nil
	})
	if err != nil {
		return Span{}, err
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
func attributesJSON(attrs attributes, d document) error {
	if !d.missing() && !d.beginsWith("[{") {
		return fmt.Errorf("the attributes of a span must be a list or an object, found %s", ellipsis.Runes(string(d), 40))
	}
	for item := range d.elements {
		key, raw, err := attributeIn(item)
		if err != nil {
			return err
		}
		if !isRead(key) && !nests(key) {
			continue
		}
		v, err := anyJSON(raw, 0)
		if err != nil {
			return err
		}
		attrs.add(key, valueOf(v))
	}
	for key := range d.members {
		if _, err := strconv.Atoi(key); err == nil {
			return fmt.Errorf("the attributes of a span are an object whose first name is %q: a list is meant", key)
		}
	}
	attrs.addAll(d)
	return nil
}

func (r *rawSpan) eventsJSON(d document) error {
	if !d.missing() && d.kind() != '[' {
		return fmt.Errorf("the events of a span must be a list, found %s", ellipsis.Runes(string(d), 40))
	}
	for event := range d.elements {
		if event.kind() != '{' {
			return fmt.Errorf("an event of a span must be an object, found %s", ellipsis.Runes(string(event), 40))
		}
		if !r.noteEvent(event.get("name").str()) {
			continue
		}
		members := map[string]document{}
		for item := range event.get("attributes").elements {
			key, raw, err := attributeIn(item)
			if err != nil {
				return err
			}
			if members[key], err = anyJSON(raw, 0); err != nil {
				return err
			}
		}
		maps.Insert(members, event.get("attributes").members)
		r.event(members)
	}
	return nil
}

const deepest = 100 // nesting of a value

// anyJSON makes plain JSON of a typed value. A plain one is what programs write that do without the types.
func anyJSON(d document, depth int) (plain document, err error) {
	plain = document("null")
	if depth > deepest {
		return plain, nil
	}
	if k := d.kind(); k != '{' && k != 0 {
		for item := range d.elements {
			if item.beginsWith("{[") && valueShape.members(item, func(string, document) error { return nil }) == nil {
				return nil, fmt.Errorf("the value of an attribute must be an object, found a list of such: %s",
					ellipsis.Runes(string(d), 40))
			}
		}
		return d, nil
	}
	if d.kind() == 0 {
		return plain, nil
	}
	err = valueShape.members(d, func(name string, v document) (err error) {
		switch name {
		case "doublevalue", "intvalue": // a text for numbers of 64 bits
			if n, err := strconv.ParseInt(v.scalar(), 10, 64); err == nil {
				plain = strconv.AppendInt(nil, n, 10)
			} else if n, err := strconv.ParseFloat(v.scalar(), 64); err == nil {
				plain = numberText(n)
			} else {
				return fmt.Errorf("the value of an attribute is no number: %s", ellipsis.Runes(string(v), 40))
			}
		case "arrayvalue", "kvlistvalue":
			values := v.get("values")
			if !values.missing() && values.kind() != '[' {
				return fmt.Errorf("the values of an attribute must be a list, found %s", ellipsis.Runes(string(values), 40))
			}
			if name == "arrayvalue" {
				plain, err = listJSON(values, depth)
			} else {
				plain, err = mapJSON(values, depth)
			}
		default:
			plain = v
		}
		return err
	})
	return plain, err
}

// listJSON makes plain JSON of a list of typed values.
func listJSON(values document, depth int) (document, error) {
	out := document{'['}
	for item := range values.elements {
		v, err := anyJSON(item, depth+1)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']'), nil
}

// mapJSON makes a plain object of a list of keys and typed values.
func mapJSON(values document, depth int) (document, error) {
	out := document{'{'}
	for item := range values.elements {
		key, raw, err := attributeIn(item)
		if err != nil {
			return nil, err
		}
		v, err := anyJSON(raw, depth+1)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(key)...), ':'), v...)
	}
	return append(out, '}'), nil
}
