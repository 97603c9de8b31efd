package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// compareWithScenario warns when a recorded conversation is not that of the scenario: the user's messages differ, or
// there are more turns. Then an assertion of a turn may judge the reply to another question. With --strict such a trial
// is an error.
func (s *session) compareWithScenario(parts [][]recording.Message, scripts []int) {
	turns := s.trial.Scenario.Turns
	if s.everyReply() {
		return
	}
	if known := len(turns); following(scripts) > known {
		s.warnMismatch(fmt.Sprintf("the recording has %d turns and the scenario %d: the other turns are not checked",
			len(parts), known))
	}
	for i, of := range scripts {
		if of >= len(turns) {
			break
		}
		asked := strings.TrimSpace(recording.UserText(parts[i]))
		if turns[of].Persona() != "" || s.userSays(of, asked) {
			continue
		}
		s.warnMismatch(fmt.Sprintf("turn %d differs: the user said %q in the recording, and the scenario says %q",
			i+1, cutWords(asked), cutWords(s.userWords(of))))
	}
}

// userSays reports whether the user of the scenario says these words in a turn, in any variant.
func (s *session) userSays(turn int, words string) bool {
	if isSame(words, s.userWords(turn)) {
		return true
	}
	own := s.own.Variant
	defer func() { s.own.Variant = own }()
	return slices.ContainsFunc(variants(s.trial.Scenario), func(v Variant) bool {
		s.own.Variant = v
		return isSame(words, s.userWords(turn))
	})
}

// userWords is what the user of the scenario says in a turn.
func (s *session) userWords(turn int) string {
	spec := &s.trial.Scenario.Turns[turn]
	text, _ := s.values.at(turn).UserText(spec.Content) // loading reports unknown placeholders
	if spec.Literal {
		text = spec.Content
	}
	if text == "" {
		user := scenario.Turn{Parts: spec.Parts, Literal: spec.Literal}
		message := s.userMessage(turnIndex{turn, turn}, &user)
		text = message.Text()
	}
	return strings.TrimSpace(text)
}

func (s *session) warnMismatch(text string) {
	if !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
	if s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = text
	}
}
