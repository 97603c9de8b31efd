package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	files, err := ReadVectors(filepath.Join("testdata", "vectors"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i].File = filepath.Base(files[i].File)
	}
	var out strings.Builder
	if err := Verify(t.Context(), files).Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `contains.json: the vector is wrong about the score
  want  score 0.25
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
contains.json: the vector is wrong about the verdict
  want  passed false
  got   passed with score 1: 1 of 1 pattern found
contains.json: the vector expects what nobody can tell
  want  judge_called false (this version cannot tell whether that holds)
  got   passed with score 1: 1 of 1 pattern found
contains.json: the vector is wrong about the details
  want  details {"missing_patterns": []}
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
contains.json: the vector expects nothing
  want  something (the vector expects nothing)
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
tool_exec.json: the vector is wrong about the arguments
  want  tool_args {}
  got   passed with score 1: run_tests succeeded: "ok"
tool_exec.json: the vector expects a call that was not made
  want  tool_args {}
  got   error: the project has no tool "run_tests"
skipped llm_judge: 2 vectors (LLM judges, not available yet)
checks: 8/15 vectors agree
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVectorFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadVectors(dir); err == nil || !strings.Contains(err.Error(), "no .json file in it") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := ReadVectors(filepath.Join(dir, "none.json")); err == nil {
		t.Error("a missing file is fine")
	}
	for text, says := range map[string]string{
		`{`:                               "unexpected EOF",
		`{"scope": "turn"}`:               "it names no type",
		`{"type": "a", "scope": "trial"}`: `scope is "trial"`,
		`{"type": "a", "scope": "turn"}`:  "it holds no vectors",
	} {
		file := filepath.Join(dir, "v.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadVectors(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestConformance runs the corpus that lies beside the repository, where there is one.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir := corpus(t)
	files, err := ReadVectors(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := Verify(t.Context(), files)
	if a.Agree != a.Total || a.Total == 0 {
		var out strings.Builder
		if err := a.Write(&out); err != nil {
			t.Fatal(err)
		}
		t.Error(out.String())
	}
	t.Logf("%d of %d vectors agree, %d types are not available yet", a.Agree, a.Total, len(a.Skipped))
}

// corpus finds conformance/checks: in $ARENA_CORPUS, or in a folder `shared` beside one that the repository is in.
func corpus(t *testing.T) string {
	t.Helper()
	inside := filepath.Join("conformance", "checks")
	if root := os.Getenv("ARENA_CORPUS"); root != "" {
		return filepath.Join(root, inside)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared", inside)
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
	}
	t.Skip("no conformance corpus beside the repository; set ARENA_CORPUS to run it")
	return ""
}

func TestTry(t *testing.T) {
	t.Parallel()
	v, problems := Try(t.Context(), "contains", `{"patterns": "x"}`, "x marks it", scopeSession)
	if v == nil || !v.Passed || len(problems) != 0 {
		t.Errorf("%+v %v", v, problems)
	}
	for _, tc := range []struct{ name, params, scope, want string }{
		{"contains", "", scopeTurn, `params.json:1:1 contains: missing parameter "patterns" (list of text)`},
		{"contains", "{\n\t\"patterns\": 1,\n\t\"x\": 2\n}", scopeTurn, `params.json:3:2 contains: unknown parameter "x"`},
		{"contains", `{"patterns": }`, scopeTurn, "params.json:1:14 invalid character '}'"},
		{"contains", `{} {}`, scopeTurn, "params.json:1:"},
		{"contians", `{}`, scopeTurn, `params.json unknown check "contians"`},
		{"contains", `{}`, "trial", `params.json scope cannot be "trial"; expected turn or session`},
	} {
		v, problems := Try(t.Context(), tc.name, tc.params, "x", tc.scope)
		if v != nil || len(problems) == 0 || !strings.HasPrefix(problems[0].Pos.String()+" "+problems[0].Msg, tc.want) {
			t.Errorf("%+v: %v %v", tc, v, problems)
		}
	}
}

// What a vector can say about a conversation reaches the check.
func TestVectorSubject(t *testing.T) {
	t.Parallel()
	c := vectorContext{
		Messages: []vectorMessage{
			{Role: "user", Content: "draw"},
			{Role: "assistant", Content: "here", Media: []vectorMedia{{Type: "image", MIMEType: "image/png", Width: 2}},
				LatencyMS: new(5.0), State: "draw", Validations: []vectorValidation{{Type: "length"}}},
		},
		Metadata: map[string]any{"total_cost": 0.5, "input_tokens": 3.0},
	}
	s := c.subject(scopeSession)
	got := s.Messages[1]
	want := chat.Message{
		Role: chat.Assistant, Content: "here", LatencyMS: 5, State: "draw", Validations: []chat.Validation{{Type: "length"}},
		Parts: []chat.Part{
			{Type: "text", Text: "here"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Width: 2}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if *s.CostUSD != 0.5 || *s.InputTokens != 3 || s.OutputTokens != nil || s.Turn != -1 || *s.latency() != 5 {
		t.Errorf("%+v", s)
	}
}
