package show_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func trialOf(t *testing.T, run *result.Run, i int) *result.Trial {
	t.Helper()
	trial, err := run.Trials.Trial(i)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

func TestReason(t *testing.T) {
	t.Parallel()
	failed, errored, cancelled := resulttest.OneFailed(), resulttest.Errored(), resulttest.Cancelled()
	for _, c := range []struct {
		trial *result.Trial
		want  string
	}{
		{trialOf(t, failed, 0), ""},
		{trialOf(t, failed, 1), "must not refund outside the window: turn 2: tools_not_called: called once: issue_refund (and 1 more)"},
		{trialOf(t, errored, 0), "turn 2: provider claude-haiku: no reply in 60s (3 attempts)"},
		{trialOf(t, errored, 1), "turn 1: llm_judge: judge gpt-4o: 503: upstream connect error (3 attempts)"},
		{trialOf(t, errored, 3), "needs the voice provider"},
		{trialOf(t, cancelled, 2), "stopped before it finished"},
		{&result.Trial{Status: result.Failed}, "failed"},
		{&result.Trial{}, "unset"},
	} {
		if got := show.Reason(c.trial); got != c.want {
			t.Errorf("%s: got %q, want %q", c.trial.ID, got, c.want)
		}
	}
}

func TestTrialErrorNamesItsTurn(t *testing.T) {
	t.Parallel()
	trial := &result.Trial{Error: "timeout: no reply in 60s", Turns: []result.Turn{{}, {Index: 1, Error: "timeout"}}}
	if got, want := show.TrialError(trial), "timeout: no reply in 60s (turn 2)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	at := func(x float64) *float64 { return &x }
	for name, c := range map[string]struct {
		verdict          result.Verdict
		seen, note, line string
	}{
		"explanation": {result.Verdict{Type: "contains", Score: at(0), Explanation: "missing\n\"x\""},
			`missing "x"`, "", `turn 1: contains: missing "x"`},
		"below": {result.Verdict{Type: "llm_judge", Score: at(0.4), MinScore: at(0.7), Explanation: "rude"},
			"rude", "score 0.40, needs at least 0.70", "turn 1: llm_judge: rude (score 0.40, needs at least 0.70)"},
		"no limit": {result.Verdict{Type: "llm_judge", Score: at(0.9), Explanation: "good"},
			"good", "score 0.90, without min_score only 1 passes",
			"turn 1: llm_judge: good (score 0.90, without min_score only 1 passes)"},
		"above": {result.Verdict{Type: "bias", Score: at(0.4), MaxScore: at(0.1)},
			"score 0.40, needs at most 0.10", "", "turn 1: bias: score 0.40, needs at most 0.10"},
		"a measure": {result.Verdict{Type: "cost_budget", Score: at(0.5), Explanation: "$2 of $1"},
			"$2 of $1", "score 0.50", "turn 1: cost_budget: $2 of $1 (score 0.50)"},
		"expected": {result.Verdict{Type: "json_path", Score: at(0), Explanation: "another value",
			Details: map[string]any{"expected": "a", "actual": []any{1, "<b>"}}},
			"another value", `expected "a", got [1,"<b>"]`, `turn 1: json_path: another value (expected "a", got [1,"<b>"])`},
		"error": {result.Verdict{Type: "exec", Status: result.Errored, Error: "exit 3"},
			"exit 3", "", "turn 1: exec: exit 3"},
		"label":   {result.Verdict{Type: "x", Message: "be kind"}, "be kind", "", "turn 1: x: be kind"},
		"nothing": {result.Verdict{Type: "x"}, "failed", "", "turn 1: x: failed"},
		"stopped": {result.Verdict{Type: "x", Status: result.Cancelled}, "not judged: the conversation ended before", "",
			"turn 1: x: not judged: the conversation ended before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := c.verdict
			if v.Status == result.Unset {
				v.Status = result.Failed
			}
			p := show.Problem{Verdict: &v}
			if diff := cmp.Diff([]string{c.seen, c.note, c.line}, []string{p.Seen(), p.Note(), p.Line()}); diff != "" {
				t.Errorf("seen, note, line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProblemsLeaveOutWhatFollowsFromAnError(t *testing.T) {
	t.Parallel()
	trial := &result.Trial{
		Error: "turn 2: timeout",
		Turns: []result.Turn{
			{Assertions: []result.Verdict{
				{Type: "judge is down", Status: result.Errored}, {Type: "fails", Status: result.Failed},
			}},
			{Index: 1, Error: "timeout", Assertions: []result.Verdict{{Type: "no reply", Status: result.Errored}}},
			{Index: 2, NotRun: "…", Assertions: []result.Verdict{{Type: "not run", Status: result.Cancelled}}},
		},
		Conversation: []result.Verdict{{Type: "no end", Status: result.Errored}},
	}
	var got []string
	for _, p := range show.Problems(trial) {
		got = append(got, p.Type)
	}
	if diff := cmp.Diff([]string{"judge is down", "fails"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	run := resulttest.Flaky()
	var got []string
	for g := range show.GroupsOf(run).All() {
		parts := append([]string{g.ProviderLabel(), g.Status.String(), g.Rate()}, g.AssertionRates()...)
		got = append(got, strings.Join(parts, "|"))
	}
	want := []string{
		"gpt-4o-mini|passed|4 of 5 trials passed (80%, 34–99%), needs 80%|turn 1: contains: 4 of 5 passed (80%), needs 80%",
		"claude-haiku|failed|2 of 5 trials passed (40%, 7–82%), needs 80%|turn 1: contains: 2 of 5 passed (40%), needs 80%",
		"gpt-4o|passed|5 of 5 trials passed (100%, 54–100%)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVariantsAreToldApart: the line that decides is that of the variant that failed, by name.
func TestVariantsAreToldApart(t *testing.T) {
	t.Parallel()
	var trials []*result.Trial
	for i := range 4 {
		trial := &result.Trial{
			Index: i, Scenario: "s", Provider: "p", Region: "default", Trial: i + 1, Trials: 4,
			Variant: map[string]string{"city": "New York", "tone": []string{"kind", "rude"}[i%2]},
			Turns: []result.Turn{{Assertions: []result.Verdict{
				{Type: "contains", Status: []result.Status{result.Passed, result.Failed}[i%2], PassThreshold: new(0.5)},
			}}},
		}
		trial.Settle()
		trials = append(trials, trial)
	}
	run := resulttest.NewRun("variants", trials...)
	g := show.GroupsOf(run).At(0)
	want := []string{
		"2 of 4 trials passed (50%, 9–91%), needs 50% of each variant",
		`turn 1: contains (city="New York", tone=rude): 0 of 2 passed (0%), needs 50%`,
	}
	if diff := cmp.Diff(want, append([]string{g.Rate()}, g.AssertionRates()...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGroupsOfOneName keeps two scenarios of one name apart that stand in different files.
func TestGroupsOfOneName(t *testing.T) {
	t.Parallel()
	var trials []*result.Trial
	for _, file := range []string{"a.yaml", "b.yaml"} {
		for n := range 2 {
			status := result.Passed
			if file == "b.yaml" {
				status = result.Failed
			}
			trials = append(trials, &result.Trial{
				ID: file, Scenario: "same", Provider: "p", Trial: n + 1, Trials: 2, Position: diag.Pos{File: file, Line: 1},
				Conversation: []result.Verdict{{Type: "contains", Status: status}},
			})
		}
	}
	groups := show.GroupsOf(resulttest.NewRun("twice", trials...))
	if groups.Len() != 2 || groups.At(0).Status != result.Passed || groups.At(1).Status != result.Failed {
		t.Errorf("got %+v", groups)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	all, err := show.Failures(resulttest.Flaky())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int{{6, 7, 9}}, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHeadline(t *testing.T) {
	t.Parallel()
	for want, run := range map[string]*result.Run{
		"4 of 4 trials passed":                                 resulttest.AllPassed(),
		"2 of 3 trials passed, 1 failed":                       resulttest.OneFailed(),
		"1 of 4 trials passed, 2 errors, 1 skipped, 1 warning": resulttest.Errored(),
		"2 of 9 trials passed, 7 not finished":                 resulttest.Cancelled(),
		"11 of 15 trials passed, 4 failed (1 tolerated)":       resulttest.Flaky(),
		"1 of 4 trials passed, 2 failed, 1 error, 1 warning":   resulttest.Hostile(),
		"0 of 0 trials passed":                                 resulttest.NewRun("none"),
	} {
		if got := show.Headline(run); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	for want, call := range map[string]result.ToolCall{
		`issue_refund(amount=49.99, order_id="A-1001") → {"status":"ok"}`: {Name: "issue_refund", Result: `{"status":"ok"}`,
			Args: map[string]any{"order_id": "A-1001", "amount": json.Number("49.99")}},
		`f({"order_id": "A-10) → error: not JSON`: {Name: "f", BadArgs: `{"order_id": "A-10`, Error: "not\nJSON"},
		`f(id=9007199254740993)`:                  {Name: "f", Args: map[string]any{"id": json.Number("9007199254740993")}},
		`f()`:                                     {Name: "f"},
		`f(x=NaN)`:                                {Name: "f", Args: map[string]any{"x": math.NaN()}},
	} {
		if got := show.Call(&call); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	turn := result.Turn{
		User: "ignored: the parts say more",
		Messages: []chat.Message{
			{Role: chat.User, Parts: []chat.Part{
				{Type: "text", Text: "What is this?"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png"}},
			}},
			{Role: chat.Assistant, Content: "A lamp.", Validations: []chat.Validation{{Type: "banned_words"}}},
		},
		Assistant: "A lamp.", ToolCalls: []result.ToolCall{{Name: "look"}},
	}
	want := []show.Entry{
		{"user", "What is this?\n[image:image/png]"}, {"agent", "A lamp."}, {"tools", "look()"},
		{"guard", "banned_words fired"},
	}
	if diff := cmp.Diff(want, show.Exchange(&turn)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	silent := result.Turn{User: "hello?"}
	if diff := cmp.Diff([]show.Entry{{"user", "hello?"}, {"agent", "(no reply)"}}, show.Exchange(&silent)); diff != "" {
		t.Errorf("no reply (-want +got):\n%s", diff)
	}
}

func TestVariant(t *testing.T) {
	t.Parallel()
	trial := &result.Trial{Variant: map[string]string{"Tone": "rude", "City": "New York"}}
	if got, want := show.Variant(trial.Variant), `City="New York", Tone=rude`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
