package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// holdAgainst warns where the scenario that judges a recorded conversation is about another one: the user said other
// words in it, or went on after its last turn. What is asserted of a turn then need not be about what was asked. Under
// --strict such a trial is an error.
func (s *session) holdAgainst(parts [][]recording.Message) {
	turns := s.trial.Scenario.Turns
	if s.everyReply() {
		return
	}
	if known := len(turns); len(parts) > known {
		s.otherTalk(fmt.Sprintf("the recording has %d turns and the scenario %d: nothing is asserted of the others",
			len(parts), known))
	}
	for i := range min(len(turns), len(parts)) {
		asked := strings.TrimSpace(recording.Asked(parts[i]))
		if turns[i].Persona() != "" || s.says(i, asked) {
			continue
		}
		s.otherTalk(fmt.Sprintf("turn %d is another one: the user said %q in the recording, and the scenario says %q",
			i+1, cutWords(asked), cutWords(s.words(i))))
	}
}

// says reports whether the user of the scenario says some words in a turn, in one of its variants.
func (s *session) says(turn int, words string) bool {
	if s.words(turn) == words {
		return true
	}
	own := s.own.Variant
	defer func() { s.own.Variant = own }()
	return slices.ContainsFunc(variants(s.trial.Scenario), func(v Variant) bool {
		s.own.Variant = v
		return s.words(turn) == words
	})
}

// words are what the user of the scenario says in a turn.
func (s *session) words(turn int) string {
	spec := &s.trial.Scenario.Turns[turn]
	text, _ := s.values.at(turn).UserText(spec.Content) // what is open in it was told while it was read
	if spec.Literal {
		text = spec.Content
	}
	if text == "" {
		user := scenario.Turn{Parts: spec.Parts, Literal: spec.Literal}
		message := s.userMessage(turn, &user)
		text = message.Text()
	}
	return strings.TrimSpace(text)
}

func (s *session) otherTalk(text string) {
	if !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
	if s.opts.Strict && s.out.Error == "" && s.out.Status != result.Cancelled {
		s.out.Error = text
	}
}
