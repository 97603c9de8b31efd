package harness

import (
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestJudges holds who gets connections for judging beside those for the trials.
func TestJudges(t *testing.T) {
	t.Parallel()
	p := &scenario.Project{Judges: []scenario.Judge{{Name: "strict", Provider: "small"}}}
	named := func(id string) *scenario.Provider { return &scenario.Provider{Meta: scenario.Meta{ID: id}} }
	for _, c := range []struct {
		judge, id string
		want      bool
	}{
		{"", "small", true},
		{"", "large", false},
		{"large", "large", true},
		{"openai/gpt-4o-mini", "openai/gpt-4o-mini", true},
		{"openai/gpt-4o-mini", "large", false},
	} {
		clients := &Clients{Jobs: 50, Judge: c.judge}
		if got := clients.judges(p, named(c.id)); got != c.want {
			t.Errorf("--judge %q: provider %s judges: %v", c.judge, c.id, got)
		}
	}
}
