package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/skill"
)

func declared(project string) result.Coverage {
	return result.Coverage{
		Project: project, Start: "a",
		States:      []result.Covered{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Transitions: []result.Covered{{From: "a", Event: "Go", To: "b"}, {From: "b", To: "c"}, {From: "b", Event: "Go", To: "c"}},
		Skills:      []result.Covered{{Name: "s"}, {Name: "t"}},
		Tools:       []result.Covered{{Name: "x"}, {Name: "y"}, {Name: "z"}},
	}
}

func flowTrial(index int, id string) *result.Trial {
	call := func(name, arg, err string) result.ToolCall {
		return result.ToolCall{Name: name, Args: map[string]any{"name": arg}, Error: err}
	}
	t := &result.Trial{
		Index: index, ID: id + "/p/default", Scenario: "one", Trial: 1, Trials: 1, Position: diag.Pos{File: "one.yaml"},
		Workflow: &result.Workflow{Start: "a", State: "c", Transitions: []result.Transition{
			{From: "a", To: "b", Event: "Go"}, {From: "b", To: "a", Event: "Undeclared"},
			{From: "a", To: "c", Event: "Go", Redirected: "b"},
		}},
		Turns: []result.Turn{{ToolCalls: []result.ToolCall{
			call("x", "", ""), call("x", "", ""), call("y", "", "it broke"), call("undeclared", "", ""),
			call(skill.ActivateTool, "s", ""), call(skill.ActivateTool, "t", "there is no skill"),
			call(skill.ActivateTool, "undeclared", ""),
		}}},
	}
	t.Settle()
	return t
}

// counts are the numbers of a coverage in the order of its parts.
func counts(c *result.Coverage) (n []int) {
	for _, part := range c.Parts() {
		for _, one := range part.List {
			n = append(n, one.Trials)
		}
	}
	return n
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	given := []result.Coverage{declared("")}
	var c result.Collector
	c.Cover(given)
	idle := &result.Trial{ID: "one/p/default", Scenario: "one", Index: 1, Status: result.Skipped}
	idle.Settle()
	unrun := flowTrial(2, "one")
	unrun.Turns[0].NotRun = "stopped"
	gone := flowTrial(3, "one")
	gone.Gone = true
	plain := &result.Trial{ID: "one/q/default", Scenario: "one", Index: 5, Turns: make([]result.Turn, 1)}
	plain.Settle()
	for _, trial := range []*result.Trial{flowTrial(0, "one"), idle, unrun, gone, flowTrial(4, "one"), plain} {
		c.Add(trial)
	}
	var run result.Run
	c.Finish(&run)
	got := &run.Coverage[0]
	if got.Trials != 3 {
		t.Errorf("%d trials ran", got.Trials)
	}
	if diff := cmp.Diff([]int{2, 2, 2, 2, 2, 0, 2, 0, 2, 0, 0}, counts(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(make([]int, 11), counts(&given[0])); diff != "" {
		t.Errorf("what is declared was changed:\n%s", diff)
	}
}

// Preloaded skills are touched by every trial that was in a state which allows them.
func TestCoverageOfPreloadedSkills(t *testing.T) {
	t.Parallel()
	given := result.Coverage{Skills: []result.Covered{
		{Name: "start", ActiveIn: []string{"a"}}, {Name: "end", ActiveIn: []string{"b", "c"}},
		{Name: "never", ActiveIn: []string{"d"}}, {Name: "plain", ActiveIn: []string{""}},
	}}
	var c result.Collector
	c.Cover([]result.Coverage{given})
	plain := &result.Trial{ID: "one/q/default", Scenario: "one", Index: 1, Turns: make([]result.Turn, 1)}
	plain.Settle()
	c.Add(flowTrial(0, "one"))
	c.Add(plain)
	var run result.Run
	c.Finish(&run)
	if diff := cmp.Diff([]int{1, 1, 0, 1}, counts(&run.Coverage[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCoverageOfTwoProjects gives each project the trials whose ids say so.
func TestCoverageOfTwoProjects(t *testing.T) {
	t.Parallel()
	var c result.Collector
	c.Cover([]result.Coverage{declared("a:"), declared("b:")})
	c.Add(flowTrial(0, "b:one"))
	var run result.Run
	c.Finish(&run)
	if run.Coverage[0].Trials != 0 || run.Coverage[1].Trials != 1 || run.Coverage[1].States[0].Trials != 1 {
		t.Errorf("%+v", run.Coverage)
	}
}

// TestCoverageTakesNoMemory holds trials of a project with coverage to the allocations of others.
func TestCoverageTakesNoMemory(t *testing.T) {
	trial := flowTrial(0, "one")
	allocs := func(declared ...result.Coverage) float64 {
		var c result.Collector
		c.Cover(declared)
		return testing.AllocsPerRun(1000, func() { c.Add(trial) })
	}
	if without, with := allocs(), allocs(declared("")); with > without {
		t.Errorf("%v allocations a trial, %v without", with, without)
	}
}
