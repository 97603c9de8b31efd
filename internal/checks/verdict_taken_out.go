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

// errTakenOut is returned when a verdict depends on redacted values.
var errTakenOut = errors.New("not known: " + secret.Redacted + " replaces what was said, and may hide what " +
	"decides here; judge the conversation in the run itself")

// Reads says which redactable parts of a conversation a check reads. The zero value is the safe one: such a check
// cannot judge if anything was redacted.
type Reads uint8

// The parts of a conversation that checks read.
const (
	ReadsAll     Reads = iota // everything
	ReadsReply                // the text of the reply under test
	ReadsReplies              // texts of all replies in scope
	ReadsArgs                 // arguments of tool calls
	ReadsResults              // results of tool calls
	ReadsMedia                // images, sounds and videos
	ReadsShown                // what is shown to a judge; the check itself tests whether that is redacted
	ReadsNothing              // names, numbers, times, costs and states, which are never redacted
)

// doubt is the range of the possible scores of a check when something may be redacted.
type doubt struct {
	low, high float64
	held      bool  // Holds is certain nevertheless
	why       error // nil: something is redacted
}

// anyScore is the doubt of a check that may have any score.
func anyScore() *doubt { return &doubt{high: 1} }

// heeding is a check that uses Subject.masking for all comparisons of texts, so it has a lowest and a highest score.
type heeding interface{ boundsRedacted() }

// hiding is a check that tests more exactly than its Reads whether redacted parts matter.
type hiding interface{ hides(s *Subject) bool }

// doubt returns the range of the score if something was redacted; nil: the score is certain. A combined check gets its
// doubt from its parts.
func (c *Compiled) doubt(ctx context.Context, s *Subject, f Finding) *doubt {
	if f.doubt != nil || !s.Stored || s.masking != unmasked || c.Nested() != nil || !c.looksAtTakenOut(s) {
		return f.doubt
	}
	d := anyScore()
	if _, ok := c.Check.(heeding); !ok {
		return d
	}
	least, err := c.Check.Eval(ctx, s.under(neverMatch))
	most, err2 := c.Check.Eval(ctx, s.under(alwaysMatch))
	if err != nil || err2 != nil {
		return d
	}
	d.low, d.high = min(least.Score, most.Score), max(least.Score, most.Score)
	if d.low == d.high && d.low == f.Score {
		return nil
	}
	return d
}

// looksAtTakenOut reports whether something was redacted in what the check reads.
func (c *Compiled) looksAtTakenOut(s *Subject) bool {
	const elsewhere = outside | NeedsEmbedding
	if s.Answered && !c.Def.custom && c.Needs()&elsewhere != 0 {
		return false // the answer was recorded before the redaction
	}
	if h, ok := c.Check.(hiding); ok {
		return h.hides(s)
	}
	return s.takenOut(c.Def.Reads)
}

// settled reports whether the verdict is the same for every possible score of a finding.
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
	if c.MinScore != nil && c.limitedItself() {
		broken := c.keptScore(f) < *c.MinScore-slack
		passes, fails = passes && d.held && !broken, fails || d.held && broken
	}
	return passes || fails
}

// takenOut reports whether something was redacted in a part of a stored conversation.
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

// hidden reports whether exhibits for a judge are redacted, and the judge's answer is not from before the redaction.
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

// redactedIn searches a decoded JSON value, including its keys.
func redactedIn(v any) bool {
	for text := range jsonvalue.Texts(v) {
		if strings.Contains(text, secret.Redacted) {
			return true
		}
	}
	return false
}
