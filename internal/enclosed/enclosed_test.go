package enclosed

import (
	"strings"
	"testing"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"no block", ""},
		{"a word in `code`", ""},
		{"```json\n{}\n```", "{}"},
		{"```\n{}\n```", "{}"},
		{"```yaml\na: 1\n```\n```json\n{}\n```", "{}"},
		{"```json\n{}", ""},
		{"````json\n```\n````", "```"},
	} {
		if got, ok := Block(tc.text, "json"); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q holds %q (%t), want %q", tc.text, got, ok, tc.want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const text = `one {"a": [1]} two [2] {three} {"b": "}"}`
	var found []string
	for doc := range JSON(text, nil) {
		found = append(found, doc)
	}
	if got, want := strings.Join(found, " | "), `{"a": [1]} | [2] | {"b": "}"}`; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// A text made to be slow is given up on; without the bound this takes hours.
func TestFirstJSONIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"`, 1<<19), strings.Repeat("[}", 1<<19)} {
		if got, ok := FirstJSON(text); ok {
			t.Errorf("found %d bytes", len(got))
		}
	}
}
