package a2a

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/scenario"
)

// FuzzAnswer: whatever an agent answers is a result that can be shown, or an error.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"status": {"state": "completed", "message": {"parts": [{"text": "x"}]}}, "artifacts": [{"parts": [{"raw": "aGk="}]}]}`,
		`{"task": {"status": {"state": "TASK_STATE_FAILED"}}}`, `{"message": {"parts": [{"kind": "data", "data": [1]}]}}`,
		`{"parts": [{"kind": "file", "file": {"uri": "http://x/y", "mimeType": "image/png"}}, {"kind": "file"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var res a2a.Result
		if json.Unmarshal(data, &res) != nil {
			return
		}
		out, err := answerOf(&res)
		if err != nil {
			return
		}
		if !utf8.ValidString(out.Content) || out.Content == "" && len(out.Parts) == 0 || res.IsTask() && res.State() != a2a.Completed {
			t.Errorf("%q becomes %+v", data, out)
		}
		for _, p := range out.Parts {
			if (p.Media == nil) != (p.Type == "text") || p.Media != nil && (p.Media.Data == "") == (p.Media.URL == "") {
				t.Errorf("%q becomes the part %+v", data, p)
			}
		}
	})
}

// FuzzCard: whatever stands on a card makes tools with names of their own, or an error.
func FuzzCard(f *testing.F) {
	f.Add([]byte(`{"name": "Shop", "skills": [{"id": "find", "inputModes": ["image/png"]}, {"id": "buy"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var card a2a.Card
		if json.Unmarshal(data, &card) != nil {
			return
		}
		list, skills, err := (&source{spec: &scenario.Agent{}}).offers(&card)
		if err == nil && (len(list) == 0 || len(list) != len(skills)) {
			t.Errorf("%q makes %d tools of %d skills", data, len(list), len(skills))
		}
		for _, tool := range list {
			if a2a.Plain(tool.Name) == "" || !json.Valid(tool.Schema) {
				t.Errorf("%q makes %+v", data, tool)
			}
		}
	})
}
