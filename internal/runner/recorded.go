package runner

import (
	"cmp"
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
	"github.com/arena-evals/arena/internal/workflow"
)

// Recorded is a conversation from a file or from the caller. The trial only judges it.
type Recorded struct {
	// Load reads the conversation. Every trial calls it once, when it starts.
	Load func() (*recording.Session, error)
	File string // "": the caller handed it over
	// Name is unique among the conversations of the eval, and part of the trial's id; "" for the only one.
	Name string
	At   Moment // when to judge; the zero value: always

	index       int    // in the file
	scenario    string // "": the recording does not say
	taskType    string // of the prompt; "": the same
	start       string // state of a workflow; "": the same
	inWorkflow  bool   // the recording contains a workflow
	missingInfo []string
	declared    *result.Declared // by the project of the run; nil: not known
}

// errNoReply is returned for a conversation without a reply: every check that forbids something would pass.
var errNoReply = errors.New("the recording holds no reply of an assistant: there is nothing to judge")

// judgeRecorded reads the recorded conversation, judges each turn, and then the conversation.
func (s *session) judgeRecorded(ctx context.Context) {
	rec, err := s.trial.Recorded.Load()
	if err != nil {
		s.out.Error = fmt.Sprintf("the recording cannot be read: %v", err)
		s.abandon(0, s.out.Error)
		return
	}
	for i := range rec.Messages {
		s.recorder.Learn([]chat.Message{rec.Messages[i].Message})
	}
	s.copyRecordingInfo(rec)
	if err := s.expectRecordedFlow(rec); err != nil {
		s.out.Error = err.Error()
		s.abandon(0, s.out.Error)
		return
	}
	s.adoptPath(rec.Workflow, rec.SpeakingStates)
	exchanges := recording.Turns(s.addSystemPrompt(rec.Messages))
	scripts := s.scriptsOf(exchanges)
	over := following(scripts)
	if turn, there := s.trial.Recorded.At.turnOf(len(exchanges)); !there {
		s.out.Error = fmt.Sprintf("there is no turn %d, counted from 0: the conversation has %d", turn, len(exchanges))
		s.abandon(over, s.out.Error)
		return
	}
	replies := 0
	for i, messages := range exchanges {
		turn, answered := s.recordedTurn(ctx, turnIndex{i, scripts[i]}, messages)
		if !answered && s.endedByMove(rec, turn) {
			s.judgeReply(ctx, turn, 0, true)
			answered = true
		}
		if answered {
			replies++
			s.emit.turnCompleted(turn)
			continue
		}
		if err := s.unansweredError(rec, turn); err != nil {
			s.failTurn(ctx, turn, err)
			return
		}
		s.emit.turnCompleted(turn)
	}
	switch {
	case ctx.Err() != nil:
		s.interrupted(ctx)
	case replies == 0:
		s.out.Error = errNoReply.Error()
		s.abandon(over, s.out.Error)
	case rec.Error != "" && s.trial.Recorded.At.end():
		s.out.Error = brokenOffError(rec).Error()
		s.abandon(over, s.out.Error)
	case s.missingTurns(len(exchanges), over) != nil:
		s.out.Error = s.missingTurns(len(exchanges), over).Error()
		s.abandon(over, s.out.Error)
	case s.trial.Recorded.At.end():
		s.judgeConversation(ctx)
		s.compareWithScenario(exchanges, scripts)
	}
}

// copyRecordingInfo copies format, session, provider, model and metadata of the recording.
func (s *session) copyRecordingInfo(rec *recording.Session) {
	s.recordedID = rec.ID
	from := s.out.Recording
	from.Format, from.Session, from.Provider, from.Model = string(rec.Format), rec.ID, rec.Provider, rec.Model
	if rec.Model != "" {
		s.out.Model = rec.Model
	}
	s.out.TaskType, from.MissingInfo = rec.TaskType, rec.MissingInfo
	if len(rec.Metadata) > 0 { // recorded values override those of the scenario
		s.out.Metadata = maps.Clone(s.out.Metadata)
		if s.out.Metadata == nil {
			s.out.Metadata = map[string]any{}
		}
		maps.Copy(s.out.Metadata, rec.Metadata)
	}
	for _, note := range rec.Notes {
		s.notice(note)
	}
	for _, doubt := range rec.Doubts {
		s.warnOnce(doubt)
	}
}

// addSystemPrompt adds the system messages at the start. It returns the rest.
func (s *session) addSystemPrompt(messages []recording.Message) []recording.Message {
	for len(messages) > 0 && messages[0].Role == chat.System {
		s.add(messages[0].Message)
		s.out.System += messages[0].Text()
		messages = messages[1:]
	}
	return messages
}

