package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// turnIndex is the position of a turn, from 0: number is its number in the conversation, which reports show; script is
// the turn of the scenario that it came from, whose assertions apply.
type turnIndex struct{ number, script int }

func indexOf(t *result.Turn) turnIndex { return turnIndex{t.Index, t.Script()} }

// next is the place of the turn that comes next, from a turn of the scenario.
func (s *session) next(script int) turnIndex { return turnIndex{len(s.out.Turns), script} }

// addTurn adds a turn to the result, to be filled.
func (s *session) addTurn(at turnIndex, user string) *result.Turn {
	t := result.Turn{
		Index: at.number, User: user, Persona: s.personaOf(at.script),
		Messages: []chat.Message{}, ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{},
	}
	t.From(at.script)
	s.out.Turns = append(s.out.Turns, t)
	return &s.out.Turns[len(s.out.Turns)-1]
}

// repliesBefore is how many replies there were in earlier turns that came from the same turn of the scenario.
func (s *session) repliesBefore(at turnIndex) (n int) {
	for i := len(s.out.Turns) - 1; i >= 0; i-- {
		t := &s.out.Turns[i]
		if t.Script() != at.script {
			break
		}
		if t.Index == at.number {
			continue
		}
		for k := range t.Messages {
			if t.Messages[k].Role == chat.Assistant {
				n++
			}
		}
	}
	return n
}

// following is the turn of the scenario after the last one in scripts.
func (s *session) following() int {
	if n := len(s.out.Turns); n > 0 {
		return s.out.Turns[n-1].Script() + 1
	}
	return 0
}

// following is the turn of the scenario after the last one in scripts.
func following(scripts []int) int {
	if n := len(scripts); n > 0 {
		return scripts[n-1] + 1
	}
	return 0
}

// scriptsOf are the turns of the scenario that the turns of a recorded conversation belong to. When the recording does
// not say, surplus turns belong to the turn of self-play, if there is only one.
func (s *session) scriptsOf(exchanges [][]recording.Message) []int {
	scripts := make([]int, len(exchanges))
	turns := s.trial.Scenario.Turns
	played := slices.IndexFunc(turns, func(t scenario.Turn) bool { return t.Most() > 1 })
	more := 0 // that it has beyond its first
	if played >= 0 && !slices.ContainsFunc(turns[played+1:], func(t scenario.Turn) bool { return t.Most() > 1 }) {
		more = min(max(len(exchanges)-len(turns), 0), turns[played].Most()-1)
	}
	for i, messages := range exchanges {
		scripts[i] = i
		if more > 0 && i > played {
			scripts[i] = max(i-more, played)
		}
		for k := range messages {
			if of := messages[k].Script; of != nil && !s.everyReply() {
				scripts[i] = *of
				break
			}
		}
	}
	return scripts
}
