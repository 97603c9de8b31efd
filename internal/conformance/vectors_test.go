package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
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
	a, err := Verify(t.Context(), files)
	if err == nil {
		err = a.Write(&out)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := `contains.json: the vector is wrong about the score
  want  score 0.25
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
contains.json: the vector is wrong about the verdict
  want  passed false
  got   passed with score 1: 1 of 1 pattern found
contains.json: the vector expects what nobody can tell
  want  mood "calm" (this version cannot tell whether that holds)
  got   passed with score 1: 1 of 1 pattern found
contains.json: the vector is wrong about the details
  want  details {"missing_patterns": []}
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
contains.json: the vector expects nothing
  want  something (the vector expects nothing)
  got   failed with score 0: 0 of 1 pattern found: missing "refund"
judged.json: the vector is wrong about the prompt
  want  judge_prompt_excludes ["It is kind."]
  got   passed with score 1: the judge gave no reason
judged.json: the vector is wrong about the call
  want  judge_called false
  got   passed with score 1: the judge gave no reason
programs.json: the vector is wrong about the request
  want  stdin_params_absent ["language"]
  got   passed with score 1: the program gave no detail
programs.json: the vector is wrong about the content
  want  stdin {"content": "Do"}
  got   passed with score 1: the program gave no detail
rest_eval.json: the vector is wrong about the method
  want  request {"method": "PUT"} (it was sent with method POST)
  got   failed with score 0.5: the endpoint gave no reason
rest_eval.json: the vector is wrong about the body
  want  request {"body": {"current_output": "Do"}} (it was sent with body {"current_output":"Done."})
  got   passed with score 1: the endpoint gave no reason
rest_eval.json: the vector is wrong about a header
  want  request {"headers": {"X-Key": "k-1"}} (it was sent with header X-Key "")
  got   passed with score 1: the endpoint gave no reason
rest_eval.json: the vector asks too much
  want  request {"mood": "calm"} (json: unknown field "mood")
  got   passed with score 1: the endpoint gave no reason
rest_eval.json: nothing was sent
  want  request {"method": "POST"}
  got   refused: rest_eval: url must start with http:// or https://, found "ftp://nowhere.test"
tool_exec.json: the vector is wrong about the arguments
  want  tool_args {}
  got   passed with score 1: run_tests succeeded: "ok"
tool_exec.json: the vector expects a call that was not made
  want  tool_args {}
  got   error: the project has no tool "run_tests"
verdict.json: the vector is wrong about the verdict on the run
  want  verdict "pass"
  got   failed with score 0: no
checks: 16/33 vectors agree
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

// TestVectorSubject: everything that a vector says about a conversation reaches the check.
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
	s := c.subject(checks.ScopeSession)
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
	if *s.CostUSD != 0.5 || *s.InputTokens != 3 || s.OutputTokens != nil || s.Turn != -1 || s.Messages[1].LatencyMS != 5 {
		t.Errorf("%+v", s)
	}
}
