package recording

import (
	"fmt"
	"strings"
	"testing"
)

// TestSkipUnreadable: skipped records are counted, and a file is refused if other conversations may lack parts.
func TestSkipUnreadable(t *testing.T) {
	t.Parallel()
	const good, bad = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}` + "\n", `{"messages":[{"role":` + "\n"
	for name, c := range map[string]struct {
		text          string
		limits        Limits
		read, skipped int
		want          string
	}{
		"some":              {text: good + bad + good + `{"messages":[]}` + "\n", read: 2, skipped: 2},
		"the last is cut":   {text: good + strings.TrimSuffix(bad, "\n"), read: 1, skipped: 1},
		"many":              {text: good + strings.Repeat(bad, 500) + good, read: 2, skipped: 500},
		"too many":          {text: good + strings.Repeat(bad, maxSkipped) + good, want: "not valid JSON"},
		"none":              {text: bad + bad, want: "recording:1:1"},
		"a line of any end": {text: good + strings.Repeat(" ", 400_000) + good + good, limits: Limits{Line: 300_000}, want: "the line is longer than"},
		"events":            {text: userLine + "\n" + bad + replyLine, want: "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &File{name: "recording", skip: true, open: func() (source, error) {
				return memory{strings.NewReader(c.text), int64(len(c.text))}, nil
			}}
			err := f.index(Options{Limits: c.limits, SkipUnreadable: true})
			if c.want != "" {
				contains(t, err, c.want)
				return
			}
			if got, want := fmt.Sprint(err, len(f.Sessions()), len(f.Skipped())), fmt.Sprint(nil, c.read, c.skipped); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			for i := range f.Sessions() {
				if _, err := f.Load(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
