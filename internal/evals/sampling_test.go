package evals

import (
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// The first of several trials draws as it did when it was alone.
func TestSamplingID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"a/p/default": "a/p/default", "a/p/default#1": "a/p/default", "a/p/default#2": "a/p/default#2",
		"a/p/default#11": "a/p/default#11", "a/p/default#1[name=Ann]": "a/p/default[name=Ann]", "": "",
	} {
		if got := SamplingID(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	e := &scenario.Eval{Enabled: true, Trigger: scenario.TriggerSampleSessions, SamplePct: 50}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		if Due(e, PhaseOf(e.Trigger), name, 0) != Due(e, PhaseOf(e.Trigger), name+"#1", 0) {
			t.Errorf("%s is sampled or not by how many there are", name)
		}
	}
}
