package scenario

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
)

// unusedReplies warns of replies that no conversation uses: those for turns with replies of their own, and those after
// the last one that is needed. places are the positions of scenario names.
func (l *loader) unusedReplies(m *mockNames, places map[string]int, p *Project, s *Scenario) {
	i, ok := places[s.ID]
	if other, too := places[s.Alias]; s.Alias != "" && too && (!ok || other < i) {
		i, ok = other, true
	}
	others := func(t Turn) bool { return t.Role != "user" }
	if !ok || s.Skip != "" || slices.ContainsFunc(s.Turns, others) || len(p.CompositionsFor(s)) > 0 {
		return
	}
	name := m.scenarios[i]
	canned := m.file.Scenarios[name.name]
	if canned == nil || len(canned.Turns) == 0 && canned.Default == nil {
		return
	}
	if drawsCalls(s, canned) {
		return
	}
	warn := func(hint, format string, args ...any) {
		l.diags.Warnf(name.pos, utf8.RuneCountInString(name.name), "unused-reply", format, args...).Hint = hint
	}
	const choose = "take one of the two out; the numbered replies of a file win where --mock-config names it"
	use := usedReplies(s, canned, m.file.First)
	if len(use.hidden) > 0 {
		first := s.Turns[use.hidden[0].turn].Pos
		warn(choose, "%s of scenario %q will never be said: the turns bring their own mock replies, the first in %s:%d",
			numbered(use.hidden), s.ID, first.File, first.Line)
	}
	if len(canned.Turns) == 0 && !use.fallback {
		warn(choose, "the defaultResponse of scenario %q will never be said: all turns bring their own mock replies", s.ID)
	}
	if n := len(canned.Turns); n > 0 && canned.Turns[n-1].Index > use.asked {
		warn("a reply that calls no tool ends a turn, and the scenario has "+plural.Count(len(s.Turns), "turn"),
			"the conversation of scenario %q ends with reply %d; the replies up to %d are never used",
			s.ID, use.asked, canned.Turns[n-1].Index)
	}
}

// replyUse is the set of replies that a conversation uses.
type replyUse struct {
	asked    int           // number of replies
	fallback bool          // one of them is the default
	hidden   []hiddenReply // replies of a file for turns with replies of their own
}

type hiddenReply struct{ number, turn int }

// usedReplies follows the conversation of a scenario through its replies on turns and in a file; first: the numbered
// ones of the file have precedence. A reply without tool calls ends its turn.
func usedReplies(s *Scenario, canned *MockScenario, first bool) (use replyUse) {
	for i := range s.Turns {
		inline := s.Turns[i].Inline()
		for round := 0; ; round++ {
			use.asked++
			filed := canned.At(use.asked)
			reply := filed
			if len(inline) > 0 && !(first && filed != nil) {
				if round >= len(inline) {
					break // the conversation fails here
				}
				reply = &inline[round]
				if filed != nil {
					use.hidden = append(use.hidden, hiddenReply{use.asked, i})
				}
			}
			use.fallback = use.fallback || reply == nil
			if reply == nil || !reply.mayCall() {
				break
			}
		}
	}
	return use
}

// numbered names replies by their numbers.
func numbered(replies []hiddenReply) string {
	if len(replies) == 1 {
		return fmt.Sprintf("reply %d", replies[0].number)
	}
	texts := make([]string, len(replies))
	for i, r := range replies {
		texts[i] = fmt.Sprint(r.number)
	}
	return "replies " + strings.Join(texts, ", ")
}
