package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// Fields that no reply had are known once there was a reply, those within a field that is taken out among the others.
func TestUnmetFields(t *testing.T) {
	t.Parallel()
	r := newRedaction([]string{"card", "number", "crad", "pin"})
	if got, answered := r.unmet(); got != nil || answered {
		t.Errorf("before the first reply: %q", got)
	}
	for _, tc := range []struct {
		reply string
		unmet []string
	}{
		{`{"a": 1}`, []string{"card", "number", "crad", "pin"}},
		{`{"l": [{"CARD": {"number": 4}}]}`, []string{"crad", "pin"}},
		{`"{\"pin\": 1}"`, []string{"crad"}},
	} {
		v, err := chat.DecodeJSON([]byte(tc.reply))
		if err != nil {
			t.Fatal(err)
		}
		r.of(v)
		if got, answered := r.unmet(); !slices.Equal(got, tc.unmet) || !answered {
			t.Errorf("after %s: %q, want %q", tc.reply, got, tc.unmet)
		}
	}
}

// TestFieldsOutsideOfDocuments: a field that cannot be taken out is not shown.
func TestFieldsOutsideOfDocuments(t *testing.T) {
	t.Parallel()
	r := newRedaction([]string{"card", "pin code"})
	for _, body := range []string{
		"{\"card\":\"4111\"}\n{\"card\":\"4222\"}", `data: {"card": "4111"}`, `{"a": {"card":"4111`, "a=1&card=4111", "<Card>4111</Card>",
		"Card: 4111", `{\"card\" : 4111`, "PIN code: 1",
	} {
		if r.remains([]byte(body)) == nil {
			t.Errorf("shown: %s", body)
		}
		if strings.Contains(body, `{"`) {
			if got := r.value(map[string]any{"log": body}).(map[string]any)["log"]; strings.Contains(got.(string), "4111") {
				t.Errorf("within a document: %s", got)
			}
		}
	}
	for _, body := range []string{"Your card was declined", "discard: 1", "cards=2", "", "<html>"} {
		if err := r.remains([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if got := r.value(body); got != body {
			t.Errorf("within a document: %s", got)
		}
	}
	if err := newRedaction(nil).remains([]byte("card: 1")); err != nil {
		t.Error(err)
	}
}
