package inventory_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// shop is a project with two prompts, evals, judges and a scenario that is skipped.
const shop = `
-- config.arena.yaml --
kind: Arena
metadata: {name: shop}
spec:
  prompt_configs: [{file: desk.yaml}, {file: shelf.yaml}]
  scenarios: [{file: talk.yaml}, {file: later.yaml}, {file: store.yaml}]
  provider_specs: {fake: {type: mock, model: m}, grader: {type: mock, model: g}}
  judges: [{name: strict, provider: grader}]
-- desk.yaml --
task_type: desk
system_template: Help.
validators: [{type: banned_words, params: {words: [cheap]}}]
evals:
  - {id: polite, type: contains, trigger: every_turn, params: {patterns: [please]}, threshold: {min_score: 0.5}}
  - {id: length, type: max_length, trigger: every_turn, params: {max: 90}}
  - {id: off, type: contains, trigger: every_turn, params: {patterns: [x]}, enabled: false}
-- shelf.yaml --
task_type: shelf
system_template: Store.
-- talk.yaml --
id: talk
task_type: desk
turns:
  - role: user
    content: Hello
    assertions:
      - {type: regex, params: {pattern: hi}}
      - {type: llm_judge, params: {criteria: It is polite., judge: strict}}
conversation_assertions: [{type: tools_not_called, params: {tool_names: [find]}}]
-- later.yaml --
id: later
task_type: shelf
skip: not yet
turns: [{role: user, content: Hello, assertions: [{type: json_valid}]}]
-- store.yaml --
id: store
task_type: shelf
turns: [{role: user, content: Hello, assertions: [{type: equals, params: {expected: stored}}]}]
`

func load(t *testing.T) *scenario.Project {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(shop)).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	suite, problems := checks.Load(scenario.Options{Config: filepath.Join(dir, "config.arena.yaml")})
	if suite == nil || suite.Projects == nil {
		t.Fatal(problems.Sorted())
	}
	for _, d := range problems.Sorted() {
		if d.Severity == diag.Error && d.Code != "unknown-name" {
			t.Fatal(d)
		}
	}
	return suite.Projects[0]
}

// scenarioOf is the scenario with an id.
func scenarioOf(p *scenario.Project, id string) []*scenario.Scenario {
	at := slices.IndexFunc(p.Scenarios, func(s *scenario.Scenario) bool { return s.ID == id })
	return p.Scenarios[at : at+1]
}

func TestChecksOfScenarios(t *testing.T) {
	t.Parallel()
	p := load(t)
	types := func(each func(visit func(*checks.Compiled))) string {
		var all []string
		each(func(c *checks.Compiled) { all = append(all, c.Type) })
		return strings.Join(all, " ")
	}
	for _, c := range []struct{ name, got, want string }{
		{"assertions of one", types(func(f func(*checks.Compiled)) { inventory.EachAssertion(p, scenarioOf(p, "talk"), f) }),
			"tools_not_called regex llm_judge"},
		{"assertions of a skipped one", types(func(f func(*checks.Compiled)) {
			inventory.EachAssertion(p, scenarioOf(p, "later"), f)
		}), ""},
		{"evals of one", types(func(f func(*checks.Compiled)) { inventory.EachEval(p, scenarioOf(p, "talk"), f) }),
			"contains max_length"},
		{"evals under another prompt", types(func(f func(*checks.Compiled)) {
			inventory.EachEval(p, scenarioOf(p, "store"), f)
		}), ""},
		{"all of one", types(func(f func(*checks.Compiled)) { inventory.EachCheck(p, scenarioOf(p, "store"), f) }), "equals"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestEvals(t *testing.T) {
	t.Parallel()
	p := load(t)
	talk, store := scenarioOf(p, "talk"), scenarioOf(p, "store")
	if diff := cmp.Diff([]string{"off"}, inventory.EvalsOff(p)); diff != "" {
		t.Errorf("disabled (-want +got):\n%s", diff)
	}
	if !inventory.HasGate(p, talk[0]) || inventory.HasGate(p, store[0]) {
		t.Error("an eval with a threshold can make talk fail, and nothing store")
	}
	if !inventory.HasMeasures(p, talk[0]) || inventory.HasMeasures(p, store[0]) {
		t.Error("evals run in talk, and none in store")
	}
	if used := inventory.UsedEvals(p, p.Scenarios); len(used) != 2 || used[0].ID != "polite" || used[1].ID != "length" {
		t.Errorf("used evals: %v", used)
	}
	sets := inventory.EvalSets(p, talk)
	if len(sets) != 1 || len(sets[p.Prompts[0]]) != 2 {
		t.Errorf("evals by prompts: %v", sets)
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	p := load(t)
	names := func(list []*scenario.Prompt) string {
		var all []string
		for _, prompt := range list {
			all = append(all, prompt.TaskType)
		}
		return strings.Join(all, " ")
	}
	if got := names(inventory.PromptsOf(p, p.Scenarios)); got != "desk shelf" && got != "shelf desk" {
		t.Errorf("prompts of all: %s", got)
	}
	if got := names(inventory.PromptsOf(p, scenarioOf(p, "later"))); got != "" {
		t.Errorf("prompts of a skipped scenario: %s", got)
	}
	for _, id := range []string{"talk", "store"} {
		of := scenarioOf(p, id)
		possible, err := inventory.PossiblePrompts(p, of[0])
		if err != nil || len(possible) != 1 {
			t.Errorf("%s: %v, %v", id, possible, err)
		}
		want := names(possible)
		if got := names(slices.Collect(inventory.ChosenPrompts(p, of))); got != want {
			t.Errorf("%s: chosen %s, possible %s", id, got, want)
		}
		if got := names(slices.Collect(inventory.ModelPrompts(p, of))); got != want {
			t.Errorf("%s: models get %s, possible %s", id, got, want)
		}
		if inventory.PromptUndecided(p, of[0]) {
			t.Errorf("%s has one prompt", id)
		}
	}
	if got := inventory.LostWithoutPrompt(p); !strings.Contains(got, "desk") {
		t.Errorf("lost without a prompt: %q", got)
	}
}

func TestJudges(t *testing.T) {
	t.Parallel()
	p := load(t)
	if diff := cmp.Diff([]string{"strict"}, inventory.JudgeNames(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var d diag.List
	finder := inventory.NewJudgeFinder(p, &d)
	finder.FindAll(scenarioOf(p, "talk"))
	if len(d.Sorted()) > 0 {
		t.Errorf("problems: %v", d.Sorted())
	}
	var models []string
	for _, spec := range finder.Models {
		models = append(models, spec.ID)
	}
	if diff := cmp.Diff([]string{"grader"}, models); diff != "" {
		t.Errorf("judges of talk (-want +got):\n%s", diff)
	}
	if got := finder.Named("strict"); got == nil || got.ID != "grader" || finder.Named("lenient") != nil {
		t.Errorf("strict is %v", got)
	}
	none := inventory.NewJudgeFinder(p, &d)
	none.FindAll(scenarioOf(p, "store"))
	if len(none.Models) > 0 {
		t.Errorf("judges of store: %v", none.Models)
	}
}
