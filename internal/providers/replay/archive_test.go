package replay

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// refs is a source with a list of sessions only.
type refs []recording.Ref

func (r refs) Sessions() []recording.Ref          { return r }
func (refs) Load(int) (*recording.Session, error) { return nil, nil }

// TestOwnTrial: a trial gets the recording of its region and number, whatever the order.
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

// file is a recording with what was said in it.
type file []*recording.Session

func (f file) Load(i int) (*recording.Session, error) { return f[i], nil }

func (f file) Sessions() (list []recording.Ref) {
	for _, s := range f {
		list = append(list, recording.Ref{ID: s.ID, Scenario: s.Scenario, Region: s.Region})
	}
	return list
}

// TestSameConversation: copies in two files are one conversation; a repetition is another one.
func TestSameConversation(t *testing.T) {
	t.Parallel()
	session := func(text string, took float64) *recording.Session {
		return &recording.Session{ID: "a/m", Scenario: "a", Messages: []recording.Message{
			{Message: chat.Message{Role: chat.User, Content: "Hi"}},
			{Message: chat.Message{Role: chat.Assistant, Content: text, LatencyMS: took}},
		}}
	}
	for name, c := range map[string]struct {
		files []Source
		want  int
	}{
		"a copy":            {[]Source{&file{session("yes", 1)}, &file{session("yes", 1)}, &file{session("yes", 1)}}, 1},
		"other words":       {[]Source{&file{session("yes", 1)}, &file{session("no", 1)}}, 2},
		"another time":      {[]Source{&file{session("yes", 1)}, &file{session("yes", 2)}}, 2},
		"twice in one file": {[]Source{&file{session("yes", 1), session("yes", 1)}}, 2},
	} {
		if got := len(newArchive(c.files).entries); got != c.want {
			t.Errorf("%s: %d conversations, want %d", name, got, c.want)
		}
	}
}

// TestRegionsApart: of several regions none is answered with the conversation of another.
func TestRegionsApart(t *testing.T) {
	t.Parallel()
	l := newArchive([]Source{refs{{ID: "a/m/eu", Scenario: "a", Region: "eu"}, {ID: "c", Scenario: "c"}}})
	for _, c := range []struct {
		scenario, region string
		apart, want      bool
	}{
		{"a", "eu", true, true}, {"a", "us", true, false}, {"a", "us", false, true}, {"c", "eu", true, false}, {"c", "eu", false, true},
	} {
		l.apart = c.apart
		_, err := l.choose(&scenario.Replay{}, &chat.Origin{Scenario: c.scenario, Region: c.region})
		if (err == nil) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
