package checks

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

func compileExec(t *testing.T, params string) *Compiled {
	t.Helper()
	compiled, problems := compileJSON(&Compiler{}, "tool_exec", params, ScopeSession, nil)
	if compiled == nil {
		t.Fatal(problems)
	}
	return compiled
}

func TestToolUses(t *testing.T) {
	t.Parallel()
	got := compileExec(t, `{"tool": "run_tests", "args": {"path": "./...", "n": 1}}`).ToolUses()
	want := []*ToolUse{{
		Name: "run_tests", Args: map[string]any{"path": "./...", "n": json.Number("1")},
		Pos: diag.Pos{File: paramsFile, Line: 1, Col: 10},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	other, _ := compileJSON(&Compiler{}, "tool_order", `{"order": ["a"]}`, ScopeTurn, nil)
	if uses := other.ToolUses(); uses != nil {
		t.Errorf("tool_order calls tools: %v", uses)
	}
}

// TestSlowTool: the check's time limit ends a slow tool with a score; the end of the run ends it without a verdict.
func TestSlowTool(t *testing.T) {
	t.Parallel()
	tools := fakeTools{"run_tests": {result: "late", slow: true}}
	check := compileExec(t, `{"tool": "run_tests", "timeout_seconds": 5}`)
	synctest.Test(t, func(t *testing.T) {
		v := check.Judge(t.Context(), &Subject{Session: true, Tools: tools})
		if v.Status != result.Failed || v.Score == nil || *v.Score != 0 {
			t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v := check.Judge(ctx, &Subject{Session: true, Tools: tools}); v.Status != result.Cancelled || v.Score != nil {
		t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
	}
}

func TestParsedResult(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"":                        "",
		"exit 0":                  "exit 0",
		"7":                       json.Number("7"),
		` {"a": [1]} `:            map[string]any{"a": []any{json.Number("1")}},
		`"{\"passed\": true}"`:    map[string]any{"passed": true},
		`"\"{\\\"deep\\\": 1}\""`: `"{\"deep\": 1}"`,
		`{"a": 1} and more`:       `{"a": 1} and more`,
	} {
		if diff := cmp.Diff(want, parsedResult(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// FuzzToolResult: whatever a tool returns, the verdict can be written and has a one-line explanation.
func FuzzToolResult(f *testing.F) {
	for _, seed := range []string{"", "ok", `{"passed": false}`, `"[1, 2"`, "[[[[", "\x00\u202e\n", `{"a": 1e999999}`} {
		f.Add(seed, "")
		f.Add(seed, "broken")
	}
	check := &toolExec{use: ToolUse{Name: "run_tests"}}
	f.Fuzz(func(t *testing.T, text, problem string) {
		res := chat.ToolResult{Content: text, Error: problem}
		finding := check.judge(&res, false)
		if (finding.Score == 1) != (problem == "") {
			t.Errorf("score %v with the error %q", finding.Score, problem)
		}
		if say.OneLine(finding.Explanation) != finding.Explanation {
			t.Errorf("not on one line: %q", finding.Explanation)
		}
		if _, err := json.Marshal(finding.Details); err != nil {
			t.Error(err)
		}
	})
}

// answers is a tool that always returns the same result.
type answers chat.ToolResult

func (answers) Has(string) bool { return true }

func (answers) Fits(*Call) error { return nil }

func (a answers) Call(context.Context, string, map[string]any) chat.ToolResult {
	return chat.ToolResult(a)
}

// TestNoAnswerIsNoNo: a check that passes when the tool fails needs a failure reported by the tool. A tool that could
// not be called proves nothing.
func TestNoAnswerIsNoNo(t *testing.T) {
	t.Parallel()
	said := answers{Error: "no such order", ErrorType: chat.ErrorExecution}
	for _, c := range []struct {
		name   string
		tool   answers
		params string
		want   result.Status
	}{
		{"plain", said, `{"tool": "get"}`, result.Failed},
		{"turned", said, `{"tool": "get", "max_score": 0}`, result.Passed},
		{"turned, gone", answers{Error: "refused", ErrorType: chat.ErrorUnavailable}, `{"tool": "get", "max_score": 0}`, result.Errored},
		{"turned, not called", answers{Error: "wrong", ErrorType: chat.ErrorValidation}, `{"tool": "get", "max_score": 0}`, result.Errored},
		{"plain, gone", answers{Error: "refused", ErrorType: chat.ErrorUnavailable}, `{"tool": "get"}`, result.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := compileExec(t, c.params).Judge(t.Context(), &Subject{Session: true, Tools: c.tool})
			if v.Status != c.want {
				t.Errorf("%s, want %s: %s%s", v.Status, c.want, v.Explanation, v.Error)
			}
		})
	}
	gone := answers{Error: "refused", ErrorType: chat.ErrorUnavailable}
	const part = `{"type": "tool_exec", "params": {"tool": "get"}}`
	for _, c := range []struct {
		combined, params string
		want             result.Status
	}{
		{"not", `{"check": ` + part + `}`, result.Errored},
		{"not", `{"check": {"type": "not", "params": {"check": ` + part + `}}}`, result.Errored},
		{"not", `{"check": {"type": "all_of", "params": {"checks": [` + part + `, ` + part + `]}}}`, result.Errored},
		{"not", `{"check": {"type": "any_of", "params": {"checks": [` + part + `, ` + part + `]}}}`, result.Errored},
		{"all_of", `{"checks": [` + part + `]}`, result.Failed},
		{"any_of", `{"checks": [` + part + `, ` + part + `], "max_score": 0}`, result.Errored},
	} {
		check, problems := compileJSON(&Compiler{}, c.combined, c.params, ScopeSession, nil)
		if check == nil {
			t.Fatal(problems)
		}
		v := check.Judge(t.Context(), &Subject{Session: true, Tools: gone})
		if v.Status != c.want {
			t.Errorf("%s %s: %s, want %s: %s%s", c.combined, c.params, v.Status, c.want, v.Explanation, v.Error)
		}
	}
}
