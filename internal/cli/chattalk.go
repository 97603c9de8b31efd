package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// chatTalk is a chat under way.
type chatTalk struct {
	app     *App
	flags   *chatFlags
	plan    *runner.Plan
	trial   *runner.Trial
	chat    *runner.Chat
	printer chatPrinter

	lines   <-chan string // what the user types; closed at the end
	signals <-chan os.Signal
	media   []chat.Part     // for the next message
	dearest float64         // the highest cost of a message so far, in US dollars
	saved   map[string]bool // files written by this chat

	savedTurns int // number of turns when the chat was last saved
}

// errQuit ends the chat, errInterrupted a reply.
var (
	errQuit        = errors.New("quit")
	errInterrupted = errors.New("interrupted")
)

// run runs the chat to its end.
func (c *chatTalk) run(ctx context.Context, o runner.ChatOptions) error {
	c.printer = chatPrinter{app: c.app}
	o.OnEvent = c.printer.onEvent
	chat, err := c.plan.Chat(ctx, c.trial, o)
	if err != nil {
		return broken(err)
	}
	c.chat = chat
	signals, stop := c.app.Interrupts()
	defer stop()
	c.signals, c.lines = signals, linesOf(c.app.In)
	c.greet()
	if err = c.loop(ctx); err != nil {
		c.rescue()
	}
	notices, closed := chat.Close(ctx, err == nil)
	for _, text := range notices {
		c.app.remark("%s", text)
	}
	c.sum()
	if err != nil || closed == nil {
		return err
	}
	return broken(closed)
}

