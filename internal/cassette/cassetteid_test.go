package cassette

import (
	"os"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// TestVariants: a variant's cassette is found whatever the position of the variant, and so are those of older versions,
// whose names still have the number.
func TestVariants(t *testing.T) {
	t.Parallel()
	const rude, rudeTwice = "s/m/default[tone=rude]", "s/m/default[tone=rude]#2"
	for name, c := range map[string]struct {
		recorded, current Trial
		found             bool
	}{
		"the same":           {Trial{"s/m/default#2[tone=rude]", rude}, Trial{"s/m/default#2[tone=rude]", rude}, true},
		"moved":              {Trial{"s/m/default#2[tone=rude]", rude}, Trial{"s/m/default#1[tone=rude]", rude}, true},
		"alone":              {Trial{"s/m/default#2[tone=rude]", rude}, Trial{rude, rude}, true},
		"alone before":       {Trial{rude, rude}, Trial{"s/m/default#7[tone=rude]", rude}, true},
		"the second one":     {Trial{"s/m/default#4[tone=rude]", rudeTwice}, Trial{"s/m/default#3[tone=rude]", rudeTwice}, true},
		"another one":        {Trial{"s/m/default#2[tone=rude]", rude}, Trial{"s/m/default#4[tone=rude]", rudeTwice}, false},
		"another variant":    {Trial{"s/m/default#2[tone=rude]", rude}, Trial{"s/m/default#2[tone=mild]", "s/m/default[tone=mild]"}, false},
		"old, the same":      {Trial{"s/m/default#2[tone=rude]", "s/m/default#2[tone=rude]"}, Trial{"s/m/default#2[tone=rude]", rude}, true},
		"old, alone now":     {Trial{"s/m/default#1[tone=rude]", "s/m/default#1[tone=rude]"}, Trial{rude, rude}, true},
		"old, alone before":  {Trial{rude, rude}, Trial{"s/m/default#1[tone=rude]", rude}, true},
		"old, another one":   {Trial{"s/m/default#2[tone=rude]", "s/m/default#2[tone=rude]"}, Trial{"s/m/default#4[tone=rude]", rudeTwice}, false},
		"no variant":         {Trial{"s/m/default#2", "s/m/default#2"}, Trial{"s/m/default#2", "s/m/default#2"}, true},
		"no variant, others": {Trial{"s/m/default#2", "s/m/default#2"}, Trial{"s/m/default#3", "s/m/default#3"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, m := t.TempDir(), &counted{}
			tapeOf := func(trial Trial) *Recorder {
				tape, err := folderIn(dir, false).Open(trial, false, func(bool) string { return "again" })
				if err != nil {
					t.Fatal(err)
				}
				return tape
			}
			tape := tapeOf(c.recorded)
			ask(t, tape, m, "1")
			closed(t, tape)
			d := folderIn(dir, false)
			if d.Has(c.current) != c.found {
				t.Errorf("found: %t, want %t", d.Has(c.current), c.found)
			}
			var problems diag.List
			d.Check(func(yield func(Trial) bool) { yield(c.current) }, &problems)
			if problems.Errors() > 0 {
				t.Error(problems.Sorted())
			}
			tape = tapeOf(c.current)
			if calls := ask(t, tape, m, "1"); calls == 0 != c.found {
				t.Errorf("asked %d times", calls)
			}
			closed(t, tape)
			want := 2
			if c.found && c.recorded.Name == c.current.Name || c.found && c.recorded.Name == c.current.ID {
				want = 1 // no cassette is written twice
			}
			if files, err := os.ReadDir(dir); err != nil || want == 1 && len(files) != 1 {
				t.Errorf("the folder holds %v: %v", files, err)
			}
			replay, err := folderIn(dir, true).Open(c.current, false, func(bool) string { return "again" })
			if err != nil {
				t.Fatal(err)
			}
			reply, err := replay.Lane("turn 1").Complete(t.Context(), nil, "m", request("1"), func(chat.Delta) error { return nil })
			if err != nil || reply.Content != "answer to 1" {
				t.Errorf("replayed %q, %v", reply.Content, err)
			}
			closed(t, replay)
		})
	}
}
