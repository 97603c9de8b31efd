package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// Finished is a trial of an earlier run that is judged again: its conversation is kept, and today's checks judge it.
type Finished struct {
	Brief *result.Brief
	Load  func() (*result.Trial, error) // reads the trial again; called while it is judged
	// Raw returns the bytes of the trial in its run. Trials with different bytes have different judgements. nil: trials
	// are told apart by their ids.
	Raw func() ([]byte, error)

	problem      string           // why it cannot be judged
	declaredThen *result.Declared // names declared by the project of the run; nil: not known
	unjudgedOnly bool             // only evals that could not judge before judge it now
}

// rejudge judges the conversation of a finished trial as if it had just taken place. Usage, cost and the actions of
// guardrails stay as they were.
func (s *session) rejudge(ctx context.Context) {
	was, err := s.trial.Finished.Load()
	if err != nil {
		s.out.Error = fmt.Sprintf("the trial cannot be read: %v", err)
		s.abandon(0, s.out.Error)
		return
	}
	s.out.Fingerprint = was.Fingerprint // no call is made again
	s.copyMeasurements(was)
	s.out.Gone, s.out.Excused = was.Gone, was.Excused
	defer func() { s.clock.virtual = time.Duration(was.DurationMS * float64(time.Millisecond)) }()
	if len(was.Turns) == 0 {
		s.settleWithoutTurns(was)
		return
	}
	err = s.matchesScenario(was)
	if err == nil {
		err = s.matchesStates(was)
	}
	if err == nil {
		s.recallListed(was.Listed)
		err = s.checkServed(true)
	}
	if err != nil {
		s.out.Error = err.Error()
		s.showUnjudged(was, err.Error())
		return
	}
	if was.Workflow != nil {
		s.expectFlow(was.Workflow.Start)
		s.flow.finished = was.Workflow
	}
	s.comparePromptAtStart(was)
	if was.System != "" || was.Workflow != nil {
		s.add(chat.Message{Role: chat.System, Content: was.System, State: s.stateName()})
	}
	for i := range was.Turns {
		if ctx.Err() != nil {
			s.interrupted(ctx)
			return
		}
		s.rejudgeTurn(ctx, &was.Turns[i])
	}
	switch {
	case ctx.Err() != nil:
		s.interrupted(ctx)
	case was.Error != "" || was.Status == result.Cancelled:
		s.out.Error = was.Error
		if was.Error == "" {
			s.out.Status, s.out.Skip = was.Status, was.Skip
		}
		s.abandon(max(len(was.Turns), len(s.trial.Scenario.Turns)), cmp.Or(was.Error, was.Skip))
	default:
		s.judgeConversation(ctx)
	}
}

// copyMeasurements copies what does not depend on checks: model, usage, cost, retries, warnings, and failed earlier
// attempts.
func (s *session) copyMeasurements(was *result.Trial) {
	o := s.out
	o.Model, o.System, o.Variant, o.Retries, o.Notices = was.Model, was.System, was.Variant, was.Retries, was.Notices
	o.Row, o.Users, o.Context = cmp.Or(o.Row, was.Row), was.Users, was.Context
	o.Recording, o.TaskType, o.Memory, o.Policy = was.Recording, was.TaskType, was.Memory, was.Policy
	o.Worker = was.Worker
	o.Earlier, o.Warnings, o.Simulated = was.Earlier, slices.Clone(was.Warnings), was.Simulated
	o.Rejected = was.Rejected && was.Error != ""
	s.spend = spend{usage: was.Usage.Usage, calls: was.Usage.Calls, unknown: was.CostUSD == nil}
	if was.CostUSD != nil {
		s.spend.usd = *was.CostUSD
	}
}

// settleWithoutTurns settles a trial that has no conversation.
func (s *session) settleWithoutTurns(was *result.Trial) {
	switch {
	case was.Status == result.Skipped || was.Status == result.Cancelled:
		s.out.Status, s.out.Skip = was.Status, was.Skip
	default:
		s.out.Error = cmp.Or(was.Error, "the run has no conversation of this trial: there is nothing to judge")
		s.abandon(0, s.out.Error)
	}
}

