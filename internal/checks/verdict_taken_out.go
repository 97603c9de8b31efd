package checks

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/secret"
)

// errTakenOut is returned where a verdict depends on what was taken out of a conversation before it was written.
var errTakenOut = errors.New("not known: " + secret.Redacted + " stands in place of what was said, and may hide what " +
	"decides here; judge the conversation in the run itself")

// Reads says what a check looks at, of that from which values are taken out before it is written. The zero value is the
// safe one: where anything was taken out, such a check cannot judge.
type Reads uint8

// What checks look at.
const (
	ReadsAll     Reads = iota // anything that was said, passed on or returned
	ReadsReply                // the text of the reply under test
	ReadsReplies              // those of all replies in scope
	ReadsArgs                 // arguments of calls
	ReadsResults              // results of calls
	ReadsMedia                // images, sounds and videos
	ReadsShown                // what it shows to a judge, and says itself when something is taken out of that
	ReadsNothing              // names, numbers, times, costs and states, of which nothing is taken out
)

// doubt is between which scores that of a check lies when something may be hidden from it.
type doubt struct {
	low, high float64
	held      bool // Holds is certain all the same
}

// anyScore is the doubt of a check of which nothing more is known.
func anyScore() *doubt { return &doubt{high: 1} }

// heeding is a check that asks Subject.veil whenever it compares texts, so that it has a lowest and a highest score.
type heeding interface{ heedsVeil() }

// hiding is a check that knows better than its Reads whether something that it looks at was taken out.
type hiding interface{ hides(s *Subject) bool }

// doubt is how far the score of a check may be off, because something was taken out of the conversation; nil: it is
// certain. A combination knows that from its parts.
func (c *Compiled) doubt(ctx context.Context, s *Subject, f Finding) *doubt {
	if f.doubt != nil || !s.Stored || s.veil != lifted || c.Nested() != nil || !c.looksAtTakenOut(s) {
		return f.doubt
	}
	d := anyScore()
	if _, ok := c.Check.(heeding); !ok {
		return d
	}
	least, err := c.Check.Eval(ctx, s.under(strict))
	most, err2 := c.Check.Eval(ctx, s.under(generous))
	if err != nil || err2 != nil {
		return d
	}
	d.low, d.high = min(least.Score, most.Score), max(least.Score, most.Score)
	if d.low == d.high && d.low == f.Score {
		return nil
	}
	return d
}

// looksAtTakenOut reports whether something was taken out of what the check looks at.
func (c *Compiled) looksAtTakenOut(s *Subject) bool {
	const elsewhere = outside | NeedsEmbedding
	if s.Answered && !c.Def.custom && c.Needs()&elsewhere != 0 {
		return false // who answered knew it
	}
	if h, ok := c.Check.(hiding); ok {
		return h.hides(s)
	}
	return s.takenOut(c.Def.Reads)
}

// settled reports whether the verdict on a finding is the same for every score that it may have.
func (c *Compiled) settled(f Finding) bool {
	d := f.doubt
	if d == nil {
		return true
	}
	least, most := 1-slack, math.Inf(1)
	if c.MaxScore != nil {
		most = *c.MaxScore + slack
	}
	switch {
	case c.MinScore != nil:
		least = *c.MinScore - slack
	case c.MaxScore != nil && !c.MustPass:
		least = math.Inf(-1)
	case f.Holds != nil && !d.held:
		return false
	case f.Holds != nil && !*f.Holds:
		return true
	case f.Holds != nil:
		least = math.Inf(-1)
	}
	passes, fails := d.low >= least && d.high <= most, d.high < least || d.low > most
	return passes || fails
}

// takenOut reports whether something was taken out of a part of a stored conversation.
func (s *Subject) takenOut(part Reads) bool {
	if !s.Stored {
		return false
	}
	switch part {
	case ReadsReply:
		return strings.Contains(s.Output(), secret.Redacted)
	case ReadsReplies:
		return slices.ContainsFunc(s.Texts(), func(r Reply) bool { return strings.Contains(r.Text, secret.Redacted) })
	case ReadsArgs:
		return slices.ContainsFunc(s.Calls, func(c Call) bool { return c.argsTakenOut() })
	case ReadsResults:
		return slices.ContainsFunc(s.Calls, func(c Call) bool { return c.resultTakenOut() })
	case ReadsMedia:
		inParts := func(m chat.Message) bool {
			return partsTakenOut(m.Parts) || m.ToolResult != nil && partsTakenOut(m.ToolResult.Parts)
		}
		return slices.ContainsFunc(s.Messages[s.Start:], inParts) ||
			slices.ContainsFunc(s.Calls, func(c Call) bool { return partsTakenOut(c.Parts) })
	case ReadsShown, ReadsNothing:
		return false
	case ReadsAll:
	}
	return slices.ContainsFunc(s.Messages, messageTakenOut) || redactedIn(s.Metadata) ||
		slices.ContainsFunc(s.Calls, func(c Call) bool { return c.argsTakenOut() || c.resultTakenOut() })
}

// hidden reports whether something was taken out of what a judge is shown, who did not judge before that.
func (s *Subject) hidden(exhibits []grading.Exhibit) bool {
	return s.Stored && !s.Answered && slices.ContainsFunc(exhibits, func(x grading.Exhibit) bool {
		return strings.Contains(x.Text, secret.Redacted)
	})
}

func (c *Call) argsTakenOut() bool {
	return redactedIn(c.Args) || strings.Contains(c.BadArgs, secret.Redacted)
}

func (c *Call) resultTakenOut() bool {
	return redactedIn(c.Result) || partsTakenOut(c.Parts) || strings.Contains(c.Error, secret.Redacted)
}

func messageTakenOut(m chat.Message) bool {
	if r := m.ToolResult; r != nil && (strings.Contains(r.Content+r.Error, secret.Redacted) || partsTakenOut(r.Parts)) {
		return true
	}
	return strings.Contains(m.Content, secret.Redacted) || partsTakenOut(m.Parts) ||
		slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool {
			return redactedIn(c.Args) || strings.Contains(c.BadArgs, secret.Redacted)
		})
}

func partsTakenOut(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool {
		text := p.Text
		if m := p.Media; m != nil {
			text += m.MIMEType + m.Data + m.URL + m.Path + m.Caption
		}
		return strings.Contains(text, secret.Redacted)
	})
}

// redactedIn looks through a decoded JSON value, keys as well.
func redactedIn(v any) bool {
	for text := range jsonvalue.Texts(v) {
		if strings.Contains(text, secret.Redacted) {
			return true
		}
	}
	return false
}
