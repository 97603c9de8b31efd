package result_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestRejudgedTakesThePlace: a trial whose evals judge again has one line that counts: the old one until the new one is
// there, so that nothing is lost by a kill, and never both, of which one would stand for another trial.
func TestRejudgedTakesThePlace(t *testing.T) {
	t.Parallel()
	line := func(status result.Status) []byte {
		trial := &result.Trial{
			ID: "a/m/default", Scenario: "a", Status: status, Trial: 1, Trials: 1, Turns: []result.Turn{},
			Conversation: []result.Verdict{},
		}
		trial.Settle()
		b, err := result.EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	header := func(h result.JournalHeader) []byte {
		h.Journal, h.Planned = result.SchemaVersion, 1
		b, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return append(b, '\n')
	}
	first := header(result.JournalHeader{})
	begun := bytes.Join([][]byte{
		first, line(result.Passed), header(result.JournalHeader{Rejudged: [][2]int64{{0, int64(len(first))}}}),
	}, nil)
	for name, c := range map[string]struct {
		more    []byte
		dropped bool
	}{
		"killed before":  {nil, false},
		"killed within":  {line(result.Passed)[:20], false},
		"stopped within": {line(result.Cancelled), false},
		"judged":         {line(result.Passed), true},
	} {
		read, err := result.ReadJournal(memory{bytes.NewReader(append(bytes.Clone(begun), c.more...))})
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Entries[0].Dropped; got != c.dropped {
			t.Errorf("%s: the old line is dropped: %t, want %t", name, got, c.dropped)
		}
	}
}
