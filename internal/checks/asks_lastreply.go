package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// BansInLastReply reports whether the check, or one within it, passes because something is missing from a reply or a
// limit is not exceeded, and looks only at the last one: at the end of a conversation the replies before it may hold
// what must not be said.
func (c *Compiled) BansInLastReply() bool { return c.bansInLastReply(false) }

// bansInLastReply is BansInLastReply for a check that passes where it is not met, when turned is true.
func (c *Compiled) bansInLastReply(turned bool) bool {
	if c.MaxScore != nil && c.MinScore == nil && *c.MaxScore < 1 {
		turned = !turned
	}
	if parts := c.Nested(); parts != nil {
		if _, not := c.Check.(*negation); not {
			turned = !turned
		}
		return slices.ContainsFunc(parts, func(part *Compiled) bool { return part.bansInLastReply(turned) })
	}
	if c.session || c.Def.Scope == WholeAlways || c.Def.Reads != ReadsReply && !ofLastReply(c.Check) {
		return false
	}
	match, decided := c.Check.(decidedByPattern)
	forbids := cleanOf(c.Def, c.Check) != NotClean || limitsSomething(c.Check)
	if decided && match.scoreOfMatch() == 0 || !decided && forbids {
		turned = !turned
	}
	return turned
}

// ofLastReply reports whether a check looks at what the last reply took, and not at its words.
func ofLastReply(check Check) bool {
	_, ok := check.(interface{ ofLastReply() })
	return ok
}

// BesideLastReply says what the replies that a check of BansInLastReply does not look at may do, and what to write so
// that it looks at them.
func (c *Compiled) BesideLastReply() (may, instead string) {
	if cleanOf(c.Def, c.Check) == Limits || limitsSomething(c.Check) {
		return "exceed its limit", "assert it in each turn"
	}
	return "hold what it forbids", "write content_excludes, which looks at every reply, or assert it in each turn"
}

// Remarks are what to tell of a verdict that passed, where it means less than it seems. The subject is the one that was
// judged.
func (c *Compiled) Remarks(ctx context.Context, s *Subject, v *result.Verdict) (texts []string) {
	if v.Status != result.Passed {
		return nil
	}
	if c.metBefore(ctx, s) {
		texts = append(texts, c.Type+" looks at the calls of the whole conversation, and held before this turn "+
			"began: assert it in the turn whose calls are meant, or of the conversation")
	}
	if c.session {
		s = s.Whole()
	}
	if n := len(spoken(s)); n > 1 && c.BansInLastReply() {
		where := "the turn"
		if s.Session {
			where = "the conversation"
		}
		may, instead := c.BesideLastReply()
		texts = append(texts, fmt.Sprintf("%s looked only at the last of %s of %s, and the others may %s: %s",
			c.Type, plural.Of(n, "reply", "replies"), where, may, instead))
	}
	if what, unmet := v.Details[unmetFilter].(string); unmet && c.Type == "json_path" {
		texts = append(texts, "json_path passed because its filter selects nothing: "+what)
	}
	if fields, ok := c.Check.(fieldPresence); ok && s.masking == unmasked {
		if within := fields.withinWords(s.last()); len(within) > 0 {
			texts = append(texts, c.Type+" found "+say.Quoted(within)+" only within other words: ask for a field with "+
				"json_path or json_schema, and for a word with regex and \\b")
		}
	}
	return texts
}

// metBefore reports whether a check of an order of calls in the whole conversation, asked in a turn, held before that.
func (c *Compiled) metBefore(ctx context.Context, s *Subject) bool {
	switch c.Check.(type) {
	case *toolOrder, *trajectory:
	default:
		return false
	}
	if s.Session || s.Turn < 1 {
		return false
	}
	before := s.Whole().Fork()
	before.Calls = slices.DeleteFunc(slices.Clone(before.Calls), func(call Call) bool { return call.Turn >= s.Turn })
	if len(before.Calls) == 0 {
		return false
	}
	f, err := c.Check.Eval(ctx, before)
	return err == nil && (f.Holds == nil && f.Score >= 1-slack || f.Holds != nil && *f.Holds)
}

// withinWords are the fields that a reply has only at the end or in the middle of other words, as "eta" in "details".
func (c fieldPresence) withinWords(reply *Reply) (fields []string) {
	begins := func(text, field string) bool {
		for at := 0; ; {
			i := strings.Index(text[at:], field)
			if i < 0 {
				return false
			}
			before, _ := utf8.DecodeLastRuneInString(text[:at+i])
			if at+i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				return true
			}
			_, size := utf8.DecodeRuneInString(text[at+i:])
			at += i + size
		}
	}
	for i := range c {
		if p := &c[i]; p.in(reply, false) && !p.fits(reply, false, begins) {
			fields = append(fields, p.text)
		}
	}
	return fields
}
