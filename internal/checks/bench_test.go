package checks

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// benchParams has parameters for each check, under which benchReply passes.
var benchParams = map[string]string{
	"contains":             `{"patterns": ["order", "sku-39", "Vienna"]}`,
	"contains_any":         `{"patterns": ["lawsuit", "regret", "vienna"]}`,
	"content_excludes":     `{"patterns": ["guaranteed", "risk-free", "always", "cost"], "match_mode": "word_boundary"}`,
	"cost_budget":          `{"max_cost_usd": 1, "max_total_tokens": 1000}`,
	"json_path":            `{"expression": "items[?qty > ` + "`38`" + `].sku", "expected": ["sku-39"]}`,
	"json_schema":          `{"schema": {"properties": {"items": {"items": {"required": ["sku", "qty"]}}}}}`,
	"json_valid":           `{}`,
	"latency_budget":       `{"max_ms": 1000}`,
	"max_length":           `{"max": 4000}`,
	"min_length":           `{"min": 100}`,
	"regex":                `{"pattern": "(?i)\"city\": *\"vienna\""}`,
	"sentence_count":       `{"max": 100}`,
	"tool_call_count":      `{"max": 5}`,
	"tool_calls_with_args": `{"tool_name": "get_order", "expected_args": {"id": 42}}`,
	"tools_called":         `{"tool_names": ["get_order"]}`,
	"tools_not_called":     `{"tool_names": ["issue_refund", "delete_account"]}`,
}

// benchReply is about 2 KB of JSON.
func benchReply() string {
	var b strings.Builder
	b.WriteString(`{"order": 7, "city": "Vienna", "items": [`)
	for i := range 40 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"sku": "sku-%d", "qty": %d, "title": "thing %d"}`, i, i, i)
	}
	return b.String() + "]}"
}

func benchSubject(reply string) Subject {
	return Subject{
		Messages: []chat.Message{{Role: chat.User, Content: "hi"}, {Role: chat.Assistant, Content: reply}},
		Calls:    []Call{{Name: "get_order", Args: map[string]any{"id": "42"}, Result: "ok"}},
		CostUSD:  ptr(0.01), InputTokens: ptr(100), OutputTokens: ptr(50), LatencyMS: ptr(10.0),
	}
}

// BenchmarkChecks judges a fresh subject each time, so that folding and decoding count.
func BenchmarkChecks(b *testing.B) {
	reply := benchReply()
	for _, d := range Builtin() {
		compiled, problems := compileJSON(&Compiler{}, d.Name, benchParams[d.Name], scopeTurn, nil)
		if compiled == nil {
			b.Fatalf("%s: %v", d.Name, problems)
		}
		b.Run(d.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := benchSubject(reply)
				if v := compiled.Judge(b.Context(), &s); v.Status != result.Passed {
					b.Fatal(v.Status, v.Explanation, v.Error)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, d := range Builtin() {
		spec := benchSpec(b, d.Name)
		c := &Compiler{}
		b.Run(d.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var problems diag.List
				if c.Compile(spec, &problems) == nil {
					b.Fatal(problems.Sorted())
				}
			}
		})
	}
}

func benchSpec(tb testing.TB, name string) *scenario.Check {
	tb.Helper()
	var problems diag.List
	docs := node.Parse(&node.Reader{File: "p.json", Diags: &problems}, []byte(benchParams[name]))
	if len(docs) != 1 {
		tb.Fatalf("%s: %v", name, problems.Sorted())
	}
	pos := diag.Pos{File: "p.json", Line: 1, Col: 1}
	return &scenario.Check{Type: name, Pos: pos, Params: docs[0], ParamsPos: pos}
}

// Ten thousand scenarios with nine checks each must fit into memory beside everything else.
func TestCompiledChecksAreSmall(t *testing.T) {
	const scenarios, budget = 500, 3 << 10
	names := []string{
		"contains", "content_excludes", "regex", "min_length", "max_length", "json_schema", "json_path", "tools_called",
		"tool_calls_with_args",
	}
	c := &Compiler{}
	kept := make([]*Compiled, 0, scenarios*len(names))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range scenarios {
		for _, name := range names {
			var problems diag.List
			kept = append(kept, c.Compile(benchSpec(t, name), &problems))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / scenarios
	t.Logf("%d bytes for the %d checks of a scenario", each, len(names))
	if each > budget {
		t.Errorf("%d bytes for the %d checks of a scenario, at most %d allowed", each, len(names), budget)
	}
	runtime.KeepAlive(kept)
}
