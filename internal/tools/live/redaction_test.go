package live

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// Fields that no reply had are known once there was a reply, those within a field that is taken out among the others.
func TestUnmetFields(t *testing.T) {
	t.Parallel()
	r := newRedaction([]string{"card", "number", "crad", "pin"})
	if got := r.unmet(); got != nil {
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
		if got := r.unmet(); !slices.Equal(got, tc.unmet) {
			t.Errorf("after %s: %q, want %q", tc.reply, got, tc.unmet)
		}
	}
}