// linesOf sends the lines of an input. The last line need not end with a line break.
func linesOf(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		if in == nil {
			return
		}
		for r := bufio.NewReader(in); ; {
			line, err := r.ReadString('\n')
			if line = strings.TrimRight(line, "\r\n"); err == nil || line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

func (c *chatTalk) greet() {
	if !c.app.InTTY {
		return
	}
	spec := c.trial.Endpoint.Spec
	who := spec.ID
	if spec.Model != "" && spec.Model != spec.ID {
		who += " (" + spec.Model + ")"
	}
	c.printer.note("%s · %s · /help for commands, Ctrl-D to end", show.Line(c.trial.Scenario.ID), show.Line(who))
}

// sum prints the totals at the end.
func (c *chatTalk) sum() {
	t := c.chat.Trial()
	s := result.Summary{Usage: t.Usage, CostUSD: t.CostUSD, Users: t.Users, Context: t.Context}
	if t.Simulated && t.CostUSD != nil {
		s.SimulatedUSD = *t.CostUSD
	}
	if parts := show.Expenses(&s); len(parts) > 0 {
		c.printer.note("%s   %s", show.Plural(len(t.Turns), "turn"), strings.Join(parts, "   "))
	}
}

// loop handles the input line by line. Errors are printed to a person at a terminal, and the chat goes on.
func (c *chatTalk) loop(ctx context.Context) error {
	var again endRequest
	for {
		c.printer.prompt()
		var err error
		select {
		case <-c.signals:
			c.printer.note("")
			if !c.app.InTTY || again.confirmed(c.app) {
				return exit(result.ExitInterrupted)
			}
			c.printer.note("Ctrl-C once more, or Ctrl-D, ends the chat%s", c.unsaved())
			continue
		case line, open := <-c.lines:
			again = endRequest{}
			if !open {
				if len(c.media) > 0 {
					c.app.remark("%s went nowhere: no message came after /attach", show.Plural(len(c.media), "attached file"))
				}
				if c.app.InTTY {
					c.printer.note("")
				}
				return nil
			}
			err = c.take(ctx, line)
		}
		switch {
		case errors.Is(err, errQuit):
			return nil
		case err == nil:
		case errors.Is(err, errInterrupted) && !c.app.InTTY:
			return exit(result.ExitInterrupted)
		case errors.Is(err, errInterrupted) && c.trial.Endpoint.Spec.Remembers():
			c.printer.note("interrupted: the agent may remember what you said")
		case errors.Is(err, errInterrupted):
			c.printer.note("interrupted: what you said is taken back")
		case !c.app.InTTY || isBrokenPipe(err):
			return err
		default:
			c.app.complain(err)
		}
	}
}

// take handles a line: a message, or a command.
func (c *chatTalk) take(ctx context.Context, line string) error {
	words := strings.TrimSpace(line)
	switch {
	case words == "":
		return nil
	case strings.HasPrefix(words, "//"):
		return c.send(ctx, words[1:])
	case strings.HasPrefix(words, "/"):
		name, rest, _ := strings.Cut(words[1:], " ")
		return c.command(ctx, name, strings.TrimSpace(rest))
	}
	return c.send(ctx, line)
}

// send sends a message and waits for the reply. The first interrupt ends the reply, the second one the process.
func (c *chatTalk) send(ctx context.Context, text string) error {
	if err := c.checkBudget(); err != nil {
		return err
	}
	stop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	before, sent := c.spent(), c.media
	c.media = nil
	c.printer.begin()
	go func() {
		turn, err := c.chat.Send(stop, text, sent...)
		if err == nil {
			if err = c.printer.end(turn); err == nil {
				c.printer.warn(c.chat.Faults(turn))
			}
		}
		done <- err
	}()
	interrupted := false
	var settled <-chan time.Time
	for {
		select {
		case err := <-done:
			c.dearest = max(c.dearest, c.spent()-before)
			switch {
			case err == nil:
				return nil
			case interrupted:
				c.media = sent
				c.printer.broke()
				return errInterrupted
			}
			c.media = sent
			c.printer.broke()
			return broken(err)
		case <-settled:
			settled = nil
		case <-c.signals:
			if interrupted {
				if settled == nil {
					c.app.Exit(result.ExitInterrupted)
				}
				continue
			}
			interrupted, settled = true, c.app.afterBurst()
			cancel(errInterrupted)
		}
	}
}

// afterBurst returns a channel that fires when interruptBurst is over.
func (a *App) afterBurst() <-chan time.Time {
	if a.after != nil {
		return a.after(interruptBurst)
	}
	return time.After(interruptBurst)
}

// spent is the cost of the chat so far, in US dollars.
func (c *chatTalk) spent() (usd float64) {
	t := c.chat.Trial()
	for _, cost := range []*float64{t.CostUSD, costOf(t.Users), costOf(t.Context)} {
		if cost != nil {
			usd += *cost
		}
	}
	return usd
}

func costOf(c *result.SideCost) *float64 {
	if c == nil {
		return nil
	}
	return c.CostUSD
}

// checkBudget refuses a message that may cost more than --max-cost leaves. It assumes the cost of the dearest message
// so far.
func (c *chatTalk) checkBudget() error {
	limit, spent := c.flags.maxCost, c.spent()
	if limit == 0 || spent+c.dearest <= limit {
		return nil
	}
	left := max(limit-spent, 0)
	return broken(fmt.Errorf("--max-cost %g leaves %s after %s, and the next message may cost %s, as much as the dearest "+
		"one", limit, show.Money(&left), show.Money(&spent), show.Money(&c.dearest)))
}

// command runs a command of the chat.
func (c *chatTalk) command(ctx context.Context, name, rest string) error {
	commands := map[string]func() error{
		"help":   func() error { return c.help() },
		"quit":   func() error { return errQuit },
		"tools":  func() error { return c.tools(ctx) },
		"state":  func() error { return c.state() },
		"system": func() error { return c.system() },
		"undo":   func() error { return c.undo() },
		"retry":  func() error { return c.retry(ctx) },
		"save":   func() error { return c.save(rest) },
		"attach": func() error { return c.attach(rest) },
	}
	run, known := commands[name]
	if !known {
		names := make([]string, 0, len(commands))
		for name := range commands {
			names = append(names, name)
		}
		hint := "/help lists them; write // to say a line that begins with /"
		if near := diag.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean /%s?", near)
		}
		return fmt.Errorf("unknown command /%s\n%s", name, hint)
	}
	if rest != "" && name != "save" && name != "attach" {
		return fmt.Errorf("/%s takes no arguments, found %q", name, rest)
	}
	return run()
}

func (c *chatTalk) help() error {
	_, list, _ := strings.Cut(chatLong, "\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	c.printer.note("%s", list)
	return nil
}

func (c *chatTalk) undo() error {
	said, _, err := c.chat.Undo()
	if err == nil {
		c.savedTurns = min(c.savedTurns, len(c.chat.Trial().Turns))
		c.printer.note("taken back: %s", show.Line(said))
	}
	return err
}

func (c *chatTalk) retry(ctx context.Context) error {
	if err := c.checkBudget(); err != nil {
		return err
	}
	said, media, err := c.chat.Undo()
	if err != nil {
		return err
	}
	c.media = media
	c.savedTurns = min(c.savedTurns, len(c.chat.Trial().Turns))
	return c.send(ctx, said)
}

// attach adds a file to the next message.
func (c *chatTalk) attach(file string) error {
	if file == "" {
		return errors.New("/attach needs a file, such as /attach pictures/card.png")
	}
	part, err := c.chat.Medium(file)
	if err != nil {
		return err
	}
	c.media = append(c.media, part)
	c.printer.note("goes along with the next message: %s (%s)", show.Line(file), part.Media.MIMEType)
	return nil
}
