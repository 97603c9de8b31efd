package term_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/term"
)

func TestUseColor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		tty  bool
		want bool
	}{
		"terminal":           {nil, true, true},
		"pipe":               {nil, false, false},
		"NO_COLOR":           {map[string]string{"NO_COLOR": "1"}, true, false},
		"empty NO_COLOR":     {map[string]string{"NO_COLOR": ""}, true, true},
		"dumb":               {map[string]string{"TERM": "dumb"}, true, false},
		"forced in a pipe":   {map[string]string{"FORCE_COLOR": "1"}, false, true},
		"forced beats no":    {map[string]string{"FORCE_COLOR": "3", "NO_COLOR": "1", "TERM": "dumb"}, false, true},
		"forced to be off":   {map[string]string{"FORCE_COLOR": "0"}, true, false},
		"forced to be false": {map[string]string{"FORCE_COLOR": "false"}, true, false},
	} {
		if got := term.UseColor(func(name string) string { return c.env[name] }, c.tty); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// colors are the sequences that term writes.
var colors = regexp.MustCompile(`\x1b\[[\d;]*m`)

// TestColourCarriesNothing compares the output with and without colour.
func TestColourCarriesNothing(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		print := func(color bool) string {
			var out bytes.Buffer
			play(t, f.Build(), term.Options{Out: &out, Color: color, Width: columns(90), Rerun: rerun})
			return out.String()
		}
		with, without := print(true), print(false)
		if with == without {
			t.Errorf("%s: no colour", f.Name)
		}
		if diff := cmp.Diff(without, colors.ReplaceAllString(with, "")); diff != "" {
			t.Errorf("%s: (-without +with):\n%s", f.Name, diff)
		}
	}
}
