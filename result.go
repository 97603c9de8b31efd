package arena

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Status is the outcome of a check, a trial or a run. The zero value is not a status.
type Status string

// The statuses. Only Passed is a pass.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"    // judged, and not good enough: the agent's fault
	Errored   Status = "error"     // could not be judged: something broke
	Skipped   Status = "skipped"   // not judged, because a condition did not hold
	Cancelled Status = "cancelled" // not finished: the run was stopped
	Undecided Status = "undecided" // of groups and runs: too few trials to decide whether the pass rate is reached
)

func statusFrom(s result.Status) Status {
	if s == result.Unset {
		return ""
	}
	return Status(s.String())
}

// Result is the result of a run.
type Result struct {
	Name   string // of the project; "" when there are several
	Status Status // of all trials, including fail_on
	// ExitCode is the exit code of `arena run`: 0 everything passed, 1 the agent failed, 3 something broke, 130 the run
	// was stopped.
	ExitCode int
	Trials   []Trial   // the finished trials, in the order of the plan
	Planned  int       // number of trials in the plan
	Groups   []Group   // of trials that are repeated
	Warnings []Problem // of the files
	Reports  []string  // paths of the reports
	Started  time.Time
	Duration time.Duration

	Usage        Usage    // of the agents
	CostUSD      *float64 // of the agents; nil: no price is known
	JudgeCostUSD *float64 // of the judges; nil: none was called, or no price is known
}

// Group is the trials of one scenario with one provider, which are judged together. Each assertion must hold in a share
// of them (pass_threshold), and with perturbations in that share of each variant. With a pass_rate the group passes if
// enough trials do; too few trials to tell are Undecided.
type Group struct {
	File                            string // of the scenario
	Scenario, Provider, Region, Row string // see [Planned]
	Status                          Status
	Trials, Passed                  int // of the trials that count
	// Low and High are confidence bounds of the pass rate: each is wrong in at most 5% of runs, or in 1 - Gate.Confidence.
	Low, High float64
	Gate      *Gate // nil: all trials ran, and the passed ones were counted

	text string
}

// Gate describes a group that may end before all of its trials have run.
type Gate struct {
	PassRate   float64 // required pass rate; 0: the passed trials are counted
	Tolerance  float64 // rates down to PassRate - Tolerance may pass too
	Confidence float64
	Max        int    // maximum number of trials that count
	Reason     string // why the group ended: line, certain, max, budget, stopped, errors, recording, skipped
	Allowed    bool   // the group is Undecided, and the run may pass nevertheless

	Failed    int      // of the trials that count
	Broken    int      // of these, without a verdict because of an error
	Replaced  int      // trials that the provider refused, and that others replaced
	Beyond    int      // trials that ran after the decision
	NotNeeded int      // trials that did not run because the verdict did not need them
	Estimate  *float64 // estimated pass rate, corrected for stopping early; nil without trials
	Weakened  string   // why the verdict is wrong more often than Confidence says: rule, again; "": it is not
	Flaky     string   // agent or judge: what made trials of the same input both pass and fail; "": none did
}

// String summarizes the group: "2 of 7 passed, 8–71%, asked 80%".
func (g *Group) String() string { return g.text }

func groupFrom(g *result.Group, text string) Group {
	out := Group{
		File: g.File, Row: g.Row, Scenario: g.Scenario, Provider: g.Provider, Region: g.Region,
		Status: statusFrom(g.Status), Trials: g.Trials,
		Passed: g.Passed, Low: g.Gate.Low, High: g.Gate.High, text: text,
	}
	if e := g.Gate; e.Early() {
		out.Gate = &Gate{
			PassRate: e.PassRate, Tolerance: e.Tolerance, Confidence: e.Confidence, Max: e.Max, Reason: string(e.Reason),
			Allowed: e.Allowed(), Failed: e.Failed, Broken: e.Broken, Replaced: e.Replaced, Beyond: e.Beyond,
			Weakened:  string(e.Weakened),
			NotNeeded: e.Saved, Estimate: clone(e.Estimate), Flaky: e.Flaky,
		}
	}
	return out
}

// Trial is one conversation with its verdicts.
type Trial struct {
	ID                                string // see [Planned]
	Scenario, Provider, Model, Region string
	Row                               string // of the dataset; "": none
	Trial, Trials                     int    // see [Planned]
	Tags                              []string
	Labels                            map[string]string
	Position                          Position // of the scenario

	Status    Status
	Tolerated bool   // failed, but its group passed
	Uncounted bool   // the verdict of its group ignores it: it was replaced, or ran after the decision
	Excused   string // why its status does not matter, such as a quarantine; "": it does
	Error     string // what broke; "": nothing did
	Skip      string // why it was skipped or stopped
	Duration  time.Duration
	Usage     Usage
	Calls     int      // of the model
	CostUSD   *float64 // nil: not known
	Simulated bool     // a mock answered: the cost was not paid
	Notices   []string // remarks about the trial

	System     string // system prompt
	Turns      []Turn
	Assertions []Verdict    // on the whole conversation; Turns have those on turns
	Evals      []EvalResult // in the order in which they ran

	raw *result.Trial
}

