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
	turns  []recordedTurn
	broken string // why the recorded conversation broke off
	system string // the prompt with which it begins; "": it was not recorded
}

// recordedTurn is what the user said and what was answered.
type recordedTurn struct {
	user    string // all messages up to the answer
	last    string // the last one of them
	replies []recordedReply
	blocked bool // a guardrail answered, and the model was not asked
}

// matches reports whether a text is the user's message of the turn.
func (s *recordedTurn) matches(words string) bool { return s.user == words || s.last == words }

// recordedReply is one recorded reply of the model.
type recordedReply struct {
	content    string
	parts      []chat.Part
	calls      []chat.ToolCall
	results    map[int]*chat.ToolResult // by the index of the call
	finish     string
	model      string
	usage      *chat.Usage
	usd        *float64
	latency    time.Duration
	unreported []string // see chat.Message
}

// newScript makes the script of a conversation, without unanswered user messages and replies before the first one.
func newScript(s *recording.Session) *script {
	out := &script{name: s.File, broken: s.Error}
	if s.ID != "" {
		out.name += ", session " + s.ID
	}
	if len(s.Messages) > 0 && s.Messages[0].Role == chat.System {
		out.system = s.Messages[0].Text()
	}
	for _, turn := range recording.Turns(s.Messages) {
		t, asked := recordedTurn{user: recording.UserText(turn)}, false
		for i := range turn {
			switch m := &turn[i]; {
			case m.Role == chat.User:
				t.last, asked = m.Text(), true
			case m.Role != chat.Assistant || !asked:
			case m.Blocked():
				t.blocked = true
			default:
				t.replies = append(t.replies, newRecordedReply(s.Model, turn, i))
			}
		}
		if len(t.replies) > 0 || t.blocked {
			out.turns = append(out.turns, t)
		}
	}
	return out
}

// newRecordedReply takes the reply of the model, before a guardrail changed it.
func newRecordedReply(model string, turn []recording.Message, i int) recordedReply {
	m := turn[i].Said()
	l := recordedReply{
		content: m.Content, parts: m.Parts, calls: m.ToolCalls, finish: m.FinishReason,
		model: model, usage: m.Usage, usd: m.CostUSD, latency: latency(turn, i), results: recording.Results(turn, i),
		unreported: m.Unreported,
	}
	if l.finish == "" {
		l.finish = "stop"
		if len(l.calls) > 0 {
			l.finish = "tool_calls"
		}
	}
	return l
}

// latency is the recorded latency, else the time since the message before.
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

// resultsFor is what the tools returned when the reply was recorded, for calls with the ids that they have now. With
// all a call without a recorded result fails.
func (l *recordedReply) resultsFor(calls []chat.ToolCall, all bool) []chat.ToolResult {
	var out []chat.ToolResult
	for i, c := range calls {
		switch r := l.results[i]; {
		case r != nil:
			result := *r
			result.ID, result.Name = c.ID, c.Name
			out = append(out, result)
		case all:
			out = append(out, tools.Failure(c, chat.ErrorExecution, "the recording has no result for this call of "+c.Name))
		}
	}
	return out
}
