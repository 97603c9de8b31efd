package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// chatPrinter prints a chat: replies to stdout, everything else to stderr.
type chatPrinter struct {
	app *App

	piece   strings.Builder // of the streamed reply
	held    string          // the end of it that is not shown yet
	written bool            // the last reply is on the screen
	open    bool            // the last line on stdout is not ended
	calls   map[int]result.ToolCall
}

// note prints a line that is not a reply.
func (t *chatPrinter) note(format string, args ...any) {
	t.endLine()
	_, _ = fmt.Fprintf(t.app.Err, format+"\n", args...) // a write error on stderr cannot be reported
}

func (t *chatPrinter) prompt() {
	if t.app.InTTY {
		_, _ = fmt.Fprint(t.app.Err, "> ")
	}
}

// show prints the first n bytes of the held text.
func (t *chatPrinter) show(n int) {
	if n > 0 {
		_, _ = io.WriteString(t.app.Out, t.held[:n])
		t.held, t.open = t.held[n:], true
	}
}

// forget drops held text that must not be shown.
func (t *chatPrinter) forget() {
	t.piece.Reset()
	t.held = ""
}

func (t *chatPrinter) endLine() {
	if t.open {
		_, _ = io.WriteString(t.app.Out, "\n") // the next write to stdout reports the error
		t.open = false
	}
}

func (t *chatPrinter) begin() {
	t.forget()
	t.written, t.calls = false, map[int]result.ToolCall{}
}

// onEvent shows progress while a reply is made.
func (t *chatPrinter) onEvent(e result.Event) {
	switch e := e.(type) {
	case runner.ChatPiece:
		if e.Step == "" {
			t.piece.WriteString(e.Text)
			t.held += e.Text
			t.show(printableLength(t.held, t.app.secrets.Known()))
		}
	case result.ToolStarted:
		t.calls[e.Number] = result.ToolCall{Name: e.Name, Args: e.Args, BadArgs: e.BadArgs}
	case result.ToolCompleted:
		call := t.calls[e.Number]
		call.Name, call.Result, call.Error = e.Name, e.Result, e.Error
		t.note("  tool   %s", shortened(show.Call(&call)))
	case result.StateChanged:
		t.note("  state  %s → %s (%s)", show.Line(e.From), show.Line(e.To), show.Line(e.Event))
	case result.ValidationFailed:
		t.note("  guard  %s", shortened(guardWords(&e)))
	case result.MessageCreated:
		if e.Role == chat.Assistant && e.Step == "" {
			if t.written = t.piece.Len() > 0 && t.piece.String() == e.Content; t.written {
				t.show(len(t.held))
			}
			t.forget()
			if len(e.Calls) > 0 {
				t.endLine()
			}
			if e.LeftOut != nil {
				t.note("  sent   %s", shortened(show.LeftOut(e.LeftOut)))
			}
		}
	}
}

func guardWords(e *result.ValidationFailed) string {
	text := show.Line(e.Type) + " fired"
	switch {
	case e.Error != "":
		text = show.Line(e.Type) + " could not judge: " + show.Line(e.Error)
	case e.Action != "":
		text += ", " + show.Line(string(e.Action))
	}
	if e.Explanation != "" {
		text += ": " + show.Line(e.Explanation)
	}
	return text
}

// mostOfLine is how much of a call is shown, in characters.
const mostOfLine = 300

func shortened(text string) string {
	if r := []rune(text); len(r) > mostOfLine {
		return string(r[:mostOfLine]) + "…"
	}
	return text
}

// end prints the rest of the reply.
func (t *chatPrinter) end(turn *result.Turn) error {
	if t.written {
		t.endLine()
		return nil
	}
	t.endLine()
	var media strings.Builder
	if n := len(turn.Messages); n > 0 && turn.Messages[n-1].Role == chat.Assistant {
		for _, p := range turn.Messages[n-1].Parts {
			if p.Media != nil {
				fmt.Fprintf(&media, "[%s:%s]", p.Type, p.Media.MIMEType)
			}
		}
	}
	_, err := fmt.Fprintln(t.app.Out, turn.Assistant+media.String())
	return err
}

// warn prints the faults of a reply.
func (t *chatPrinter) warn(faults []string) {
	for _, fault := range faults {
		t.note("  warning   %s", shortened(show.Line(fault)))
	}
}

// broke ends a reply that failed.
func (t *chatPrinter) broke() {
	t.endLine()
	t.forget()
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

func (c *chatTalk) tools(ctx context.Context) error {
	list, err := c.chat.Tools(ctx)
	if err != nil {
		return broken(err)
	}
	if len(list) == 0 {
		c.printer.note("the agent is offered no tool")
	}
	for i := range list {
		c.printer.note("%s   %s", show.Line(list[i].Name), shortened(show.Line(list[i].Description)))
	}
	return nil
}

func (c *chatTalk) system() error {
	if text := c.chat.System(); text != "" {
		c.printer.note("%s", text)
	} else {
		c.printer.note("there is no system prompt")
	}
	return nil
}

func (c *chatTalk) state() error {
	name, events := c.chat.State()
	if name == "" {
		c.printer.note("there is no workflow")
	} else {
		leads := "no event leads on"
		if len(events) > 0 {
			leads = "events: " + strings.Join(events, ", ")
		}
		c.printer.note("state %s   %s", name, leads)
	}
	artifacts := c.chat.Artifacts()
	for _, name := range slices.Sorted(maps.Keys(artifacts)) {
		c.printer.note("artifact %s   %s", show.Line(name), shortened(show.Line(artifacts[name])))
	}
	if skills := c.chat.Skills(); len(skills) > 0 {
		c.printer.note("active skills   %s", strings.Join(skills, ", "))
	}
	for _, m := range c.chat.Memories() {
		c.printer.note("memory   %s", shortened(show.Line(m.Content)))
	}
	return nil
}
