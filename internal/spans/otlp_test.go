package spans

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/arena-evals/arena/internal/chat"
)

func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

func whole(n int64) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}
}

func list(items ...*common.AnyValue) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: items}}}
}

func object(members ...*common.KeyValue) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: members}}}
}

func attr(key string, v *common.AnyValue) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: v}
}

// export is an export of a program with every kind of value.
func export() *collector.ExportTraceServiceRequest {
	id := func(b byte) []byte { return []byte{b, 0, 0, 0, 0, 0, 0, b} }
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{
			attr("service.name", text("agent")), attr(TrialAttribute, text("refund/gpt#2")),
		}},
		ScopeSpans: []*trace.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: "x", Version: "1"},
			Spans: []*trace.Span{{
				TraceId: []byte("0123456789abcdef"), SpanId: id(1), Name: "chat m", Kind: trace.Span_SPAN_KIND_CLIENT,
				StartTimeUnixNano: 1_700_000_000_000_000_001, EndTimeUnixNano: 1_700_000_001_000_000_001,
				Attributes: []*common.KeyValue{
					attr("gen_ai.operation.name", text("chat")),
					attr("gen_ai.usage.input_tokens", whole(1<<38)),
					attr("gen_ai.usage.output_tokens", text("5")),
					attr("gen_ai.usage.cost", &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 0.125}}),
					attr("gen_ai.response.finish_reasons", list(text("stop"))),
					attr("gen_ai", object(attr("request", object(attr("model", text("m")))))),
					attr("http.request.body", text(strings.Repeat("unwanted", 3))),
				},
				Events: []*trace.Span_Event{{Name: "gen_ai.choice", Attributes: []*common.KeyValue{
					attr("message", object(
						attr("content", text("say \"hi\"\n")),
						attr("tool_calls", list(object(
							attr("id", text("c1")), attr("function", object(
								attr("name", text("f")), attr("arguments", text(`{"n":1}`)))))))))}}},
			}, {
				TraceId: []byte("0123456789abcdef"), SpanId: id(2), ParentSpanId: id(1), Name: "execute_tool f",
				StartTimeUnixNano: 1_700_000_001_000_000_002, EndTimeUnixNano: 1_700_000_001_000_000_003,
				DroppedAttributesCount: 2, Links: []*trace.Span_Link{{}},
				Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "no"},
				Attributes: []*common.KeyValue{
					attr("openinference.span.kind", text("TOOL")),
					attr("tool.parameters", object(attr("deep", list(
						&common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}, whole(-7), &common.AnyValue{},
						&common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte("hey")}})))),
					attr("output.value", text("done")),
				},
			}},
		}},
	}}}
}

func wantSpans() []string {
	cost := 0.125
	started := time.Unix(1_700_000_000, 1).UTC()
	return lines("refund/gpt#2", []Span{{
		Trace: "30313233343536373839616263646566", ID: "0100000000000001", Name: "chat m", Kind: Model,
		Start: started, End: started.Add(time.Second), Model: "m", CostUSD: &cost, Finish: "stop",
		Usage: &chat.Usage{InputTokens: 1 << 38, OutputTokens: 5}, Output: "say \"hi\"\n",
		Tools: []Tool{{ID: "c1", Name: "f", Args: `{"n":1}`}},
	}, {
		Trace: "30313233343536373839616263646566", ID: "0200000000000002", Parent: "0100000000000001",
		Name: "execute_tool f", Kind: ToolRun, Start: started.Add(time.Second + 1), End: started.Add(time.Second + 2),
		Failure: "no", Dropped: 2,
		Tools: []Tool{{Name: "f", Args: `{"deep":[true,-7,null,"aGV5"]}`, Result: "done", HasResult: true}},
	}})
}

// lines writes spans down, to compare them.
func lines(trial string, list []Span) (out []string) {
	for _, s := range list {
		usage, cost := "none", "none"
		if s.Usage != nil {
			usage = fmt.Sprintf("%+v", *s.Usage)
		}
		if s.CostUSD != nil {
			cost = fmt.Sprint(*s.CostUSD)
		}
		s.Usage, s.CostUSD = nil, nil
		out = append(out, fmt.Sprintf("%s %s %s %+v", trial, usage, cost, s))
	}
	return out
}

