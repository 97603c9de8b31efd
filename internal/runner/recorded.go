package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// Recorded is a conversation that a trial does not have, because it was had before: the trial only judges it.
type Recorded struct {
	// Load reads the conversation. It is called once by every trial, when that starts.
	Load func() (*recording.Session, error)
	File string // where it stands; "" in none
	// Name tells it from the other conversations of the same eval, in the trial's id; "" where it is the only one.
	Name string
	At   Moment // the zero value is all of them

	index    int    // among the conversations of the file
	scenario string // that was run, as far as the recording knows
	taskType string // of its prompt; the same
	untold   []string
}

// errNoReply is returned for a conversation in which nobody answers: every "must not say" would hold of it.
var errNoReply = errors.New("the recording holds no reply of an assistant: there is nothing to judge")

// recall takes the conversation from its recording and judges each turn in its time, and the whole at the end.
func (s *session) recall(ctx context.Context) {
	rec, err := s.trial.Recorded.Load()
	if err != nil {
		s.out.Error = fmt.Sprintf("the recording cannot be read: %v", err)
		s.abandon(0, s.out.Error)
		return
	}
	s.describe(rec)
	parts := recording.Exchanges(s.prologue(rec.Messages))
	if turn, there := s.trial.Recorded.At.asked(len(parts)); !there {
		s.out.Error = fmt.Sprintf("there is no turn %d, counted from 0: the conversation has %d", turn, len(parts))
		s.abandon(len(parts), s.out.Error)
		return
	}
	replies := 0
	for i, part := range parts {
		turn, answered := s.retell(ctx, i, part)
		if answered {
			replies++
			s.tell.turnCompleted(turn)
			continue
		}
		if err := s.unanswered(rec, turn); err != nil {
			s.fail(ctx, turn, err)
			return
		}
		s.tell.turnCompleted(turn)
	}
	switch {
	case ctx.Err() != nil:
		s.interrupted(ctx)
	case replies == 0:
		s.out.Error = errNoReply.Error()
		s.abandon(len(parts), s.out.Error)
	case rec.Error != "" && s.trial.Recorded.At.end():
		s.out.Error = brokeOff(rec).Error()
		s.abandon(len(parts), s.out.Error)
	case s.missing(len(parts)) != nil:
		s.out.Error = s.missing(len(parts)).Error()
		s.abandon(len(parts), s.out.Error)
	case s.trial.Recorded.At.end():
		s.judgeConversation(ctx)
		s.holdAgainst(parts)
	}
}

// describe notes where the conversation comes from.
func (s *session) describe(rec *recording.Session) {
	s.id = rec.ID
	from := s.out.Recording
	from.Format, from.Session, from.Provider, from.Model = string(rec.Format), rec.ID, rec.Provider, rec.Model
	if rec.Model != "" {
		s.out.Model = rec.Model
	}
	s.out.TaskType, from.Untold = rec.TaskType, rec.Untold
	if len(rec.Metadata) > 0 { // what was recorded is more than what the scenario supposes
		s.out.Metadata = maps.Clone(s.out.Metadata)
		if s.out.Metadata == nil {
			s.out.Metadata = map[string]any{}
		}
		maps.Copy(s.out.Metadata, rec.Metadata)
	}
	for _, note := range rec.Notes {
		s.notice(note)
	}
}

// prologue takes what stands before the conversation: the system prompt. It returns the rest.
func (s *session) prologue(messages []recording.Message) []recording.Message {
	for len(messages) > 0 && messages[0].Role == chat.System {
		s.add(messages[0].Message)
		s.out.System += messages[0].Text()
		messages = messages[1:]
	}
	return messages
}

// retell goes through one turn and judges it. answered says that the assistant has the last word in it.
func (s *session) retell(ctx context.Context, i int, part []recording.Message) (turn *result.Turn, answered bool) {
	s.out.Turns = append(s.out.Turns, result.Turn{
		Index: i, User: recording.Asked(part),
		Messages: []chat.Message{}, ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{},
	})
	turn = &s.out.Turns[len(s.out.Turns)-1]
	s.tell.turnStarted(i, turn.User)
	s.start = len(s.messages)
	began := s.clock.elapsed()
	last, spoken := finalReply(part), 0
	for at := range part {
		m := &part[at]
		s.pass(m)
		s.add(m.Message)
		turn.Messages = s.messages[s.start:len(s.messages):len(s.messages)]
		if m.Role == chat.User {
			began = s.clock.elapsed()
		}
		if m.Role != chat.Assistant {
			continue
		}
		s.spend.hear(&m.Message)
		s.recallCalls(turn, m.ToolCalls, recording.Results(part, at))
		if at == last {
			turn.Assistant, answered = m.Text(), true
			turn.LatencyMS = milliseconds(s.clock.elapsed() - began)
			s.judgeReply(ctx, turn, spoken, true)
		} else if s.everyReply() && m.Text() != "" {
			s.judgeReply(ctx, turn, spoken, false)
			spoken++
		}
	}
	return turn, answered
}