// Turn is one message of the user and everything until the reply.
type Turn struct {
	Index      int // from 0
	User       string
	Assistant  string // the last reply; "": none
	NotRun     string // why the turn was not run; "": it was
	Error      string // the error that ended the conversation in this turn
	Latency    time.Duration
	Messages   []Message
	Tools      []ToolUse
	Assertions []Verdict
	Guardrails []Firing  // guardrails that fired
	Composed   *Composed // the composition that answered; nil: a model did
	Steps      []Step    // those of Composed
}

// Verdict is the decision on a check.
type Verdict struct {
	Type               string // of the check, as in the file
	Status             Status
	Score              *float64 // nil: nothing could be judged
	Message            string   // label of the check in the file
	Explanation        string   // what the check saw
	Error              string   // why it could not judge
	Skip               string   // why it was skipped
	Details            map[string]any
	MinScore, MaxScore *float64
	Position           Position // where the check is declared
	Duration           time.Duration
}

// Firing is a guardrail that fired or could not judge.
type Firing struct {
	Verdict
	Direction    string // input, output
	Action       string // recorded, replaced, cut, blocked
	MonitorOnly  bool
	StreamClosed bool // the rest of the reply was not received
}

// EvalResult is the result of an eval at one moment.
type EvalResult struct {
	ID      string
	Trigger string
	Turn    int      // the turn after which it ran, from 0; -1: at the end
	Value   *float64 // the value of the metric, if that is not the score
	// The Status is "" unless the eval has a threshold, was skipped or could not judge.
	Verdict
}

func resultFrom(run *result.Run, trials trialsByIndex, stopped bool) *Result {
	out := &Result{
		Name: run.Name, Status: statusFrom(run.Status), ExitCode: run.Exit(stopped), Planned: run.Planned,
		Started: run.Started, Duration: span(run.DurationMS), Usage: usageFrom(run.Summary.Usage.Usage),
		CostUSD: clone(run.Summary.CostUSD), JudgeCostUSD: clone(run.Summary.JudgeUSD),
	}
	for _, b := range run.Briefs.All() {
		t := trialFrom(trials[b.Index])
		t.Tolerated, t.Uncounted, t.Excused = b.Tolerated, b.Uncounted, b.Excuse
		out.Trials = append(out.Trials, *t)
	}
	texts := show.Rates(run)
	for i := range run.Groups {
		out.Groups = append(out.Groups, groupFrom(&run.Groups[i], texts[i]))
	}
	return out
}

func trialFrom(t *result.Trial) *Trial {
	out := &Trial{
		ID: t.ID, Scenario: t.Scenario, Provider: t.Provider, Model: t.Model, Region: t.Region, Row: t.RowID(),
		Trial:  t.Trial,
		Trials: t.Trials, Tags: slices.Clone(t.Tags), Labels: t.Labels, Position: positionFrom(t.Position),
		Status: statusFrom(t.Status), Error: t.Error, Skip: t.Skip, Duration: span(t.DurationMS),
		Usage: usageFrom(t.Usage.Usage), Calls: t.Usage.Calls, CostUSD: clone(t.CostUSD),
		Simulated: t.Simulated, Notices: slices.Clone(t.Notices), System: t.System,
		Assertions: verdictsFrom(t.Conversation), raw: t,
	}
	for i := range t.Turns {
		out.Turns = append(out.Turns, turnFrom(&t.Turns[i]))
	}
	for i := range t.Evals {
		out.Evals = append(out.Evals, evalFrom(&t.Evals[i]))
	}
	return out
}

func turnFrom(t *result.Turn) Turn {
	out := Turn{
		Index: t.Index, User: t.User, Assistant: t.Assistant, NotRun: t.NotRun, Error: t.Error,
		Latency: span(t.LatencyMS), Messages: messagesFrom(t.Messages), Assertions: verdictsFrom(t.Assertions),
	}
	for i := range t.ToolCalls {
		c := &t.ToolCalls[i]
		out.Tools = append(out.Tools, ToolUse{
			Turn: t.Index, Name: c.Name, Args: cloneMap(c.Args), BadArgs: c.BadArgs, Result: c.Result, Error: c.Error,
			Duration: callDuration(t.Messages, i),
		})
	}
	if out.Composed = composedFrom(t); out.Composed != nil {
		out.Steps = out.Composed.Steps
	}
	for i := range t.Guardrails {
		f := &t.Guardrails[i]
		out.Guardrails = append(out.Guardrails, Firing{
			verdictFrom(&f.Verdict), f.Direction, string(f.Action), f.MonitorOnly, f.StreamClosed,
		})
	}
	return out
}

