package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// endless are templates that go on for longer than anybody waits, or take more memory than there is.
var endless = map[string]string{
	"a loop that writes":    `{{range $i := 9000000000}}x{{end}}`,
	"a loop without a word": `{{range $i := 9000000000}}{{end}}`,
	"a loop in a condition": `{{if .id}}{{range $i := 9000000000}}{{continue}}{{end}}{{end}}`,
	"a loop behind an else": `{{with .nothing}}{{else}}{{range $i := 9000000000}}{{if $i}}{{end}}{{end}}{{end}}`,
	"loops in loops":        `{{range 99999}}{{range 99999}}{{range 99999}}{{end}}{{end}}{{end}}`,
	"a loop within a part":  `{{define "x"}}{{range $i := 9000000000}}{{end}}{{end}}{{template "x"}}`,
	"a part that calls":     `{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`,
	"a part that calls twice": `{{define "x"}}{{if lt (len .) 99}}{{$y := print . "a"}}{{template "x" $y}}` +
		`{{template "x" $y}}{{end}}{{end}}{{template "x" ""}}`,
	"a text that doubles":              `{{$x := "x"}}{{range 99}}{{$x = print $x $x}}{{end}}`,
	"a text that doubles by a format":  `{{$x := "x"}}{{range 99}}{{$x = printf "%s%s" $x $x}}{{end}}`,
	"a text that grows by its escapes": `{{$x := "<"}}{{range 99}}{{$x = html $x $x}}{{end}}`,
	"a text that grows by lines":       `{{$x := "<"}}{{range 99}}{{$x = println $x $x}}{{end}}`,
	"a text that grows by scripts":     `{{$x := "<"}}{{range 99}}{{$x = js $x $x}}{{end}}`,
	"a text that grows by addresses":   `{{$x := "<"}}{{range 99}}{{$x = urlquery $x $x}}{{end}}`,
	"a text that is written":           `{{$x := printf "%999999d" 1}}{{range 99}}{{$x}}{{end}}`,
}

// TestEndlessTemplates: each ends by itself, as the mistake of its author.
func TestEndlessTemplates(t *testing.T) {
	t.Parallel()
	for name, text := range endless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry(t, spec("slow", func(s *scenario.Tool) { s.MockTemplate = text }))
			got := call(t, r, "slow", `{"id":"A"}`)
			if got.ErrorType != chat.ErrorMock || !strings.HasPrefix(got.Error, "slow: mock_template: ") {
				t.Errorf("got %.200q (%s)", got.Error, got.ErrorType)
			}
		})
	}
}

// TestTemplatesEndWithTheirContext: what ends the trial ends the template, and is no mistake of its author; the tool's
// own limit is.
func TestTemplatesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	r := registry(t, spec("slow", func(s *scenario.Tool) { s.MockTemplate = `{{range 9000000000}}{{end}}` }))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the run was stopped"))
	c := chat.ToolCall{ID: "c1", Name: "slow", Args: map[string]any{"id": "A"}}
	box := NewKit(r).Box("")
	if got := box.Call(ctx, c); got.ErrorType != chat.ErrorExecution || !strings.HasSuffix(got.Error, "the run was stopped") {
		t.Errorf("got %q (%s)", got.Error, got.ErrorType)
	}
	synctest.Test(t, func(t *testing.T) {
		w := mockWriter{}
		var cancel context.CancelFunc
		w.ctx, cancel = context.WithTimeoutCause(t.Context(), time.Second, overdueError{time.Second})
		defer cancel()
		if _, err := w.Write(nil); err != nil {
			t.Error(err)
		}
		<-w.ctx.Done()
		if _, err := w.Write(nil); err == nil || err.Error() != "no answer within 1s (timeout_ms)" {
			t.Errorf("got %v", err)
		}
	})
}

// TestTemplatesThatEnd: loops and parts of a reasonable size are as they always were.
func TestTemplatesThatEnd(t *testing.T) {
	t.Parallel()
	r := registry(t, spec("list", func(s *scenario.Tool) {
		s.Timeout = time.Hour
		s.MockTemplate = `{{define "tag"}}<{{.}}>{{end}}{{range $i, $x := .tags}}{{if $i}}, {{end}}{{template "tag" $x}}` +
			`{{else}}none{{end}}; {{printf "%05d" .count}}{{range 3}}.{{end}}`
	}))
	for args, want := range map[string]string{
		`{"id":"A","tags":["x","y"],"count":7}`: `<x>, <y>; 00007...`,
		`{"id":"A","tags":[],"count":7}`:        `none; 00007...`,
	} {
		if got := call(t, r, "list", args); got.Error != "" || !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(
			got.Content, `\u003c`, "<"), `\u003e`, ">"), want) {
			t.Errorf("%s: got %q %s, want %q", args, got.Content, got.Error, want)
		}
	}
}