// showUnjudged adds the turns of a conversation that cannot be judged, with their checks as not evaluated.
func (s *session) showUnjudged(was *result.Trial, reason string) {
	for i := range was.Turns {
		turn := was.Turns[i]
		turn.Assertions = notEvaluated(s.turnChecks(turn.Script()), reason)
		s.out.Turns = append(s.out.Turns, turn)
		s.emit.verdicts(turn.Index, turn.Assertions)
	}
	s.abandon(max(len(was.Turns), len(s.trial.Scenario.Turns)), reason)
}

// rejudgeTurn adds a turn to the conversation and judges it.
func (s *session) rejudgeTurn(ctx context.Context, was *result.Turn) {
	s.out.Turns = append(s.out.Turns, *was)
	turn := &s.out.Turns[len(s.out.Turns)-1]
	turn.Assertions = []result.Verdict{}
	if was.NotRun != "" {
		turn.Assertions = notEvaluated(s.turnChecks(was.Script()), was.NotRun)
		s.emit.verdicts(was.Index, turn.Assertions)
		return
	}
	s.emit.turnStarted(was)
	s.turnStart = len(s.messages)
	calls := callsOf(was)
	s.calls = append(s.calls, calls...)
	calls = s.calls[len(s.calls)-len(calls):]
	s.comparePromptsOfSteps(was.Composition)
	ofSteps := slices.ContainsFunc(calls, func(c checks.Call) bool { return c.Step != "" })
	for i, made := 0, 0; i < len(was.Messages); i++ {
		m := s.withState(was.Messages[i])
		s.add(m)
		s.comparePromptOfState(&m)
		if made == len(calls) || m.Role != chat.Assistant {
			continue
		}
		most := min(made+len(m.ToolCalls), len(calls))
		if ofSteps { // they precede the single message of the composition
			most = len(calls)
		}
		for k := range calls[made:most] {
			calls[made+k].State = m.State
		}
		s.recognise(calls[made:most])
		made = most
	}
	s.clock.advance(time.Duration(was.LatencyMS * float64(time.Millisecond)))
	if was.Error != "" {
		reason := fmt.Sprintf("turn %d did not end: %s", was.Index+1, was.Error)
		turn.Assertions = notEvaluated(s.turnChecks(was.Script()), reason)
	} else {
		s.judgeTurn(ctx, turn)
	}
	s.emit.turnCompleted(turn)
}

// callsOf returns the tool calls of a turn. Parts and durations come from its messages.
func callsOf(turn *result.Turn) []checks.Call {
	results := resultsOf(turn)
	out := make([]checks.Call, len(turn.ToolCalls))
	for i, c := range turn.ToolCalls {
		out[i] = checks.Call{
			Turn: turn.Index, Step: c.Step, Name: c.Name, Args: c.Args, BadArgs: c.BadArgs, Result: c.Result, Error: c.Error,
			ErrorType: c.ErrorType,
		}
		if len(results) == len(turn.ToolCalls) {
			out[i].Parts, out[i].DurationMS, out[i].Agent = results[i].Parts, results[i].LatencyMS, results[i].Agent
		}
	}
	return out
}

// resultsOf returns the results of the tool calls of a turn, from its messages and those of its steps. If there are as
// many as calls, they belong to the calls in order.
func resultsOf(turn *result.Turn) (results []*chat.ToolResult) {
	add := func(m *chat.Message) {
		if m.ToolResult != nil {
			results = append(results, m.ToolResult)
		}
	}
	if c := turn.Composition; c != nil {
		for i := range c.Steps {
			for m := range c.Steps[i].Said {
				add(m)
			}
		}
	}
	for i := range turn.Messages {
		add(&turn.Messages[i])
	}
	return results
}