// callDuration returns the duration of the i-th tool call of a turn. Its result is the i-th tool result in the
// messages.
func callDuration(messages []chat.Message, i int) time.Duration {
	for k := range messages {
		if r := messages[k].ToolResult; r != nil {
			if i == 0 {
				return span(r.LatencyMS)
			}
			i--
		}
	}
	return 0
}

func verdictsFrom(list []result.Verdict) []Verdict {
	out := make([]Verdict, len(list))
	for i := range list {
		out[i] = verdictFrom(&list[i])
	}
	return out
}

func verdictFrom(v *result.Verdict) Verdict {
	return Verdict{
		Type: v.Name(), Status: statusFrom(v.Status), Score: clone(v.Score), Message: v.Message, Explanation: v.Explanation,
		Error: v.Error, Skip: v.SkipReason, Details: cloneMap(v.Details), MinScore: clone(v.MinScore),
		MaxScore: clone(v.MaxScore), Position: positionFrom(v.Position), Duration: span(v.DurationMS),
	}
}

func evalFrom(e *result.EvalResult) EvalResult {
	out := EvalResult{ID: e.ID, Trigger: e.Trigger, Turn: e.Turn, Value: clone(e.MetricValue), Verdict: Verdict{
		Type: e.Type, Status: statusFrom(e.Status), Score: clone(e.Score), Message: e.Message, Explanation: e.Explanation,
		Error: e.Error, Skip: e.SkipReason, Details: cloneMap(e.Details), MinScore: clone(e.MinScore),
		MaxScore: clone(e.MaxScore), Position: positionFrom(e.Position), Duration: span(e.DurationMS),
	}}
	switch {
	case e.Error != "":
		out.Status = Errored
	case e.Skipped && out.Status == "":
		out.Status = Skipped
	}
	return out
}

// failureLimit is the maximum length of a text in Failure, in bytes.
const failureLimit = 2000

// Failure explains to people why a trial did not pass: every failed check with its line, what it expected and saw, and
// the messages. It is "" for a trial that passed. Texts of models are made safe to print.
func (t *Trial) Failure() string {
	if t.Status == Passed {
		return ""
	}
	var b strings.Builder
	if t.raw.Error != "" {
		fmt.Fprintf(&b, "%s: error: %s\n", show.Position(t.raw.Position), show.TrialError(t.raw))
	}
	problems := show.Problems(t.raw)
	for i, p := range problems {
		if i == 0 || problems[i-1].Turn != p.Turn {
			exchange(&b, t.raw, p.Turn)
		}
		problem(&b, p)
	}
	if len(problems) == 0 {
		exchange(&b, t.raw, -1)
	}
	if t.raw.Skip != "" {
		fmt.Fprintf(&b, "%s: %s\n", t.Status, show.Line(t.raw.Skip))
	}
	return strings.TrimRight(b.String(), "\n")
}

// exchange writes the messages of a turn; with turn -1 those of the last turn.
func exchange(b *strings.Builder, t *result.Trial, turn int) {
	var last *result.Turn
	for i := range t.Turns {
		if at := &t.Turns[i]; at.NotRun == "" && (turn < 0 || at.Index == turn) {
			last = at
		}
	}
	if last != nil {
		b.WriteString(show.TurnLabel(last.Index) + "\n")
		show.WriteExchange(b, last, failureLimit)
	}
}

// problem writes a verdict with the position of its check, in a form that editors turn into a link.
func problem(b *strings.Builder, p show.Problem) {
	if at := show.Position(p.Position); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(show.TurnLabel(p.Turn) + ": " + show.Line(p.Name()))
	if p.Status != result.Failed {
		b.WriteString(" (" + p.Status.String() + ")")
	}
	if p.Message != "" {
		b.WriteString(": " + show.Line(p.Message))
	}
	b.WriteString("\n    " + show.Clip(p.SeenAndScore(), failureLimit) + "\n")
	if expected, got := p.Expected(); expected != "" && got != "" {
		b.WriteString("    expected: " + show.Clip(expected, failureLimit) + "\n")
		b.WriteString("         got: " + show.Clip(got, failureLimit) + "\n")
	}
	for _, line := range p.JudgeLines() {
		b.WriteString("    " + show.Clip(line, failureLimit) + "\n")
	}
}