func gather(out *[]string) SpanFunc {
	return func(trial string, s Span) { *out = append(*out, lines(trial, []Span{s})...) }
}

func TestProtobuf(t *testing.T) {
	t.Parallel()
	data, err := proto.Marshal(export())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := Protobuf(data, gather(&got)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(wantSpans(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for end := range data { // a message that is cut anywhere is an error, or has fewer spans
		var cut []string
		if err := Protobuf(data[:end], gather(&cut)); err == nil && len(cut) > 0 {
			t.Errorf("cut at %d: %d spans and no error", end, len(cut))
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, camel := range []bool{true, false} {
		written := exportAsJSON(export(), camel)
		var got []string
		if err := JSON([]byte(written), gather(&got)); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(wantSpans(), got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, written)
		}
	}
}

// exportAsJSON writes an export as OTLP has it, with enums as numbers or, with names, as their names.
func exportAsJSON(e *collector.ExportTraceServiceRequest, names bool) string {
	var out strings.Builder
	out.WriteString(" {\"resourceSpans\":[")
	for _, r := range e.GetResourceSpans() {
		fmt.Fprintf(&out, `{"scopeSpans":[{"scope":{"name":"x"},"spans":[`)
		for i, s := range r.GetScopeSpans()[0].GetSpans() {
			if i > 0 {
				out.WriteByte(',')
			}
			code := fmt.Sprint(int(s.GetStatus().GetCode()))
			if names {
				code = `"` + s.GetStatus().GetCode().String() + `"`
			}
			fmt.Fprintf(&out, `{"traceId":"%s","spanId":"%s","parentSpanId":"%s","name":%q,"kind":3,`+
				`"startTimeUnixNano":"%d","endTimeUnixNano":%d,"droppedAttributesCount":%d,"status":{"code":%s,"message":%q},`+
				`"flags":1,"links":[],"attributes":[%s],"events":[`,
				strings.ToUpper(hex.EncodeToString(s.GetTraceId())), hex.EncodeToString(s.GetSpanId()),
				hex.EncodeToString(s.GetParentSpanId()), s.GetName(), s.GetStartTimeUnixNano(), s.GetEndTimeUnixNano(),
				s.GetDroppedAttributesCount(), code, s.GetStatus().GetMessage(), attrsAsJSON(s.GetAttributes()))
			for _, ev := range s.GetEvents() {
				fmt.Fprintf(&out, `{"name":%q,"timeUnixNano":"0","attributes":[%s]}`, ev.GetName(),
					attrsAsJSON(ev.GetAttributes()))
			}
			out.WriteString("]}")
		}
		fmt.Fprintf(&out, `]}],"resource":{"attributes":[%s]}}`, attrsAsJSON(r.GetResource().GetAttributes()))
	}
	return out.String() + "]}\n"
}

func attrsAsJSON(list []*common.KeyValue) string {
	var out []string
	for _, kv := range list {
		out = append(out, fmt.Sprintf(`{"key":%q,"value":%s}`, kv.GetKey(), anyAsJSON(kv.GetValue())))
	}
	return strings.Join(out, ",")
}

func anyAsJSON(v *common.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return fmt.Sprintf(`{"stringValue":%s}`, quote(v.StringValue))
	case *common.AnyValue_BoolValue:
		return fmt.Sprintf(`{"boolValue":%t}`, v.BoolValue)
	case *common.AnyValue_IntValue:
		return fmt.Sprintf(`{"intValue":"%d"}`, v.IntValue)
	case *common.AnyValue_DoubleValue:
		return fmt.Sprintf(`{"doubleValue":%g}`, v.DoubleValue)
	case *common.AnyValue_BytesValue:
		return `{"bytesValue":"aGV5"}`
	case *common.AnyValue_ArrayValue:
		var items []string
		for _, item := range v.ArrayValue.GetValues() {
			items = append(items, anyAsJSON(item))
		}
		return fmt.Sprintf(`{"arrayValue":{"values":[%s]}}`, strings.Join(items, ","))
	case *common.AnyValue_KvlistValue:
		return fmt.Sprintf(`{"kvlistValue":{"values":[%s]}}`, attrsAsJSON(v.KvlistValue.GetValues()))
	}
	return "{}"
}

// TestNoExport: anything but an export of traces is an error.
func TestNoExport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{``, "not JSON: unexpected end of JSON input at byte 0"},
		{`[]`, "no export of traces: it must be an object with a list resourceSpans"},
		{`{"resourceSpans":{}}`, "no export of traces: it must be an object with a list resourceSpans"},
		{`{"resourceSpans":[{"scopeSpans":[{"spans":[1,{"name":"x"},2]}]}]}`, "a span must be an object, found 1"},
		{`{"resourceSpans":[}`, "not JSON: invalid character '}' looking for beginning of value at byte 19"},
		{`{"resourceSpans":[]}`, ""},
		{`{}`, ""},
	} {
		names := ""
		if err := JSON([]byte(c.text), func(string, Span) {}); err != nil {
			names = err.Error()
		}
		if names != c.want {
			t.Errorf("%s: %q, want %q", c.text, names, c.want)
		}
	}
	if err := Protobuf([]byte("\x0a\x02\x12\x00 and more"), func(string, Span) {}); err == nil {
		t.Error("text was taken for protobuf")
	}
}

// TestDeep: the nesting depth is limited.
func TestDeep(t *testing.T) {
	t.Parallel()
	v := text("x")
	for range 5_000 {
		v = list(v)
	}
	e := export()
	e.ResourceSpans[0].ScopeSpans[0].Spans[1].Attributes[1].Value = v
	data, err := proto.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := Protobuf(data, func(string, Span) { n++ }); err != nil || n != 2 {
		t.Errorf("%d spans, %v", n, err)
	}
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 3_000) + strings.Repeat("]}}", 3_000)
	err = JSON([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x","attributes":[{"key":"tool.parameters",`+
		`"value":`+deep+`}]}]}]}]}`), func(string, Span) { n++ })
	if err != nil || n != 3 {
		t.Errorf("%d spans, %v", n, err)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(exportAsJSON(export(), true)))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"llm","value":{}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, func(visit SpanFunc) error { return JSON(data, visit) }) })
}