// recordedTurn adds one turn and judges it. answered is true when it ends with a reply of the assistant.
func (s *session) recordedTurn(
	ctx context.Context, at turnIndex, messages []recording.Message,
) (turn *result.Turn, answered bool) {
	turn = s.addTurn(at, recording.UserText(messages))
	s.emit.turnStarted(turn)
	s.turnStart = len(s.messages)
	began := s.clock.elapsed()
	last, spoken := finalReply(messages), 0
	for i := range messages {
		m := &messages[i]
		s.advanceTo(m)
		stamped := s.withState(m.Message)
		s.add(stamped)
		if g := m.Generated; g != nil {
			turn.Persona = g.Persona
			s.users.add(&chat.Reply{Usage: g.Usage, CostUSD: g.CostUSD, Cached: g.Cached}, false)
		}
		turn.Messages = s.messages[s.turnStart:len(s.messages):len(s.messages)]
		if m.LeftOut != nil && m.LeftOut.Asked != nil {
			c := m.LeftOut.Asked
			s.window.spend.add(&chat.Reply{Usage: c.Usage, CostUSD: c.CostUSD, Cached: c.Cached}, false)
		}
		if m.Role == chat.User {
			began = s.clock.elapsed()
		}
		if m.Role != chat.Assistant {
			continue
		}
		s.spend.addRecorded(&m.Message)
		s.addRecordedFirings(turn, i, m.Validations)
		s.addRecordedSteps(turn, stamped.State, m.Steps)
		if m.Trace != nil {
			turn.Trace = m.Trace
		}
		s.addRecordedCalls(turn, stamped.State, m.ToolCalls, recording.Results(messages, i))
		if i == last {
			turn.Assistant, answered = m.Text(), true
			turn.LatencyMS = milliseconds(s.clock.elapsed() - began)
			s.judgeReply(ctx, turn, spoken, true)
		} else if s.everyReply() && !isBlank(&m.Message) {
			s.judgeReply(ctx, turn, spoken, false)
			spoken++
		}
	}
	return turn, answered
}

// addRecordedFirings adds the guardrails that fired on a message of the recording, or could not judge it.
func (s *session) addRecordedFirings(turn *result.Turn, at int, fired []chat.Validation) {
	for i := range fired {
		v := &fired[i]
		if v.Passed {
			continue
		}
		text := func(key string) string { t, _ := v.Details[key].(string); return t }
		f := result.Firing{Direction: text("direction"), Action: result.Action(text("action")), MessageIndex: at}
		f.MonitorOnly, _ = v.Details["monitor_only"].(bool)
		f.Verdict.Type, f.Verdict.Explanation, f.Verdict.Error = v.Type, text("explanation"), text("error")
		if f.Verdict.Status = result.Failed; f.Verdict.Error != "" {
			f.Verdict.Status = result.Errored
		}
		s.recordFiring(turn, &f)
	}
}

// finalReply is the index of the assistant's message that ends the turn; -1 when the turn ends otherwise.
func finalReply(part []recording.Message) int {
	for at := len(part) - 1; at >= 0; at-- {
		switch m := &part[at]; {
		case m.Role == chat.Assistant && !isBlank(&m.Message):
			return at
		case m.Role == chat.Assistant || m.Role == chat.ToolRole:
			return -1
		}
	}
	return -1
}

// advanceTo advances the clock by the time that the recording has for a message.
func (s *session) advanceTo(m *recording.Message) {
	if m.Offset > s.clock.elapsed() {
		s.clock.advance(m.Offset - s.clock.elapsed())
	} else if m.Offset <= 0 && m.LatencyMS > 0 {
		s.clock.advance(time.Duration(m.LatencyMS * float64(time.Millisecond)))
	}
}

