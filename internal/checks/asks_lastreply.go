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

// OfLastReplyAlone reports whether the check, or one within it, looks only at the last reply although it is probably
// meant for every reply, because it forbids or limits something or requires a form. may says what earlier replies may
// then do, and instead says what to write so that they are checked too.
func (c *Compiled) OfLastReplyAlone() (may, instead string, alone bool) {
	return c.ofLastReplyAlone(false)
}

// ofLastReplyAlone is OfLastReplyAlone. With turned the outcome of the check is reversed.
func (c *Compiled) ofLastReplyAlone(turned bool) (may, instead string, alone bool) {
	if c.MaxScore != nil && c.MinScore == nil && *c.MaxScore < 1 {
		turned = !turned
	}
	if parts := c.Nested(); parts != nil {
		if _, not := c.Check.(*negation); not {
			turned = !turned
		}
		for _, part := range parts {
			if may, instead, alone = part.ofLastReplyAlone(turned); alone {
				break
			}
		}
		return may, instead, alone
	}
	if c.session || c.Def.Scope == WholeAlways || c.Def.Reads != ReadsReply && !c.Def.LastReply {
		return "", "", false
	}
	match, decided := c.Check.(decidedByPattern)
	limits := limitsSomething(c.Check)
	forbids := turned
	if decided && match.scoreOfMatch() == 0 || !decided && (limits || cleanOf(c.Def, c.Check) != NotClean) {
		forbids = !turned
	}
	switch {
	case forbids && (limits || cleanOf(c.Def, c.Check) == Limits):
		return "exceed its limit", "assert it in each turn", true
	case forbids:
		return "hold what it forbids", "write content_excludes, which looks at every reply, or assert it in each turn", true
	case c.Def.Form && !turned:
		return "fail it", "assert it in each turn; where the last reply alone is meant, in the last turn", true
	}
	return "", "", false
}

// Remarks returns warnings about a passed verdict that means less than it seems. s is the subject that was judged.
func (c *Compiled) Remarks(ctx context.Context, s *Subject, v *result.Verdict) (texts []string) {
	if v.Status != result.Passed {
		return nil
	}
	if c.metBefore(ctx, s) {
		texts = append(texts, c.Type+" looks at the calls of the whole conversation, and held before this turn "+
			"began: assert it in the turn whose calls are meant, or of the conversation")
	}
	if c.session {
		s = s.Conversation()
	}
	if may, instead, alone := c.OfLastReplyAlone(); alone && len(spoken(s)) > 1 {
		where := "the turn"
		if s.Session {
			where = "the conversation"
		}
		texts = append(texts, fmt.Sprintf("%s looked only at the last of %s of %s, and the others may %s: %s",
			c.Type, plural.Of(len(spoken(s)), "reply", "replies"), where, may, instead))
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

// metBefore reports whether a turn's check of an order of calls in the whole conversation passed before this turn.
func (c *Compiled) metBefore(ctx context.Context, s *Subject) bool {
	switch c.Check.(type) {
	case *toolOrder, *trajectory:
	default:
		return false
	}
	if s.Session || s.Turn < 1 {
		return false
	}
	before := s.Conversation().Fork()
	before.Calls = slices.DeleteFunc(slices.Clone(before.Calls), func(call Call) bool { return call.Turn >= s.Turn })
	if len(before.Calls) == 0 {
		return false
	}
	f, err := c.Check.Eval(ctx, before)
	return err == nil && (f.Holds == nil && f.Score >= 1-slack || f.Holds != nil && *f.Holds)
}

// withinWords are the fields that a reply has only as a part of other words, as "eta" in "details".
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
