package cassette

import (
	"encoding/json"
	"testing"
)

func TestAnsweredBy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		model string
		other bool
	}{
		`{"answered_by": "m-2026", "model": "m"}`:                    {"m-2026", false},
		`{"answered_by": "mini", "other_model": true, "model": "m"}`: {"mini", true},
		`{"answered_by": "mini", "served": "mini", "model": "m"}`:    {"mini", true}, // as older cassettes have it
		`{"served": "mini", "model": "m"}`:                           {"mini", true},
		`{"model": "m"}`:                                             {"", false},
	} {
		var r judgeReply
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if model, other := r.answeredBy(); model != want.model || other != want.other {
			t.Errorf("%s: got %q, %v", text, model, other)
		}
	}
}
