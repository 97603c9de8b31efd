package checks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonicalParams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, params, want string }{
		{"content_excludes", `{"words": ["a"]}`, `{"case_sensitive":false,"patterns":["a"]}`},
		{"banned_words", `{"words": ["a"]}`, `{"case_sensitive":false,"match_mode":"word_boundary","patterns":["a"]}`},
		{"banned_words", `{"patterns": [], "words": ["b"], "match_mode": "substring", "more": 1}`,
			`{"case_sensitive":false,"match_mode":"substring","patterns":["b"]}`},
		{"length", `{"max_chars": 9}`, `{"max":9}`},
		{"contains", `{"words": ["a"]}`, `{"case_sensitive":false}`},
	} {
		got, err := CanonicalParams(c.name, []byte(c.params))
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.params, err)
			continue
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, string(text)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.name, c.params, diff)
		}
	}
	for _, c := range []struct{ name, params, want string }{
		{"contians", `{}`, `unknown check "contians"`},
		{"contains", `{`, "ends in the middle"},
		{"contains", `[]`, "must be a map"},
	} {
		if _, err := CanonicalParams(c.name, []byte(c.params)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.name, c.params, err, c.want)
		}
	}
}