func FuzzProtobuf(f *testing.F) {
	data, err := proto.Marshal(export())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, func(visit SpanFunc) error { return Protobuf(data, visit) }) })
}

func FuzzLines(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		hold(t, func(visit SpanFunc) error {
			Lines(strings.NewReader(string(data)), func(s Span) { visit("", s) })
			return nil
		})
	})
}

// hold reads spans of any form, and checks what must hold for all.
func hold(t *testing.T, read func(SpanFunc) error) {
	var all []Span
	_ = read(func(_ string, s Span) { all = append(all, s) }) // most of it is no export
	trace := NewTrace(all)
	asked := 0
	for i := range trace.Spans {
		asked += len(trace.Spans[i].Tools)
		if d := trace.Depth(i); d < 0 || d > deepest {
			t.Errorf("depth %d", d)
		}
	}
	if len(trace.Calls()) > asked {
		t.Errorf("%d calls of %d", len(trace.Calls()), asked)
	}
	if trace.Duration() < 0 {
		t.Errorf("it took %v", trace.Duration())
	}
}

// TestDamaged reads exports with changed bytes.
func TestDamaged(t *testing.T) {
	t.Parallel()
	data, err := proto.Marshal(export())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		damaged := slices.Clone(data)
		for range 1 + r.IntN(8) {
			damaged[r.IntN(len(damaged))] = byte(r.IntN(256))
		}
		hold(t, func(visit SpanFunc) error { return Protobuf(damaged, visit) })
	}
}
