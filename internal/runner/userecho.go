package runner

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/chat"
)

// A model that has lost the thread of the conversation says again what was said before: by the agent, by its own
// instructions or by itself. Such a user asks nothing, and the agent is not tested.

// echo is what a persona said last, to find out whether it says anything new.
type echo struct {
	said  []string // letters and digits of its last messages
	heard int      // how often it said what the agent had said last
	own   string   // letters and digits of its instructions; "": not looked at yet
}

// warnOfEchoes warns of a message that repeats what stands before it. The text of a mock that has no reply does not
// count.
func (t *talk) warnOfEchoes(words string, generic bool) {
	s, persona, plain := t.s, t.p.persona.ID, lettersOf(words)
	if generic || plain == "" {
		return
	}
	if t.echo.own == "" {
		own, _, _ := strings.Cut(t.system, endInstruction)
		t.echo.own = lettersOf(own)
	}
	if s.repeatsAgent(plain) {
		t.echo.heard++
		if t.echo.heard > 1 || len(words) >= sentence { // one "Hello" is a greeting
			s.warn(fmt.Sprintf("the persona %q says back what the agent said last", persona))
		}
	}
	if own := t.echo.own; plain == own || len(own) >= sentence && strings.Contains(plain, own) {
		s.warn(fmt.Sprintf("the persona %q says its own instructions", persona))
	}
	if n := t.echo.period(plain); n > 0 {
		what := "the same again and again, with other signs"
		if n > 1 {
			what = fmt.Sprintf("the same %d messages by turns", n)
		}
		s.warn(fmt.Sprintf("the persona %q says %s: %q", persona, what, cutWords(words)))
	}
}

// sentence is how many bytes a text has at least that nobody repeats by chance.
const sentence = 20

// untilSeen is how many messages show that they repeat themselves after one, two or three of them.
var untilSeen = [...]int{1: stuckAfter + 1, 2: 6, 3: 9}

// period is after how many messages a new one and those before it repeat themselves; 0: they do not.
func (e *echo) period(plain string) int {
	e.said = append(e.said, plain)
	if most := untilSeen[len(untilSeen)-1]; len(e.said) > most {
		e.said = slices.Clone(e.said[1:])
	}
	for n := 1; n < len(untilSeen); n++ {
		from := len(e.said) - untilSeen[n]
		if from < 0 {
			continue
		}
		if last := e.said[from:]; slices.Equal(last[n:], last[:len(last)-n]) {
			return n
		}
	}
	return 0
}

// repeatsAgent reports whether the letters of a text are those of what the agent said last.
func (s *session) repeatsAgent(plain string) bool {
	for i := len(s.messages) - 1; i >= 0; i-- {
		if m := &s.messages[i]; m.Role == chat.Assistant && m.Content != "" {
			return plain == lettersOf(m.Content)
		}
	}
	return false
}

// lettersOf is the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
