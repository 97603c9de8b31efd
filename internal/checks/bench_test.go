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

// benchParams has parameters for each check with which benchReply passes.
var benchParams = map[string]string{
	"a2a_eval":             `{"agent_url": "https://judge.example.com", "criteria": "It lists the items."}`,
	"rest_eval":            `{"url": "https://evals.example.com/score", "include_tool_calls": true}`,
	"answer_relevancy":     `{}`,
	"bias":                 `{}`,
	"contextual_precision": `{"contexts": ["Vienna is a city.", "Orders have items."]}`,
	"contextual_recall":    `{"contexts": ["Vienna is a city."], "reference": "Order 7 goes to Vienna."}`,
	"contextual_relevancy": `{"contexts": ["Vienna is a city.", "Orders have items."]}`,
	"faithfulness":         `{"context_from_tool": "get_order"}`,
	"hallucination":        `{"context": "Order 7 goes to Vienna."}`,
	"judge_verdict":        `{"criteria": "The order is shown."}`,
	"llm_judge":            `{"criteria": "It lists the items.", "rubric": "One tenth an item.", "votes": 3}`,
	"llm_judge_session":    `{"criteria": "It lists the items."}`,
	"llm_judge_tool_calls": `{"criteria": "It looks before it draws."}`,
	"pii_leakage":          `{}`,
	"role_violation":       `{"agent_role": "You list orders."}`,
	"toxicity":             `{}`,

	"all_of":            `{"checks": [{"type": "contains", "params": {"patterns": "order"}}, {"type": "json_valid"}]}`,
	"any_of":            `{"checks": [{"type": "contains", "params": {"patterns": "lawsuit"}}, {"type": "json_valid"}]}`,
	"bleu":              `{"reference": "{\"order\": 7, \"city\": \"Vienna\"}", "min_score": 0.001}`,
	"contains_json":     `{"schema": {"required": ["order", "items"]}}`,
	"cosine_similarity": `{"reference": [3, 4, 0], "min_similarity": 0.9}`,
	"ends_with":         `{"value": "]}"}`,
	"equals":            `{"value": "{\"order\": 8}", "min_score": 0}`,
	"field_presence":    `{"fields": ["order", "city", "items"]}`,
	"finish_reason":     `{"reasons": "stop"}`,
	"is_html":           `{}`,
	"is_refusal":        `{"expect": false}`,
	"is_sql":            `{}`,
	"is_xml":            `{"elements": ["list/item/sku"]}`,
	"levenshtein":       `{"reference": "order 7, Vienna, 40 items", "min_similarity": 0.005}`,
	"max_cost":          `{"max_usd": 1}`,
	"max_duration":      `{"max_seconds": 10}`,
	"max_turns":         `{"max": 3}`,
	"not":               `{"check": {"type": "contains", "params": {"patterns": "lawsuit"}}}`,
	"output_contains":   `{"value": "vienna"}`,
	"output_matches":    `{"pattern": "sku-3\\d"}`,
	"rouge":             `{"reference": "order 7, Vienna, 40 items", "measure": "recall", "min_score": 0.5}`,
	"starts_with":       `{"value": "{"}`,
	"weighted": `{"threshold": 0.5, "checks": [{"type": "json_valid", "weight": 2},
		{"type": "contains", "params": {"patterns": "lawsuit"}}]}`,
	"word_count":       `{"min": 100, "max": 400}`,
	"contains":         `{"patterns": ["order", "sku-39", "Vienna"]}`,
	"contains_any":     `{"patterns": ["lawsuit", "regret", "vienna"]}`,
	"content_excludes": `{"patterns": ["guaranteed", "risk-free", "always", "cost"], "match_mode": "word_boundary"}`,
	"cost_budget":      `{"max_cost_usd": 1, "max_total_tokens": 1000}`,
	"json_path":        `{"expression": "items[?qty > ` + "`38`" + `].sku", "expected": ["sku-39"]}`,
	"json_schema":      `{"schema": {"properties": {"items": {"items": {"required": ["sku", "qty"]}}}}}`,
	"json_valid":       `{}`,
	"latency_budget":   `{"max_ms": 1000}`,
	"max_length":       `{"max": 4000}`,
	"min_length":       `{"min": 100}`,
	"regex":            `{"pattern": "(?i)\"city\": *\"vienna\""}`,
	"sentence_count":   `{"max": 100}`,

	"agent_invoked":                 `{"agent_names": ["get_order"]}`,
	"agent_not_invoked":             `{"agent_names": ["fraud-agent"]}`,
	"agent_response_contains":       `{"agent_name": "get_order", "patterns": ["ok"]}`,
	"audio_duration":                `{"min_seconds": 0.5}`,
	"audio_format":                  `{"formats": ["mp3", "wav"]}`,
	"composition_branch_taken":      `{"branch": "route", "expected": "billing"}`,
	"composition_output":            `{"contains": "sku-39"}`,
	"composition_parallel_complete": `{"parallel": "fanout"}`,
	"composition_step_output":       `{"step": "draft"}`,
	"directional":                   `{"check": "same_outcome", "baseline_state": "closed"}`,
	"guardrail_triggered":           `{"guardrail": "banned_words", "should_trigger": false}`,
	"image_dimensions":              `{"width": 64}`,
	"image_format":                  `{"formats": ["png"]}`,
	"invariant_fields_preserved":    `{"tool": "get_order", "fields": ["id"]}`,
	"no_repeat_calls":               `{}`,
	"no_tool_errors":                `{}`,
	"outcome_equivalent":            `{"metric": "final_state", "expected_state": "closed"}`,
	"skill_activated":               `{"skill_names": ["pdf"]}`,
	"skill_activation_order":        `{"sequence": ["pdf"]}`,
	"skill_not_activated":           `{"skill_names": ["admin"]}`,
	"spoke_in_state":                `{"state": "closed"}`,
	"tool_anti_pattern":             `{"patterns": [{"sequence": ["draw", "get_order"]}]}`,
	"tool_args":                     `{"tool_name": "get_order", "expected_args": {"id": 42}}`,
	"tool_args_excluded_session":    `{"tool_name": "get_order", "excluded_args": {"id": 7}}`,
	"tool_call_chain":               `{"steps": [{"tool": "get_order", "result_includes": ["OK"]}, {"tool": "draw"}]}`,
	"tool_call_count":               `{"max": 5}`,
	"tool_call_f1":                  `{"expected_tools": ["get_order", "draw", "skill__activate"]}`,
	"tool_call_sequence":            `{"sequence": ["get_order", "draw"]}`,
	"tool_calls_with_args":          `{"tool_name": "get_order", "expected_args": {"id": 42}}`,
	"tool_efficiency":               `{"max_calls": 5}`,
	"tool_exec":                     `{"tool": "get_order"}`,
	"tool_no_repeat":                `{}`,
	"tool_order":                    `{"order": ["get_order", "draw"]}`,
	"tool_result_has_media":         `{"media_type": "image"}`,
	"tool_result_includes":          `{"patterns": ["OK"]}`,
	"tool_result_matches":           `{"pattern": "^ok$"}`,
	"tool_result_media_type":        `{"media_type": "image/png"}`,
	"audio_emotion":                 `{"model": "m", "expected_label": "happy"}`,
	"image_moderation":              `{"model": "m", "expected_label": "nsfw"}`,
	"text_sentiment":                `{"model": "m", "expected_label": "positive"}`,
	"text_toxicity":                 `{"model": "m", "expected_label": "toxic"}`,
	"tools_called":                  `{"tool_names": ["get_order"]}`,
	"tools_not_called":              `{"tool_names": ["issue_refund", "delete_account"]}`,
	"trajectory":                    `{"steps": [{"tool": "get_order"}, {"tool": "draw"}], "min_accuracy": 0.8}`,
	"valid_tool_call":               `{}`,
	"video_duration":                `{"max_seconds": 2}`,
	"video_resolution":              `{"presets": ["64x48"]}`,
	"workflow_complete":             `{}`,
	"workflow_state_is":             `{"state": "closed"}`,
	"workflow_tool_access":          `{"rules": [{"state": "triage", "allowed": ["get_order"]}]}`,
	"workflow_transition_order":     `{"sequence": ["triage", "closed"]}`,
	"workflow_transitioned_to":      `{"state": "triage"}`,
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

var (
	benchCalls = []Call{
		{Name: "get_order", Args: map[string]any{"id": "42"}, Result: "ok"},
		{Name: "draw", Parts: []chat.Part{{Type: "image", Media: &chat.Media{MIMEType: "image/png"}}}},
		{Name: "skill__activate", Args: map[string]any{"name": "pdf"}},
	}
	benchTools    = fakeTools{"get_order": {result: "ok"}, "draw": {}, "skill__activate": {}}
	benchWorkflow = &Workflow{Current: "closed", Complete: true, Transitions: []Transition{
		{From: "intake", To: "triage", Turn: -1}, {From: "triage", To: "closed", Turn: -1},
	}}
	benchComposition = &Composition{
		Outputs: map[string]string{"draft": "Dear customer"}, Branches: map[string]string{"route": "billing"},
		Parallels: map[string]string{"fanout": "complete"},
	}
)

func benchSubject(reply string) Subject {
	return Subject{
		Messages: []chat.Message{
			{Role: chat.User, Content: "hi"},
			{
				Role: chat.Assistant, Content: reply, State: "closed", FinishReason: "stop", CostUSD: new(0.01),
				Parts: benchMedia,
			},
		},
		Calls: benchCalls, AllCalls: benchCalls, Tools: benchTools, Workflow: benchWorkflow, Composition: benchComposition,
		CostUSD: new(0.01), InputTokens: new(100), OutputTokens: new(50), LatencyMS: new(10.0),
		Judges:    judgesSaying(`{"reasoning": "fine", "score": 1, "passed": true, "verdict": "pass"}`),
		Host:      contentHost,
		ElapsedMS: new(10.0), Metadata: map[string]any{"embedding": []any{6.0, 8.0, 0.0}},
	}
}

// benchReplies has the replies for checks that cannot pass with JSON.
var benchReplies = map[string]string{
	"is_html": "<ul>" + strings.Repeat("<li><b>sku</b>: thing", 80) + "</ul>",
	"is_sql":  "SELECT sku, qty FROM items WHERE qty > 38 AND sku IN (" + strings.Repeat("'sku-7', ", 100) + "'sku-8')",
	"is_xml":  "<list>" + strings.Repeat(`<item id="7"><sku>sku-7</sku></item>`, 50) + "</list>",
}

func benchReplyFor(name string) string {
	if text, ok := benchReplies[name]; ok {
		return text
	}
	return benchReply()
}

// BenchmarkChecks judges a fresh subject each time, so that folding and decoding are included.
func BenchmarkChecks(b *testing.B) {
	for _, d := range Builtin() {
		reply := benchReplyFor(d.Name)
		compiled, problems := compileJSON(&Compiler{}, d.Name, benchParams[d.Name], ScopeTurn, nil)
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

// TestCompiledChecksAreSmall: ten thousand scenarios with nine checks each must fit into memory beside everything else.
func TestCompiledChecksAreSmall(t *testing.T) {
	const scenarios, budget = 500, 3 << 10
	names := []string{
		"contains", "content_excludes", "regex", "min_length", "max_length", "json_schema", "json_path", "tools_called",
		"tool_calls_with_args",
	}
	c := &Compiler{}
	kept := make([]*Compiled, 0, scenarios*len(names))
	for _, name := range names { // things that are made once, such as the patterns of slips, do not count
		c.Compile(benchSpec(t, name), &diag.List{})
	}
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
