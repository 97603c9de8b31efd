package replay

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// refs is a source of which only the list of its sessions is looked at.
type refs []recording.Ref

func (r refs) Sessions() []recording.Ref          { return r }
func (refs) Load(int) (*recording.Session, error) { return nil, nil }

// TestOwnTrial: a trial is answered from what was recorded for its region and number, not from what stands there.
func TestOwnTrial(t *testing.T) {
	t.Parallel()
	l := newArchive([]Source{refs{
		{ID: "a/m/us#2[x=1]", Scenario: "a", Region: "us"}, {ID: "a/m/eu#1", Scenario: "a", Region: "eu"},
		{ID: "a/m/us#1", Scenario: "a", Region: "us"}, {ID: "b", Scenario: "b"}, {ID: "c", Scenario: "b"},
	}})
	for _, c := range []struct {
		at   chat.Origin
		want string // "": none
	}{
		{chat.Origin{Scenario: "a", Region: "us", Trial: 1}, "a/m/us#1"},
		{chat.Origin{Scenario: "a", Region: "us", Trial: 2}, "a/m/us#2[x=1]"},
		{chat.Origin{Scenario: "a", Region: "us", Trial: 3}, ""},
		{chat.Origin{Scenario: "a", Region: "eu", Trial: 1}, "a/m/eu#1"},
		{chat.Origin{Scenario: "a", Region: "jp", Trial: 1}, ""},
		{chat.Origin{Scenario: "b", Region: "jp", Trial: 2}, "c"},
	} {
		got := ""
		if i, err := l.choose(&scenario.Replay{}, &c.at); err == nil {
			got = l.entries[i].ID
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.at, got, c.want)
		}
	}
}
