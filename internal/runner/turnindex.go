package runner

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// turnIndex is where a turn stands, from 0: its number in the conversation, by which everybody knows it who sees the
// conversation, and the turn of the scenario that it came from, which says what is asserted of it.
type turnIndex struct{ number, script int }

func indexOf(t *result.Turn) turnIndex { return turnIndex{t.Index, t.Script()} }

// next is the place of the turn that comes next, from a turn of the scenario.
func (s *session) next(script int) turnIndex { return turnIndex{len(s.out.Turns), script} }

// addTurn adds a turn to the result, to be filled.
func (s *session) addTurn(at turnIndex, user string) *result.Turn {
	t := result.Turn{
		Index: at.number, User: user,
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

// following is the turn of the scenario behind those that the turns so far came from.
func (s *session) following() int {
	if n := len(s.out.Turns); n > 0 {
		return s.out.Turns[n-1].Script() + 1
	}
	return 0
}

// following is the same for turns of which only that is known.
func following(scripts []int) int {
	if n := len(scripts); n > 0 {
		return scripts[n-1] + 1
	}
	return 0
}

// scriptsOf are the turns of the scenario to which those of a recorded conversation belong.
func (s *session) scriptsOf(exchanges [][]recording.Message) []int {
	scripts := make([]int, len(exchanges))
	for i := range scripts {
		scripts[i] = i
	}
	return scripts
}
