package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// recorded makes a session of lines: "u: hi", "a: hello", "s: be kind", "c: lookup" for a call, "r: 42" for its result.
func recorded(lines ...string) *recording.Session {
	s := &recording.Session{ID: "s1", File: "talk.jsonl"}
	calls := 0
	for _, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		m := chat.Message{Content: text}
		switch who {
		case "u":
			m.Role = chat.User
		case "a":
			m.Role = chat.Assistant
		case "s":
			m.Role = chat.System
		case "c":
			calls++
			m = chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: fmt.Sprint(calls), Name: text}}}
		case "r":
			m = chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: fmt.Sprint(calls), Content: text}}
		}
		s.Messages = append(s.Messages, recording.Message{Message: m})
	}
	return s
}

// handedOver is a conversation without a file.
func handedOver(s *recording.Session) *recording.Session {
	s.File = ""
	return s
}

// overRecording plans the first eval or scenario of a file over a session.
func overRecording(t *testing.T, file string, s *recording.Session) *Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "judged.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, diags := checks.Load(scenario.Options{Paths: []string{path}, Recorded: true})
	p := suite.Projects[0]
	var sc *scenario.Scenario
	if len(p.Evals) > 0 {
		sc = p.Evals[0].Scenario()
	} else {
		sc = p.Scenarios[0]
	}
	m := newMatrix(PlanOptions{}, diags)
	run := m.prepare(p, []*scenario.Scenario{sc}, nil)
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted())
	}
	return &Plan{spans: single([]Trial{{
		Project: run, Scenario: sc, Endpoint: recordedEndpoint(), Region: scenario.DefaultRegion, N: 1, Of: 1,
		Recorded: &Recorded{Load: func() (*recording.Session, error) { return s, nil }, File: s.File},
	}})}
}

// judged formats a trial in lines: status and error, the verdicts of each turn, those of the conversation.
func judged(trial *result.Trial) []string {
	lines := []string{strings.TrimSpace(trial.Status.String() + " " + trial.Error)}
	verdicts := func(list []result.Verdict) (text string) {
		for i := range list {
			text += " " + list[i].Type + "=" + list[i].Status.String()
			if n := list[i].Details["reply"]; n != nil {
				text += fmt.Sprintf("(reply %d)", n)
			}
		}
		return text
	}
	for i := range trial.Turns {
		turn := &trial.Turns[i]
		line := fmt.Sprintf("%s > %s", turn.User, turn.Assistant)
		for _, c := range turn.ToolCalls {
			line += fmt.Sprintf(" %s()=%s%s", c.Name, c.Result, c.Error)
		}
		lines = append(lines, line+" |"+verdicts(turn.Assertions))
	}
	return append(lines, "end |"+verdicts(trial.Conversation))
}

const politeEval = `
recording: {path: any.json}
assertions:
  - {type: contains, params: {patterns: [please]}}
conversation_assertions:
  - {type: tools_called, params: {tools: [lookup]}}
`

func TestJudgeRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		session    *recording.Session
		want       []string
	}{
		{
			"each reply is judged at its own turn", politeEval,
			recorded("s: be kind", "u: one", "a: please wait", "u: two", "c: lookup", "r: 42", "a: no"),
			[]string{
				"failed", "one > please wait | contains=passed", "two > no lookup()=42 | contains=failed",
				"end | tools_called=passed",
			},
		},
		{
			"so is what is said before a tool is called, and between", politeEval,
			recorded("u: one", "a: shut up", "c: lookup", "r: 42", "a: please"),
			[]string{
				"failed", "one > please lookup()=42 | contains=failed(reply 1) contains=passed(reply 2)",
				"end | tools_called=passed",
			},
		},
		{
			"users who write twice have one turn", politeEval,
			recorded("u: one", "u: two", "a: please", "u: three", "c: lookup", "r: 1", "a: please"),
			[]string{
				"passed", "one\ntwo > please | contains=passed", "three > please lookup()=1 | contains=passed",
				"end | tools_called=passed",
			},
		},
		{
			"an assistant may speak first", politeEval, recorded("a: please", "u: x", "c: lookup", "a: please"),
			[]string{
				"failed", " > please | contains=passed",
				"x > please lookup()=the recording has no result of this call | contains=passed",
				"end | tools_called=failed",
			},
		},
		{
			"nothing is green without a reply", politeEval, recorded("u: one", "c: lookup", "r: 1"),
			[]string{
				"error turn 1: the recording has no reply here",
				"one >  lookup()=1 | contains=cancelled", "end | tools_called=cancelled",
			},
		},
		{
			"nor where the last answer was only begun", politeEval,
			recorded("u: one", "a: please", "u: two", "c: lookup", "r: 1"),
			[]string{
				"error turn 2: the recording has no reply here", "one > please | contains=passed",
				"two >  lookup()=1 | contains=cancelled", "end | tools_called=cancelled",
			},
		},
		{
			"nor where a reply is missing at the end", politeEval,
			recorded("u: one", "c: lookup", "r: 1", "a: please", "u: two"),
			[]string{
				"error turn 2: the recording has no reply here", "one > please lookup()=1 | contains=passed",
				"two >  | contains=cancelled", "end | tools_called=cancelled",
			},
		},
		{
			"words that nobody has answered yet are no break of a conversation that is handed over", politeEval,
			handedOver(recorded("u: one", "c: lookup", "r: 1", "a: please", "u: two")),
			[]string{"passed", "one > please lookup()=1 | contains=passed", "two >  |", "end | tools_called=passed"},
		},
		{
			"nor an empty recording", politeEval, recorded(),
			[]string{
				"error the recording holds no reply of an assistant: there is nothing to judge",
				" >  | contains=cancelled", "end | tools_called=cancelled",
			},
		},
		{
			"a scenario judges turn by turn", `
turns:
  - {role: user, content: one, assertions: [{type: contains, params: {patterns: [hello]}}]}
  - {role: user, content: two, assertions: [{type: contains, params: {patterns: [bye]}}]}
`, recorded("u: one", "a: hello", "u: two", "a: go"),
			[]string{"failed", "one > hello | contains=passed", "two > go | contains=failed", "end |"},
		},
		{
			"assertions of turns that the recording lacks are no pass", `
turns:
  - {role: user, content: one, assertions: [{type: contains, params: {patterns: [hello]}}]}
  - {role: user, content: two, assertions: [{type: contains, params: {patterns: [bye]}}]}
`, recorded("u: one", "a: hello"),
			[]string{
				"error the recording ends after turn 1, and turn 2 of the scenario has assertions",
				"one > hello | contains=passed", "two >  | contains=cancelled", "end |",
			},
		},
		{
			"nor of one without a reply", `
turns:
  - {role: user, content: one, assertions: [{type: contains, params: {patterns: [hello]}}]}
`, recorded("u: one"),
			[]string{"error turn 1: the recording has no reply here", "one >  | contains=cancelled", "end |"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := judged(trialOf(t.Context(), overRecording(t, c.file, c.session), options(1)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJudgeRecordedErrors(t *testing.T) {
	t.Parallel()
	broken := recorded("u: one", "a: please", "u: two")
	broken.Error = "the line went dead"
	plan := overRecording(t, politeEval, broken)
	trial := trialOf(t.Context(), plan, options(1))
	if trial.Status != result.Errored || trial.Error != "turn 2: the recorded conversation broke off: the line went dead" {
		t.Errorf("%s %q", trial.Status, trial.Error)
	}
	answered := recorded("u: one", "a: please", "u: two", "c: lookup", "a: please")
	answered.Error = "the run was stopped"
	trial = trialOf(t.Context(), overRecording(t, politeEval, answered), options(1))
	if want := "the recorded conversation broke off: the run was stopped"; trial.Status != result.Errored ||
		trial.Error != want {
		t.Errorf("broken off after a reply: %s %q", trial.Status, trial.Error)
	}
	plan.spans[0].Recorded.Load = func() (*recording.Session, error) { return nil, errors.New("gone") }
	trial = trialOf(t.Context(), plan, options(1))
	if trial.Status != result.Errored || trial.Error != "the recording cannot be read: gone" {
		t.Errorf("%s %q", trial.Status, trial.Error)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Stop())
	trial = trialOf(ctx, overRecording(t, politeEval, recorded("u: one", "a: please")), options(1))
	if trial.Status != result.Cancelled {
		t.Errorf("a stopped trial is %s", trial.Status)
	}
}

// Times and prices that a recording lacks do not count as 0.
func TestJudgeRecordedMeasurements(t *testing.T) {
	t.Parallel()
	const limits = `
recording: {path: any.json}
assertions:
  - {type: latency_budget, params: {max_ms: 100}}
  - {type: cost_budget, params: {max_cost_usd: 0.5}}
`
	s := recorded("u: one", "a: please")
	opts := options(1)
	opts.Strict = true
	if got := judged(trialOf(t.Context(), overRecording(t, limits, s), opts))[0]; got == "passed" {
		t.Errorf("limits on what nobody measured: %s", got)
	}
	usd := 0.25
	s.Messages[1].CostUSD, s.Messages[1].LatencyMS = &usd, 40
	trial := trialOf(t.Context(), overRecording(t, limits, s), opts)
	if trial.Status != result.Passed || trial.CostUSD == nil || *trial.CostUSD != usd || trial.DurationMS != 40 {
		t.Errorf("%v", judged(trial))
	}
	s.Messages[1].Offset = 3 * time.Second
	if trial = trialOf(t.Context(), overRecording(t, limits, s), opts); trial.DurationMS != 3000 {
		t.Errorf("took %v ms", trial.DurationMS)
	}
}

func TestEvaluator(t *testing.T) {
	t.Parallel()
	const config = `
apiVersion: promptkit.altairalabs.ai/v1alpha1
kind: Arena
metadata: {name: p}
spec:
  pack_evals:
    - {id: kind, type: contains, trigger: every_turn, params: {patterns: [please]}}
    - {id: whole, type: turn_count, trigger: on_session_complete, params: {min: 1}}
`
	path := filepath.Join(t.TempDir(), "config.arena.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(config, "turn_count", "min_length", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, diags := checks.Load(scenario.Options{Config: path, Bare: true})
	e := NewEvaluator(suite.Projects[0], "", PlanOptions{}, diags)
	if e == nil {
		t.Fatal(diags.Sorted())
	}
	defer e.Close()
	s := recorded("u: one", "a: please", "u: two", "a: no")
	for _, c := range []struct {
		at   Moment
		want []string
	}{
		{Moment{}, []string{"0 kind 1", "1 kind 0", "-1 whole 1"}},
		{AfterTurn(1), []string{"1 kind 0"}},
		{AtEnd(), []string{"-1 whole 1"}},
	} {
		trial := e.Evaluate(t.Context(), s, c.at, Options{Now: time.Now})
		if diff := cmp.Diff(c.want, evalLines(trial)); diff != "" || trial.Error != "" {
			t.Errorf("%v: %s %s", c.at, trial.Error, diff)
		}
	}
	var problems diag.List
	if NewEvaluator(suite.Projects[0], "nobody", PlanOptions{}, &problems) != nil || problems.Errors() == 0 {
		t.Error("an unknown prompt was taken")
	}
}
