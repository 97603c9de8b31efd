package otlp

import (
	"math"
	"time"
)

// The shapes of OTLP's JSON encoding, as far as traces need them: ids are hexadecimal, 64-bit numbers are texts, enums
// are numbers (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope scope `json:"scope"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// The kinds of spans, and the statuses.
const (
	internal    = 1
	client      = 3
	statusError = 2
)

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      int64       `json:"startTimeUnixNano,string"`
	End        int64       `json:"endTimeUnixNano,string"`
	Attributes []attribute `json:"attributes,omitempty"`
	Events     []spanEvent `json:"events,omitempty"`
	Links      []link      `json:"links,omitempty"`
	Status     *status     `json:"status,omitempty"`
}

// link points to a span of another trace.
type link struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type spanEvent struct {
	Time       int64       `json:"timeUnixNano,string"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes,omitempty"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is the value of an attribute. One of its fields is set.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *int64   `json:"intValue,omitempty,string"`
	Double *float64 `json:"doubleValue,omitempty"`
	Array  *array   `json:"arrayValue,omitempty"`
}

type array struct {
	Values []value `json:"values"`
}

// text adds an attribute, unless the value is empty.
func (s *span) text(key, v string) { s.Attributes = text(s.Attributes, key, v) }

func text(list []attribute, key, v string) []attribute {
	if v == "" {
		return list
	}
	return append(list, attribute{key, value{String: &v}})
}

// texts adds an attribute with a list.
func (s *span) texts(key string, list ...string) {
	a := &array{}
	for _, v := range list {
		if v != "" {
			a.Values = append(a.Values, value{String: &v})
		}
	}
	if len(a.Values) > 0 {
		s.Attributes = append(s.Attributes, attribute{key, value{Array: a}})
	}
}

func (s *span) setInt(key string, v int64) {
	s.Attributes = append(s.Attributes, attribute{key, value{Int: &v}})
}

// number adds an attribute, unless the number is unknown or JSON cannot hold it.
func (s *span) number(key string, v *float64) { s.Attributes = number(s.Attributes, key, v) }

func number(list []attribute, key string, v *float64) []attribute {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return list
	}
	return append(list, attribute{key, value{Double: v}})
}

func (s *span) flag(key string, v bool) {
	if v {
		s.Attributes = append(s.Attributes, attribute{key, value{Bool: &v}})
	}
}

// fail marks the span as failed. kind is one of a few fixed words.
func (s *span) fail(kind, message string) {
	s.text("error.type", kind)
	s.Status = &status{Message: message, Code: statusError}
}

// end ends the span, at its start at the earliest.
func (s *span) end(at time.Time) { s.End = max(nanos(at), s.Start) }

// nanos is a time since 1970; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
