// Package otlptest is an OpenTelemetry collector for tests. It reads requests by the definitions of the protocol, so
// that what it does not know is an error.
package otlptest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Collector takes traces over HTTP. Its methods are safe for concurrent use.
type Collector struct {
	*httptest.Server
	// Answer, unless it is nil, answers the n-th request, from 0, in the place of the collector; false leaves that to it.
	Answer func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []*http.Request
	batches  []*collectorpb.ExportTraceServiceRequest
	problems []error
}

// New starts a collector. answer may be nil.
func New(answer func(n int, w http.ResponseWriter, r *http.Request) bool) *Collector {
	c := &Collector{Answer: answer}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	return c
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	n := len(c.requests)
	c.requests = append(c.requests, r)
	c.mu.Unlock()
	if c.Answer != nil && c.Answer(n, w, r) {
		return
	}
	if err == nil {
		err = c.take(r, body)
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		c.mu.Lock()
		c.problems = append(c.problems, err)
		c.mu.Unlock()
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()}) // the client may have left
		return
	}
	_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
}

func (c *Collector) take(r *http.Request, body []byte) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("%s %s with %q", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(unpacked); err != nil {
			return err
		}
	}
	batch, err := Decode(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batches = append(c.batches, batch)
	return nil
}

// Decode reads a request. OTLP writes ids in hexadecimal, where JSON of protobuf uses base64; nothing else differs.
func Decode(body []byte) (*collectorpb.ExportTraceServiceRequest, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if err := rewriteIDs(doc); err != nil {
		return nil, err
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	batch := &collectorpb.ExportTraceServiceRequest{}
	return batch, protojson.Unmarshal(body, batch)
}

// idBytes is the length of the ids.
var idBytes = map[string]int{"traceId": 16, "spanId": 8, "parentSpanId": 8}

func rewriteIDs(v any) error {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := rewriteIDs(item); err != nil {
				return err
			}
		}
	case jsonvalue.Object:
		for key, item := range v {
			if n := idBytes[key]; n > 0 {
				text, _ := item.(string)
				id, err := hex.DecodeString(text)
				if err != nil || len(id) != n || !slices.ContainsFunc(id, func(b byte) bool { return b != 0 }) {
					return fmt.Errorf("%s cannot be %v", key, item)
				}
				v[key] = base64.StdEncoding.EncodeToString(id)
				continue
			}
			if err := rewriteIDs(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// Requests are all received requests, including those that Answer handled.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// Problems are why requests were refused.
func (c *Collector) Problems() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.problems)
}

// Resource is the attributes of the resource of the first batch; nil when none came.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.batches) == 0 {
		return nil
	}
	return Attributes(c.batches[0].ResourceSpans[0].Resource.Attributes)
}

// Spans are all that came, in their order.
func (c *Collector) Spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*tracepb.Span
	for _, batch := range c.batches {
		for _, r := range batch.ResourceSpans {
			for _, s := range r.ScopeSpans {
				all = append(all, s.Spans...)
			}
		}
	}
	return all
}

// Attributes are attributes as texts.
func Attributes(list []*commonpb.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		out[kv.Key] = valueText(kv.Value)
	}
	return out
}

func valueText(v *commonpb.AnyValue) string {
	switch v := v.Value.(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_IntValue:
		return fmt.Sprint(v.IntValue)
	case *commonpb.AnyValue_DoubleValue:
		return fmt.Sprint(v.DoubleValue)
	case *commonpb.AnyValue_BoolValue:
		return fmt.Sprint(v.BoolValue)
	case *commonpb.AnyValue_ArrayValue:
		var items []string
		for _, item := range v.ArrayValue.Values {
			items = append(items, valueText(item))
		}
		return "[" + strings.Join(items, " ") + "]"
	}
	return fmt.Sprintf("%T", v.Value)
}

// Tree draws the spans under each other, each with its attributes and events in the order in which they were sent.
func (c *Collector) Tree() string {
	spans := c.Spans()
	slices.SortStableFunc(spans, func(a, b *tracepb.Span) int {
		if a.StartTimeUnixNano < b.StartTimeUnixNano {
			return -1
		}
		if a.StartTimeUnixNano > b.StartTimeUnixNano {
			return 1
		}
		return 0
	})
	var b strings.Builder
	var draw func(parent, indent string)
	draw = func(parent, indent string) {
		for _, s := range spans {
			if string(s.ParentSpanId) == parent {
				drawSpan(&b, s, indent)
				draw(string(s.SpanId), indent+"  ")
			}
		}
	}
	draw("", "")
	return b.String()
}

func drawSpan(b *strings.Builder, s *tracepb.Span, indent string) {
	kind := strings.ToLower(strings.TrimPrefix(s.Kind.String(), "SPAN_KIND_"))
	fmt.Fprintf(b, "%s%s (%s) %x %d+%dms", indent, s.Name, kind, s.SpanId, s.StartTimeUnixNano/1e6,
		(s.EndTimeUnixNano-s.StartTimeUnixNano)/1e6)
	if st := s.Status; st != nil {
		fmt.Fprintf(b, " %s %q", strings.ToLower(strings.TrimPrefix(st.Code.String(), "STATUS_CODE_")), st.Message)
	}
	b.WriteByte('\n')
	drawAttributes(b, s.Attributes, indent+"  · ")
	for _, l := range s.Links {
		fmt.Fprintf(b, "%s  → span %x of trace %x\n", indent, l.SpanId, l.TraceId)
	}
	for _, e := range s.Events {
		fmt.Fprintf(b, "%s  ! %s\n", indent, e.Name)
		drawAttributes(b, e.Attributes, indent+"    · ")
	}
}

func drawAttributes(b *strings.Builder, list []*commonpb.KeyValue, indent string) {
	for _, kv := range list {
		fmt.Fprintf(b, "%s%s = %s\n", indent, kv.Key, valueText(kv.Value))
	}
}
