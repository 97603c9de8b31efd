package claims_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// at is a place in a file, by its line.
func at(line int32) diag.Pos { return diag.Pos{File: "refund.yaml", Line: line, Col: 3} }

// calls is a passed trial whose only turn calls these tools.
func calls(names ...string) *result.Trial {
	t := &result.Trial{Scenario: "refund", Position: at(1), Status: result.Passed, Turns: []result.Turn{{}}}
	for _, name := range names {
		t.Turns[0].ToolCalls = append(t.Turns[0].ToolCalls, result.ToolCall{Name: name})
	}
	return t
}

// unmet returns the warnings about expectations that the trials did not meet.
func unmet(expect func(*claims.Tracker), compared map[claims.Name]bool, trials ...*result.Trial) (told []string) {
	tracker := claims.New()
	expect(tracker)
	for _, t := range trials {
		tracker.Observe(t)
	}
	var list claims.List
	tracker.ClaimNames(&list, compared)
	tracker.ClaimUses(&list)
	for _, c := range result.UnmetClaims(list.All()) {
		told = append(told, c.Warning.Pos.String()+" "+c.Warning.Code+": "+c.Warning.Msg)
	}
	return told
}

func TestNamesThatNoConversationHad(t *testing.T) {
	t.Parallel()
	use := func(kind checks.Kind, name string) *checks.NameUse {
		return &checks.NameUse{Kind: kind, Name: name, Param: "names", Pos: at(7)}
	}
	loads := calls()
	loads.Turns[0].ToolCalls = []result.ToolCall{{Name: checks.SkillTool, Args: map[string]any{"name": "pdf"}}}
	moves := calls()
	moves.Workflow = &result.Workflow{Start: "intake", Transitions: []result.Transition{{From: "intake", To: "desk"}}}
	unrun := calls("refund")
	unrun.Turns = []result.Turn{{NotRun: "the turn before failed"}}
	for _, c := range []struct {
		name     string
		use      *checks.NameUse
		compared bool
		trials   []*result.Trial
		want     string // a part of the warning; "": there is none
	}{
		{name: "called", use: use(checks.ToolName, "refund"), trials: []*result.Trial{calls("list"), calls("refund")}},
		{name: "not called", use: use(checks.ToolName, "refund"), trials: []*result.Trial{calls("list")},
			want: `refund.yaml:7:3 never-named: tools_called: names: no tool "refund" came up in any conversation`},
		{name: "misspelled", use: use(checks.ToolName, "refnud"), trials: []*result.Trial{calls("refund")},
			want: `did you mean "refund"?`},
		{name: "listed by a server", use: use(checks.ToolName, "refund"), compared: true, trials: []*result.Trial{calls()}},
		{name: "no turn was run", use: use(checks.ToolName, "refund"), trials: []*result.Trial{unrun}},
		{name: "no trial", use: use(checks.ToolName, "refund")},
		{name: "skill loaded", use: use(checks.SkillName, "pdf"), trials: []*result.Trial{loads}},
		{name: "skill not loaded", use: use(checks.SkillName, "csv"), trials: []*result.Trial{loads}, want: `no skill "csv"`},
		{name: "state entered", use: use(checks.StateName, "desk"), trials: []*result.Trial{moves}},
		{name: "state of the start", use: use(checks.StateName, "intake"), trials: []*result.Trial{moves}},
		{name: "state not entered", use: use(checks.StateName, "shelf"), trials: []*result.Trial{moves},
			want: `no state "shelf"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := unmet(func(tr *claims.Tracker) {
				tr.ExpectName("tools_called", c.use)
				tr.ExpectName("tools_called", c.use) // a check that is compiled twice is told once
			}, map[claims.Name]bool{{Pos: c.use.Pos, Name: c.use.Name}: c.compared}, c.trials...)
			told(t, got, c.want)
		})
	}
}

// told compares warnings with a part of the only expected one; "": none is expected.
func told(t *testing.T, got []string, want string) {
	t.Helper()
	if want == "" && len(got) == 0 {
		return
	}
	if want == "" || len(got) != 1 || !strings.Contains(got[0], want) {
		t.Errorf("warnings %q, want one with %q", got, want)
	}
}

func TestRulesOfTurns(t *testing.T) {
	t.Parallel()
	s := &scenario.Scenario{Turns: []scenario.Turn{{
		Rare: &scenario.RareTurn{
			Chaos:   []scenario.ToolFailure{{Tool: "refund", Mode: "timeout", Pos: at(4)}},
			Consent: []scenario.Consent{{Tool: "mail", Answer: "deny", Pos: at(5)}},
		},
	}}}
	s.Pos = at(1)
	noted := func(name, key string, v any) chat.Message {
		return chat.Message{ToolResult: &chat.ToolResult{Name: name, Metadata: map[string]any{key: v}}}
	}
	both := calls()
	both.Turns[0].Messages = []chat.Message{
		noted("refund", tools.InjectedRuleKey, 1), noted("mail", tools.ConsentKey, "denied"),
	}
	broken := calls()
	broken.Turns[0].Error = "the provider is down"
	elsewhere := calls()
	elsewhere.Turns[0] = both.Turns[0]
	elsewhere.Turns[0].Index = 1
	by := func(provider string, trial *result.Trial) *result.Trial {
		of := *trial
		of.Provider = provider
		return &of
	}
	all := providersOf("a", "b", "c")
	for _, c := range []struct {
		name   string
		specs  []*scenario.Provider
		trials []*result.Trial
		want   []string
	}{
		{"both applied", nil, []*result.Trial{both}, nil},
		{"the turn ended in an error", nil, []*result.Trial{broken}, nil},
		{"they applied in another turn", nil, []*result.Trial{elsewhere}, nil}, // the turn itself was not run
		{"with one provider of three", all, []*result.Trial{by("a", both), by("b", calls()), by("c", calls())}, []string{
			"refund.yaml:4:3 never-fired: chaos: no call of refund failed this way (timeout) in any trial with provider b: " +
				"how the agent takes it was not tested",
			"refund.yaml:4:3 never-fired: chaos: no call of refund failed this way (timeout) in any trial with provider c: " +
				"how the agent takes it was not tested",
			"refund.yaml:5:3 never-fired: consent_overrides: no trial with provider b called mail in this turn, so nobody was asked",
			"refund.yaml:5:3 never-fired: consent_overrides: no trial with provider c called mail in this turn, so nobody was asked",
		}},
		{"with each in one trial", all[:2], []*result.Trial{by("a", both), by("b", both), by("b", calls())}, nil},
		{"one was not run", all[:2], []*result.Trial{by("a", both), by("b", broken)}, nil},
		{"with none of two", all[:2], []*result.Trial{by("a", calls()), by("b", calls())}, []string{
			"refund.yaml:4:3 never-fired: chaos: no call of refund failed this way (timeout) in any trial: " +
				"how the agent takes it was not tested",
			"refund.yaml:5:3 never-fired: consent_overrides: no trial called mail in this turn, so nobody was asked",
		}},
		{"neither applied", nil, []*result.Trial{calls()}, []string{
			"refund.yaml:4:3 never-fired: chaos: no call of refund failed this way (timeout) in any trial: " +
				"how the agent takes it was not tested",
			"refund.yaml:5:3 never-fired: consent_overrides: no trial called mail in this turn, so nobody was asked",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := unmet(func(tr *claims.Tracker) { tr.ExpectRules(s, c.specs) }, nil, c.trials...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func providersOf(ids ...string) (all []*scenario.Provider) {
	for _, id := range ids {
		all = append(all, &scenario.Provider{Meta: scenario.Meta{ID: id}, Type: "openai"})
	}
	return all
}

// TestContextPolicyOfProviders: one that leaves something out with one model and nothing with another tested the latter
// with all that was said.
func TestContextPolicyOfProviders(t *testing.T) {
	t.Parallel()
	leavesOut, not := calls(), calls()
	leavesOut.Provider, not.Provider = "a", "b"
	leavesOut.Turns[0].Messages = []chat.Message{{LeftOut: &chat.LeftOut{}}}
	s := &scenario.Scenario{Window: &scenario.ContextPolicy{Pos: at(6), Budget: 900}}
	s.Pos = at(1)
	expect := func(tr *claims.Tracker) { tr.ExpectWindow(s, providersOf("a", "b")) }
	told(t, unmet(expect, nil, leavesOut, not), "context_policy had no effect with provider b: no conversation came to more")
	told(t, unmet(expect, nil, leavesOut), "")
	told(t, unmet(expect, nil, not), "context_policy had no effect: no conversation came to more")
}

func TestContextPolicies(t *testing.T) {
	t.Parallel()
	model, agent := &scenario.Provider{Type: "openai"}, &scenario.Provider{Type: scenario.ProgramType}
	leavesOut := calls()
	leavesOut.Turns[0].Messages = []chat.Message{{LeftOut: &chat.LeftOut{}}}
	cancelled := calls()
	cancelled.Status = result.Cancelled
	for _, c := range []struct {
		name   string
		policy *scenario.ContextPolicy
		spec   *scenario.Provider
		trial  *result.Trial
		want   string
	}{
		{"left out", &scenario.ContextPolicy{}, model, leavesOut, ""},
		{"left nothing out", &scenario.ContextPolicy{Pos: at(6), Budget: 900}, model, calls(),
			"refund.yaml:6:3 never-fired: context_policy had no effect: no conversation came to more than its " +
				"token_budget of 900"},
		{"cancelled", &scenario.ContextPolicy{}, model, cancelled, ""},
		{"refuses", &scenario.ContextPolicy{Strategy: scenario.RefuseLonger}, model, calls(), ""},
		{"marks for caches", &scenario.ContextPolicy{Breakpoints: true}, model, calls(), ""},
		{"an agent remembers by itself", &scenario.ContextPolicy{}, agent, calls(), ""},
		{"none", nil, model, calls(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &scenario.Scenario{Window: c.policy}
			s.Pos = at(1)
			told(t, unmet(func(tr *claims.Tracker) { tr.ExpectWindow(s, []*scenario.Provider{c.spec}) }, nil, c.trial), c.want)
		})
	}
}

func TestThresholdsOfEvals(t *testing.T) {
	t.Parallel()
	least := 0.5
	eval := func(id, trigger string, sample float64) *evals.Eval {
		return &evals.Eval{
			Definition: &evals.Definition{
				ID: id, Check: scenario.Check{Type: "contains", Pos: at(9)}, Trigger: trigger, SamplePct: sample,
			},
			Check: &checks.Compiled{Terms: &checks.Terms{MinScore: &least}},
		}
	}
	measured := calls()
	measured.Evals = []result.EvalResult{{ID: "polite"}}
	skipped := calls()
	skipped.Evals = []result.EvalResult{{ID: "polite", Skipped: true, SkipReason: "no reply"}}
	failed := calls()
	failed.Status = result.Errored
	for _, c := range []struct {
		name  string
		eval  *evals.Eval
		trial *result.Trial
		want  string
	}{
		{"measured", eval("polite", scenario.TriggerEveryTurn, 100), measured, ""},
		{"no threshold", &evals.Eval{
			Definition: &evals.Definition{ID: "polite"}, Check: &checks.Compiled{Terms: &checks.Terms{}},
		}, calls(), ""},
		{"not measured", eval("polite", scenario.TriggerEveryTurn, 100), calls(),
			`eval "polite" has a threshold, and it judged nothing in this run: the threshold was not tested`},
		{"skipped", eval("polite", scenario.TriggerEveryTurn, 100), skipped, "it was skipped in every trial (no reply)"},
		{"a trial ended in an error", eval("polite", scenario.TriggerEveryTurn, 100), failed, ""},
		{"not drawn", eval("polite", scenario.TriggerSampleTurns, 5), failed, "its sample (5%) drew nothing in this run"},
		{"no step", eval("polite", scenario.TriggerWorkflowStep, 100), calls(), "no workflow moved on in this run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expect := func(tr *claims.Tracker) { tr.ExpectGates(&scenario.Project{}, evals.Set{c.eval}) }
			told(t, unmet(expect, nil, c.trial), c.want)
		})
	}
}

// TestScenariosThatNothingJudged: a scenario whose checks are all skipped in all of its trials tested nothing.
func TestScenariosThatNothingJudged(t *testing.T) {
	t.Parallel()
	with := func(status result.Status) *result.Trial {
		trial := calls()
		trial.Conversation = []result.Verdict{
			{Type: "contains", Status: status, SkipReason: "when: not met", Position: at(3)},
		}
		return trial
	}
	for _, c := range []struct {
		name   string
		trials []*result.Trial
		want   string
	}{
		{"judged", []*result.Trial{with(result.Passed)}, ""},
		{"judged in one", []*result.Trial{with(result.Skipped), with(result.Passed)}, ""},
		{"skipped in all", []*result.Trial{with(result.Skipped), with(result.Skipped)},
			`scenario "refund": its one check was skipped in every trial, so that nothing tested it (contains: when: not met)`},
		{"without checks", []*result.Trial{calls()}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			told(t, unmet(func(*claims.Tracker) {}, nil, c.trials...), c.want)
		})
	}
}

// TestConditionsOfOtherTurns: a check that was skipped in every trial, though calls of other turns meet its condition,
// is told of, also where others judged.
func TestConditionsOfOtherTurns(t *testing.T) {
	t.Parallel()
	with := func(status result.Status, called ...string) *result.Trial {
		trial := calls(called...)
		trial.Conversation = []result.Verdict{
			{Type: "contains", Status: status, SkipReason: `tool "pay" was not called`, Position: at(3)},
			{Type: "regex", Status: result.Passed, Position: at(4)},
		}
		return trial
	}
	failed := with(result.Skipped, "pay")
	failed.Status = result.Failed
	expect := func(tr *claims.Tracker) { tr.ExpectCondition(at(3), &checks.When{Tool: "pay"}) }
	const want = `contains was skipped in every trial, so that it tested nothing (tool "pay" was not called), though calls of other turns`
	told(t, unmet(expect, nil, with(result.Skipped), with(result.Skipped, "pay")), want)
	told(t, unmet(expect, nil, with(result.Skipped), with(result.Skipped, "mail")), "")
	told(t, unmet(expect, nil, with(result.Skipped, "pay"), with(result.Passed, "pay")), "")
	told(t, unmet(expect, nil, with(result.Passed, "pay"), with(result.Skipped, "pay")), "")
	told(t, unmet(expect, nil, failed), "")
}

// TestClaimsAreInOrder: those of a kind follow each other, kind by kind, whoever makes the first one.
func TestClaimsAreInOrder(t *testing.T) {
	t.Parallel()
	var list claims.List
	first, second := list.Kind(), list.Kind()
	second("eval", at(1), "polite").Settle(true, true, diag.Diagnostic{Msg: "not told"})
	first("name", at(2), "refund").Settle(false, true, diag.Diagnostic{Msg: "it never came up"})
	first("name", at(3), "mail").Settle(false, false, diag.Diagnostic{Msg: "not told"})
	all := list.All()
	if !(all[1].Order < all[2].Order && all[2].Order < all[0].Order) {
		t.Errorf("orders %d, %d, %d", all[0].Order, all[1].Order, all[2].Order)
	}
	told := result.UnmetClaims(all)
	if len(told) != 1 || told[0].Warning.Msg != "it never came up" {
		t.Errorf("told %v", told)
	}
}

func TestCalledTools(t *testing.T) {
	t.Parallel()
	tracker := claims.New()
	(*claims.Tracker)(nil).Observe(calls()) // it expects nothing
	tracker.ExpectLists()
	is := func(name string) bool { return tracker.Called(func(called string) bool { return called == name }) }
	if tracker.HasTurns() || is("refund") {
		t.Error("it knows of turns before it observed one")
	}
	tracker.Observe(calls("refund"))
	if !tracker.HasTurns() || !is("refund") || is("mail") {
		t.Error("refund was called, and mail was not")
	}
}

// TestRulesForStates: rules for states that no trial enters test nothing, and that is told even where nothing else is
// expected of the run.
func TestRulesForStates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "talk.yaml")
	text := "id: talk\nturns: [{role: user, content: Hello}]\nconversation_assertions:\n" +
		"  - {type: workflow_tool_access, params: {rules: [{state: desk, allowed: [find]}]}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, problems := checks.Load(scenario.Options{Paths: []string{path}})
	if problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	check := suite.Projects[0].Scenarios[0].Conversation[0].Compiled.(*checks.Compiled)
	moves := func(to string) *result.Trial {
		trial := calls()
		trial.Workflow = &result.Workflow{Start: "intake", Transitions: []result.Transition{{From: "intake", To: to}}}
		return trial
	}
	expect := func(tr *claims.Tracker) { tr.ExpectStates(check) }
	told(t, unmet(expect, nil, moves("shelf")), "workflow_tool_access: no trial came to a state with a rule (desk)")
	told(t, unmet(expect, nil, moves("shelf"), moves("desk")), "")
	told(t, unmet(expect, nil, calls()), "") // without a workflow the check is an error
}
