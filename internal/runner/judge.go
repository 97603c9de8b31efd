package runner

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// judgeTurn runs the evals and the checks of a finished turn.
func (s *session) judgeTurn(ctx context.Context, turn *result.Turn) {
	list := s.turnChecks(turn.Script())
	if len(list) == 0 && len(s.evalSet()) == 0 && s.flow == nil {
		return
	}
	s.find(ctx, turn.Index, list)
	subject := s.turnSubject(turn)
	s.evalOutputs(ctx, turn)
	s.evalTurn(ctx, subject)
	turn.Assertions = append(turn.Assertions, s.judge(ctx, list, subject)...)
}

// turnChecks returns the assertions of turn i of the scenario.
func (s *session) turnChecks(i int) []scenario.Placed {
	turns := s.trial.Scenario.Turns
	if s.everyReply() {
		i = 0
	}
	if i >= len(turns) {
		return nil
	}
	return s.values.placed(turns[i].Assertions, i)
}

// turnSubject is what the checks of a turn see.
func (s *session) turnSubject(turn *result.Turn) *checks.Subject {
	subject := s.subject(turn.Index)
	subject.Start = len(s.messages) - len(turn.Messages)
	subject.Calls = s.calls[len(s.calls)-len(turn.ToolCalls):]
	subject.LatencyMS = s.measured(chat.LastLatency(turn.Messages))
	subject.Measure(turn.Messages)
	return subject
}

// measured drops a time of 0 in a recorded conversation: 0 means that it was not recorded.
func (s *session) measured(ms *float64) *float64 {
	if s.trial.Recorded != nil && ms != nil && *ms == 0 {
		return nil
	}
	return ms
}

// judgeConversation runs the evals and the checks of the conversation, those of the project first.
func (s *session) judgeConversation(ctx context.Context) {
	lists := s.conversationChecks()
	s.find(ctx, noTurn, slices.Concat(lists[0], lists[1]))
	subject := s.subject(-1)
	subject.Session, subject.Calls = true, s.calls
	subject.LatencyMS = s.measured(chat.LastLatency(s.messages))
	subject.Measure(s.messages)
	s.evalEnd(ctx, subject)
	s.out.Conversation = append(s.out.Conversation, s.judge(ctx, slices.Concat(lists[0], lists[1]), subject)...)
	s.emit.verdicts(result.NoTurn, s.out.Conversation)
}

func (s *session) conversationChecks() [2][]scenario.Placed {
	return [2][]scenario.Placed{
		s.values.placed(s.trial.Project.Globals, noTurn), s.values.placed(s.trial.Scenario.Conversation, noTurn),
	}
}

// subject is what checks see after a turn; turn is -1 at the end of the conversation. The elapsed time excludes checks,
// and models that play users.
func (s *session) subject(turn int) *checks.Subject {
	elapsed := milliseconds(s.clock.elapsed() - s.checkTime - s.userTime)
	names, guards := s.evalNames()
	return &checks.Subject{
		Messages: s.messages, AllCalls: s.calls, Variables: s.variables, ElapsedMS: s.measured(&elapsed),
		Tools: toolCaller{s: s}, Embedder: s.trial.Project.embedder, Judges: s.judges(turn),
		JudgePrompts: s.trial.Project.judgePrompts, Turn: turn,
		Stored: s.fromDisk(), Answered: s.recorder.Plays(),
		Unguarded: s.lacksInfo(recording.InfoGuardrails),
		Host:      s.trial.Project.host, SessionID: s.sessionID(), PromptID: s.promptID(),
		Earlier: s.evalResults, Evals: names, Guards: guards, Metadata: s.metadata(turn),
		Workflow: s.workflowForChecks(), Composition: s.composed(turn), Scenario: s.scenarioInfo(),
	}
}

// scenarioInfo is what judges see of a scenario that names its program; nil: judges see only the messages.
func (s *session) scenarioInfo() *checks.ScenarioInfo {
	sc := s.trial.Scenario
	if sc.Agent == nil {
		return nil
	}
	info := &checks.ScenarioInfo{Name: cmp.Or(sc.Title, sc.ID), Description: s.out.Describe}
	info.ExpectedOutcome, _ = s.values.at(noTurn).UserText(sc.Outcome) // loading reports unknown placeholders
	if at := slices.IndexFunc(s.messages, func(m chat.Message) bool { return m.Role == chat.User }); at >= 0 {
		info.Input = s.messages[at].Text()
	}
	if sc.Row != nil {
		info.Expected, _ = sc.Row.Text("expected") // a row need not have it
	}
	return info
}

// fromDisk reports whether the conversation is recorded or replayed.
func (s *session) fromDisk() bool {
	t := s.trial
	return t.Finished != nil || t.Recorded != nil || s.recorder.Plays() || t.Endpoint.Spec.Type == scenario.ReplayType
}

// lacksInfo reports whether the recording format does not contain something.
func (s *session) lacksInfo(what string) bool {
	return s.out.Recording != nil && slices.Contains(s.out.Recording.MissingInfo, what)
}

// metadata returns the metadata of the conversation with that of tool results: those of the turn, or all at the end.
// Later results overwrite earlier ones.
func (s *session) metadata(turn int) map[string]any {
	all := maps.Clone(s.out.Metadata)
	start := s.turnStart
	if turn < 0 {
		start = 0
	}
	for i := start; i < len(s.messages); i++ {
		r := s.messages[i].ToolResult
		if r == nil || len(r.Metadata) == 0 {
			continue
		}
		if all == nil {
			all = map[string]any{}
		}
		maps.Copy(all, r.Metadata)
	}
	return all
}

// sessionID is the id of the recorded session, or of the trial. Sampling depends on it.
func (s *session) sessionID() string { return cmp.Or(s.recordedID, s.out.ID) }

func (s *session) promptID() string {
	prompt := s.trial.Prompt
	if s.flow != nil && s.flow.machine != nil {
		prompt = s.stance.prompt
	}
	if prompt == nil {
		return ""
	}
	return prompt.ID
}

// judges returns the judges of the project for questions from this turn; nil when there are none. turn is -1 at the
// end.
func (s *session) judges(turn int) grading.Judges {
	pool := s.trial.Project.judges
	if pool == nil {
		return nil
	}
	sc := s.trial.Scenario
	origin := chat.Origin{Scenario: sc.ID, ScenarioAlias: sc.Alias, Trial: s.trial.N, Turn: turn}
	seed := firstSet(s.opts.Seed, s.trial.Project.Defaults.Seed)
	if s.emit == nil {
		return pool.For(origin, seed)
	}
	return pool.Observed(origin, seed, s.emit.otherCall)
}

// compiled returns the check. It is never nil in a plan: a check that does not compile is an error, and nothing runs.
func compiled(c scenario.Placed) *checks.Compiled { return c.Compiled.(*checks.Compiled) }