// finalReply is the place of the last message of the assistant when it ends the turn; -1 when a tool, or nobody, has
// the last word.
func finalReply(part []recording.Message) int {
	for at := len(part) - 1; at >= 0; at-- {
		switch m := &part[at]; {
		case m.Role == chat.Assistant && (m.Text() != "" || len(m.Parts) > 0):
			return at
		case m.Role == chat.Assistant || m.Role == chat.ToolRole:
			return -1
		}
	}
	return -1
}

// pass lets the time pass that the recording knows of.
func (s *session) pass(m *recording.Message) {
	if m.Offset > s.clock.elapsed() {
		s.clock.advance(m.Offset - s.clock.elapsed())
	} else if m.Offset <= 0 && m.LatencyMS > 0 {
		s.clock.advance(time.Duration(m.LatencyMS * float64(time.Millisecond)))
	}
}

// judgeReply judges a reply where it stands. Those before the last one of a turn are held against the assertions only,
// and only where these are about every reply.
func (s *session) judgeReply(ctx context.Context, turn *result.Turn, before int, last bool) {
	if !s.trial.Recorded.At.after(turn.Index) || ctx.Err() != nil {
		return
	}
	known := len(turn.Assertions)
	if last {
		s.judgeTurn(ctx, turn)
	} else {
		turn.Assertions = append(turn.Assertions, s.judge(ctx, s.turnChecks(turn.Index), s.turnSubject(turn))...)
	}
	if before == 0 && last {
		return
	}
	for i := known; i < len(turn.Assertions); i++ {
		v := &turn.Assertions[i]
		if v.Details = maps.Clone(v.Details); v.Details == nil {
			v.Details = map[string]any{}
		}
		v.Details["reply"] = before + 1
	}
}

// recallCalls books the tool calls of a message with what came of them.
func (s *session) recallCalls(turn *result.Turn, calls []chat.ToolCall, results map[int]*chat.ToolResult) {
	for i := range calls {
		call := &calls[i]
		res := results[i]
		if res == nil {
			res = &chat.ToolResult{Error: "the recording has no result of this call", ErrorType: chat.ErrorExecution}
		}
		s.calls = append(s.calls, checks.Call{
			Turn: turn.Index, Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, Result: res.Text(), Parts: res.Parts,
			Error: res.Error, ErrorType: res.ErrorType, DurationMS: res.LatencyMS,
		})
		turn.ToolCalls = append(turn.ToolCalls, result.ToolCall{
			Name: call.Name, Args: call.Args, BadArgs: call.BadArgs,
			Result: res.Text(), Error: res.Error, ErrorType: res.ErrorType,
		})
	}
}

// unanswered is what is wrong about a turn without an answer. In a file the reply may be lost, and with it what must
// not be said. In a conversation that a program hands over nothing is, which is told, where nobody has begun to answer
// the user, or where no check looks at replies.
func (s *session) unanswered(rec *recording.Session, turn *result.Turn) error {
	switch {
	case rec.Error != "" && s.trial.Recorded.At.end():
		return brokeOff(rec)
	case s.trial.Recorded.File != "" || len(s.turnChecks(turn.Index)) > 0 && (begun(turn) || !s.everyReply()):
		return errUnanswered
	}
	turn.NotRun = errUnanswered.Error()
	s.notice(fmt.Sprintf("turn %d has no reply in the recording", turn.Index+1))
	return nil
}

var errUnanswered = errors.New("the recording has no reply here")

// begun reports whether the assistant has begun to answer in a turn.
func begun(turn *result.Turn) bool {
	return slices.ContainsFunc(turn.Messages, func(m chat.Message) bool { return m.Role == chat.Assistant })
}

// brokeOff is the error of a conversation that is not whole: what it would have said next is not known.
func brokeOff(rec *recording.Session) error {
	return fmt.Errorf("the recorded conversation broke off: %s", rec.Error)
}

// missing reports the checks of turns that the recording does not have.
func (s *session) missing(turns int) error {
	if s.everyReply() {
		return nil
	}
	for i := turns; i < len(s.trial.Scenario.Turns); i++ {
		if len(s.trial.Scenario.Turns[i].Assertions) > 0 {
			return fmt.Errorf("the recording ends after turn %d, and turn %d of the scenario has assertions", turns, i+1)
		}
	}
	return nil
}

// interrupted ends a trial that was stopped between two turns.
func (s *session) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	if stopping(ctx) != nil {
		s.out.Status, s.out.Skip = result.Cancelled, cause.Error()
	} else {
		s.out.Error = cause.Error()
	}
	s.abandon(len(s.out.Turns), cause.Error())
}

// everyReply says that the checks of the only turn are those of every reply.
func (s *session) everyReply() bool { return s.trial.Scenario.Recorded != nil }