// judgeReply judges a reply of a turn. Replies before the last one are judged only by assertions about every reply.
func (s *session) judgeReply(ctx context.Context, turn *result.Turn, before int, last bool) {
	if !s.trial.Recorded.At.after(turn.Index) || ctx.Err() != nil {
		return
	}
	known := len(turn.Assertions)
	if last {
		s.judgeTurn(ctx, turn)
	} else {
		turn.Assertions = append(turn.Assertions, s.judge(ctx, s.turnChecks(turn.Script()), s.turnSubject(turn))...)
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

// addRecordedCalls adds the tool calls of a message with their results.
func (s *session) addRecordedCalls(
	turn *result.Turn, state string, calls []chat.ToolCall, results map[int]*chat.ToolResult,
) {
	for i := range calls {
		call := &calls[i]
		res := results[i]
		if res == nil {
			res = &chat.ToolResult{Error: "the recording has no result of this call", ErrorType: chat.ErrorExecution}
		}
		s.calls = append(s.calls, checks.Call{
			Turn: turn.Index, Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, Result: res.Text(), Parts: res.Parts,
			Error: res.Error, ErrorType: res.ErrorType, DurationMS: res.LatencyMS,
			Agent: cmp.Or(res.Agent, s.box.Agent(call.Name)), State: state,
		})
		turn.ToolCalls = append(turn.ToolCalls, result.ToolCall{
			Name: call.Name, Args: call.Args, BadArgs: call.BadArgs,
			Result: res.Text(), Error: res.Error, ErrorType: res.ErrorType, Injected: injectedInto(res),
		})
	}
	s.recognise(s.calls[len(s.calls)-len(calls):])
}

// addRecordedSteps adds the composition that answered in a turn, with the calls of its steps.
func (s *session) addRecordedSteps(turn *result.Turn, state string, steps *recording.Steps) {
	if steps == nil {
		return
	}
	turn.Composition = steps.Composition
	turn.ToolCalls = append(turn.ToolCalls, steps.Calls...)
	calls := callsOf(&result.Turn{Index: turn.Index, ToolCalls: steps.Calls, Composition: steps.Composition})
	for i := range calls {
		calls[i].State = state
	}
	s.calls = append(s.calls, calls...)
	s.recognise(calls)
}

// unansweredError returns the error of a turn without a reply, or nil. In a file the reply may be lost, and with it a
// violation. A conversation that a program hands over is complete: a turn without a reply is an error only if a check
// looks at replies, and if the answer was begun or must come. Otherwise it is a notice.
func (s *session) unansweredError(rec *recording.Session, turn *result.Turn) error {
	switch {
	case rec.Error != "" && s.trial.Recorded.At.end():
		return brokenOffError(rec)
	case s.trial.Recorded.File != "" || len(s.turnChecks(turn.Script())) > 0 && (hasBegun(turn) || !s.everyReply()):
		if last := len(turn.Messages) - 1; last >= 0 && turn.Messages[last].Role == chat.Assistant {
			return cmp.Or(checkReply(&turn.Messages[last]), errUnanswered)
		}
		return errUnanswered
	}
	turn.NotRun = errUnanswered.Error()
	s.notice(fmt.Sprintf("turn %d has no reply in the recording", turn.Index+1))
	return nil
}

var errUnanswered = errors.New("the recording has no reply here")

// hasBegun reports whether a turn has a message of the assistant.
func hasBegun(turn *result.Turn) bool {
	return slices.ContainsFunc(turn.Messages, func(m chat.Message) bool { return m.Role == chat.Assistant })
}

// brokenOffError is the error of an incomplete conversation.
func brokenOffError(rec *recording.Session) error {
	return fmt.Errorf("the recorded conversation broke off: %s", rec.Error)
}

// endedByMove reports whether a turn ended without a reply because the conversation moved to a state in which no agent
// answers within the turn. Without a workflow only results of arena can show that: they hold an error for a missing
// reply.
func (s *session) endedByMove(rec *recording.Session, turn *result.Turn) bool {
	f := s.flow
	if f == nil || len(f.steps) == 0 || f.steps[len(f.steps)-1].Turn != turn.Index {
		return false
	}
	said := slices.DeleteFunc(slices.Clone(turn.Messages), func(m chat.Message) bool { return m.Role == chat.System })
	moved := func(c result.ToolCall) bool { return c.Name == workflow.TransitionTool && c.Error == "" }
	if len(said) == 0 || said[len(said)-1].ToolResult == nil || rec.Error != "" ||
		!slices.ContainsFunc(turn.ToolCalls, moved) {
		return false
	}
	if f.graph == nil {
		return rec.Format == recording.FormatResults || rec.Format == recording.FormatJournal
	}
	at := f.graph.State(f.current)
	return at != nil && at.Stops()
}

// missingTurns returns an error when turns of the scenario with assertions are not in the recording: those from over.
func (s *session) missingTurns(turns, over int) error {
	if s.everyReply() {
		return nil
	}
	for i := over; i < len(s.trial.Scenario.Turns); i++ {
		if len(s.trial.Scenario.Turns[i].Assertions) > 0 {
			return fmt.Errorf("the recording ends after turn %d, and turn %d of the scenario has assertions", turns, i+1)
		}
	}
	return nil
}

// interrupted ends a trial that was stopped between two turns.
func (s *session) interrupted(ctx context.Context) {
	cause := context.Cause(ctx)
	if stopCause(ctx) != nil {
		s.out.Status, s.out.Skip = result.Cancelled, cause.Error()
	} else {
		s.out.Error = cause.Error()
	}
	s.abandon(s.following(), cause.Error())
}

// everyReply reports whether the assertions of the only turn are about every reply.
func (s *session) everyReply() bool { return s.trial.Scenario.Recorded != nil }