// matchesScenario returns an error if a user message differs from the one that the scenario has now.
func (s *session) matchesScenario(was *result.Trial) error {
	if s.trial.Finished.problem != "" {
		return errors.New(s.trial.Finished.problem)
	}
	sc := s.trial.Scenario
	if s.everyReply() {
		return nil
	}
	if had := scriptedTurns(was); len(sc.Turns) != had {
		return fmt.Errorf("the scenario has changed since the run: it has %d turns now, and had %d", len(sc.Turns), had)
	}
	vars, err := scenario.Variables(s.trial.Prompt, sc, s.trial.Region)
	if err != nil {
		return err
	}
	s.variables = vars
	all := variants(sc)
	variant := slices.IndexFunc(all, func(v Variant) bool { return maps.Equal(v.label(), was.Variant) })
	switch {
	case variant < 0 && len(was.Variant) == 0:
		return errors.New("the scenario has changed since the run: it has perturbations now, and had none")
	case variant < 0:
		return fmt.Errorf("the scenario has changed since the run: it has no variant %s now", words(was.Variant))
	}
	s.trial.Variant = all[variant]
	s.values = valuesOf(s.trial)
	s.takeStance(s.trial.Prompt)
	if now := windowWords(sc); was.Policy != now {
		return fmt.Errorf("the scenario has changed since the run: its context_policy is %s now, and was %s",
			cmp.Or(now, "none"), cmp.Or(was.Policy, "none"))
	}
	for i := range was.Turns {
		turn := &was.Turns[i]
		if turn.NotRun != "" {
			continue
		}
		at := indexOf(turn)
		if now := s.personaOf(at.script); now != turn.Persona {
			return fmt.Errorf("the scenario has changed since the run: %s plays the user of turn %d now, and %s did",
				nameOfPlayer(now), at.script+1, nameOfPlayer(turn.Persona))
		} else if now != "" {
			if err := playedAsNow(was.Turns, i, &sc.Turns[at.script]); err != nil {
				return err
			}
			continue
		}
		user := s.userMessage(at, &sc.Turns[at.script])
		if now := user.Text(); !isSame(turn.User, now) {
			return fmt.Errorf("the scenario has changed since the run: turn %d says %q now, and said %q",
				at.script+1, cutWords(now), cutWords(turn.User))
		}
		if err := s.sentAsNow(turn, at, user.Parts); err != nil {
			return err
		}
	}
	return nil
}

func nameOfPlayer(persona string) string {
	if persona == "" {
		return "nobody"
	}
	return "the persona " + persona
}

// scriptedTurns is the number of turns that the scenario of a finished trial had.
func scriptedTurns(was *result.Trial) (n int) {
	for i := range was.Turns {
		n = max(n, was.Turns[i].Script()+1)
	}
	return n
}

// isSame reports whether a stored text, from which secrets may be missing, was this text.
func isSame(stored, now string) bool { return stored == now || secret.TakenOut(stored, now) != nil }

// words describe a variant for people.
func words(variant map[string]string) string {
	parts := make([]string, 0, len(variant))
	for _, name := range slices.Sorted(maps.Keys(variant)) {
		parts = append(parts, name+"="+variant[name])
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func cutWords(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// Rejudge plans to judge the finished trials of a run by the scenarios of a suite that have the same ids. The evals
// over recordings judge every trial as well, and alone when the suite has no such scenario. A trial that nothing in the
// suite judges ends in an error. declared are the names of the run; nil: they are not known.
func Rejudge(
	suite *scenario.Suite, finished []Finished, declared []result.Declared, opts PlanOptions, d *diag.List,
) *Plan {
	m := newMatrix(opts, d)
	m.checkJudge(suite)
	plan := &Plan{http: m.http, Name: projectName(suite), tracker: m.tracker, memory: m.memory, judgedNames: declared}
	planner := &rejudgePlanner{m: m, endpoints: map[string]*Endpoint{}, found: map[string]*criteria{}, declared: declared}
	planner.prepare(suite, finished, declared)
	gates := newRecordedGates(opts.Gates, m)
	for i := range finished {
		brief := finished[i].Brief
		byScenario := m.scenarios.Keeps(brief.Scenario)
		if byProvider := m.providers.Keeps(brief.Provider); !byScenario || !byProvider {
			continue
		}
		t := planner.trial(&finished[i])
		t.Index = plan.Len()
		plan.add(span{Trial: t, count: 1})
		gates.add(&t)
	}
	plan.recorded = gates.list
	planner.reportMissing(finished)
	m.scenarios.Missing(d, "scenario")
	m.providers.Missing(d, "provider")
	plan.FailOn, plan.Quarantines = m.failOn(suite), quarantines(suite)
	if opts.Now != nil {
		ReportQuarantines(suite, opts.Now(), opts.today(), d)
	}
	m.reportBasis(plan)
	if plan.Len() == 0 && d.Errors() == 0 && !opts.AllowEmpty {
		hint := "loosen the filters"
		if len(finished) == 0 {
			hint = "no trial of the run finished: run it again"
		}
		d.Errorf(diag.Pos{}, 0, "empty-plan", "there is no trial to judge").Hint = hint
	}
	return plan
}

func projectName(suite *scenario.Suite) string {
	if len(suite.Projects) == 1 {
		return suite.Projects[0].Name
	}
	return ""
}
