package replay

import (
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/tools"
)

// script is a recorded conversation, as it is played. It is immutable.
type script struct {
	name   string // for messages
	turns  []scene
	broken string // why the recorded conversation broke off
}

// scene is one message of the user and what was answered.
type scene struct {
	user  string
	lines []line
	mute  bool // a guardrail answered: the model said nothing
}

func (s *scene) answered() bool { return len(s.lines) > 0 || s.mute }

// line is one recorded reply of the model.
type line struct {
	content string
	parts   []chat.Part
	calls   []chat.ToolCall
	came    map[int]*chat.ToolResult // by the index of the call
	finish  string
	model   string
	usage   *chat.Usage
	usd     *float64
	latency time.Duration
}

// newScript makes scenes of the messages. Messages of the user that nobody answered are left out, and so is what the
// assistant said before the user spoke.
func newScript(s *recording.Session) *script {
	out := &script{name: s.File, broken: s.Error}
	if s.ID != "" {
		out.name += ", session " + s.ID
	}
	var open *scene
	for i := range s.Messages {
		m := &s.Messages[i]
		switch m.Role {
		case chat.User:
			if open == nil || open.answered() {
				out.turns = append(out.turns, scene{})
				open = &out.turns[len(out.turns)-1]
			}
			open.user = m.Text()
		case chat.Assistant:
			switch {
			case open == nil:
			case m.Blocked():
				open.mute = true
			default:
				open.lines = append(open.lines, newLine(s, i))
			}
		case chat.System, chat.ToolRole:
		}
	}
	if open != nil && !open.answered() {
		out.turns = out.turns[:len(out.turns)-1]
	}
	return out
}

// newLine takes what the model said, also where a guardrail changed it afterwards.
func newLine(s *recording.Session, i int) line {
	m := s.Messages[i].Said()
	l := line{
		content: m.Content, parts: m.Parts, calls: m.ToolCalls, finish: m.FinishReason,
		model: s.Model, usage: m.Usage, usd: m.CostUSD, latency: latency(s.Messages, i), came: s.Results(i),
	}
	if l.finish == "" {
		l.finish = "stop"
		if len(l.calls) > 0 {
			l.finish = "tool_calls"
		}
	}
	return l
}

// latency is what was recorded, else the time since the message before.
func latency(messages []recording.Message, i int) time.Duration {
	m := &messages[i]
	switch {
	case m.LatencyMS > 0:
		return time.Duration(m.LatencyMS * float64(time.Millisecond))
	case i == 0 || m.Offset < 0 || messages[i-1].Offset < 0:
		return 0
	}
	return max(0, m.Offset-messages[i-1].Offset)
}

// results are what the tools returned when the reply was recorded, for calls with the ids that they have now. With all
// a call without a recorded result fails.
func (l *line) results(calls []chat.ToolCall, all bool) []chat.ToolResult {
	var out []chat.ToolResult
	for i, c := range calls {
		switch r := l.came[i]; {
		case r != nil:
			came := *r
			came.ID, came.Name = c.ID, c.Name
			out = append(out, came)
		case all:
			out = append(out, tools.Failure(c, chat.ErrorExecution, "the recording has no result for this call of "+c.Name))
		}
	}
	return out
}
