package result

import (
	"slices"
	"strings"
	"testing"
)

func TestAskedOtherwise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now string
		want     []string
	}{
		{"a", "a", nil},
		{"a", "b", []string{"something else is asked or checked than before"}},
		{"a judge:x=1", "a judge:x=1", nil},
		{"a judge:x=1", "a judge:x=2", []string{"judge x has another model, address, prompt or setting"}},
		{"a judge:x=1 judge:x=2", "a judge:x=2", []string{"judge x has another model, address, prompt or setting"}},
		{"a", "a judge:x=1", []string{"judge x is new"}},
		{"a program:x=1", "a", []string{"the program of the check x is gone"}},
		{"a program:x=1", "a program:x=2", []string{"the program of the check x has changed"}},
		{"a tool:x=1", "b tool:x=2", []string{
			"something else is asked or checked than before", "the tool x, which a check calls, has changed",
		}},
		{"a judge:x=1", "a judge:x=1 model:x=m", nil}, // of one it is not known
		{"a model:x=m", "a model:x=m+1", []string{"judge x was answered for by m, and is by m 1"}},
		{"a model:x=m", "a model:x=m model:x=n", []string{"judge x was answered for by m, and is by m, n"}},
		{"a b", "a c", []string{"something else is asked or checked than before"}}, // which arena does not write
	} {
		if got := AskedDifferences(c.was, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%q and %q: %q, want %q", c.was, c.now, got, c.want)
		}
		if got := AskedEqual(c.was, c.now); got != (len(c.want) == 0) {
			t.Errorf("%q and %q: alike %v", c.was, c.now, got)
		}
	}
	if AskedEqual("", "") {
		t.Error("what is not known counts for the same")
	}
}

// TestAskedText: names of people and servers come back as they were.
func TestAskedText(t *testing.T) {
	t.Parallel()
	a := Asked{Sum: "0f", By: []Checker{
		{ProgramChecker, "a b=c:d%", "1"}, {AnsweringModel, "", "m \x00\n=:"}, {AnsweringModel, "", "m \x00\n=:"},
	}}
	text := a.String()
	if got := ParseAsked(text).String(); got != text || strings.Count(text, " ") != 2 {
		t.Errorf("%q was read as %q", text, got)
	}
	if by := ParseAsked(text).By; by[0] != (Checker{AnsweringModel, "", "m \x00\n=:"}) || by[1].Name != "a b=c:d%" {
		t.Errorf("%q was read as %+v", text, by)
	}
}

func TestAskedTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ one, other, want string }{
		{"a", "a", "a"},
		{"a", "b", ""},
		{"", "a", ""},
		{"a model:x=m", "a", "a model:x=m"}, // of one it was not asked
		{"a model:x=n", "a judge:x=1 model:x=m", ""},
		{"a model:x=n", "a model:x=m", "a model:x=m model:x=n"},
	} {
		if got := commonAsked(c.one, c.other); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.one, c.other, got, c.want)
		}
	}
}

// TestAskedOfJudgedTrial: which model answered is known of those that a server named.
func TestAskedOfJudgedTrial(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 4000)
	trial := Trial{Asked: "a judge:x=1", Judges: &SideCost{Calls: 1}, Conversation: []Verdict{{Judgements: []Judgement{
		{Judge: "x", AnsweredBy: "m"}, {Judge: "x", AnsweredBy: "m"}, {Judge: "y"}, {Judge: "z", AnsweredBy: long},
	}}}}
	got := trial.asked()
	if !strings.HasPrefix(got, "a judge:x=1 model:x=m model:z=") || len(got) > 1000 {
		t.Errorf("%d characters: %.100q", len(got), got)
	}
	trial.Asked = ""
	if got := trial.asked(); got != "" {
		t.Errorf("%q is not known", got)
	}
}
