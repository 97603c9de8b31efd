package names

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// TestMistypedParts: in no parameter of any check, nor of a check within it, does a state, a skill or a step pass that
// the project does not have, wherever a check can stand.
func TestMistypedParts(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, def := range checks.Builtin() {
		for _, spec := range examplesOf(t, def) {
			for _, use := range partNames(compiledOf(spec)) {
				met[def.Name+" "+use.Param] = true
				wrong := *spec
				wrong.Params = respelled(spec.Params, map[string]string{use.Name: "zz_" + use.Name})
				for surface, found := range reportedIn(t, compiledOf(&wrong), partsOf(t, compiledOf(spec))) {
					if !reports(found, "zz_"+use.Name) {
						t.Errorf("%s: %s: in %s %s %q passes: %v", spec.Pos, use.Param, surface, use.Kind, use.Name, found)
					}
				}
			}
		}
	}
	for _, one := range []string{
		"workflow_state_is state", "workflow_transitioned_to state", "workflow_transition_order sequence",
		"workflow_tool_access state", "spoke_in_state state", "skill_activated skill_names", "not skill_names",
		"skill_not_activated skill_names", "skill_activation_order sequence", "composition_step_output step",
		"composition_branch_taken branch", "composition_branch_taken expected", "composition_parallel_complete parallel",
	} {
		if check, _, _ := strings.Cut(one, " "); !met[one] && check != "not" {
			t.Errorf("no example of %s", one)
		}
	}
}

// TestMistypedValues: an argument of one of arena's own tools is also a name: of an event, an artifact or a skill.
// Every check that compares arguments reports unknown ones. The parameters are from the examples of the checks, with
// renamed tools.
func TestMistypedValues(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, def := range checks.Builtin() {
		for _, spec := range examplesOf(t, def) {
			c := compiledOf(spec)
			var p scenario.Project
			if slices.ContainsFunc(allNames(c), hasValues) {
				p = partsOf(t, c)
			}
			for _, use := range allNames(c) {
				if !hasValues(use) {
					continue
				}
				for tool, arg := range map[string]string{
					workflow.TransitionTool: "event", workflow.ArtifactTool: "name", skill.ActivateTool: "name",
					skill.DeactivateTool: "name", skill.ResourceTool: "skill_name",
				} {
					wrong, right := *spec, *spec
					to := map[string]string{use.Of: tool, use.Name: arg, use.Values[0].Text: "zz_Known"}
					wrong.Params = respelled(spec.Params, to)
					to[use.Values[0].Text] = "known"
					right.Params = respelled(spec.Params, to)
					bad, good := compiledOf(&wrong), compiledOf(&right)
					if bad == nil || good == nil {
						continue // two of its arguments have one name now
					}
					met[def.Name+" "+use.Param] = true
					for surface, found := range reportedIn(t, bad, p) {
						if !reports(found, "zz_Known") {
							t.Errorf("%s: %s: in %s %s passes: %v", spec.Pos, use.Param, surface, tool, found)
						}
					}
					for surface, found := range reportedIn(t, good, p) {
						if reports(found, "known") {
							t.Errorf("%s: %s: in %s %s does not pass: %v", spec.Pos, use.Param, surface, tool, found)
						}
					}
				}
			}
		}
	}
	for _, one := range []string{
		"tool_args expected_args", "tool_args_excluded_session excluded_args", "tool_args_excluded_session forbidden_args",
		"tool_call_chain args_match", "tool_calls_with_args expected_args", "tool_calls_with_args args_match",
		"trajectory args",
	} {
		if !met[one] {
			t.Errorf("no example of %s; there are %v", one, slices.Sorted(maps.Keys(met)))
		}
	}
}

func hasValues(use checks.NameUse) bool {
	return use.Kind == checks.ArgumentName && len(use.Values) > 0
}

func reports(found []diag.Diagnostic, name string) bool {
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && strings.Contains(d.Msg, `"`+name+`"`)
	})
}

func compiledOf(spec *scenario.Check) *checks.Compiled {
	return (&checks.Compiler{}).Compile(spec, &diag.List{})
}

// allNames are the names for which a check and those within it ask.
func allNames(c *checks.Compiled) (uses []checks.NameUse) {
	if c == nil {
		return nil
	}
	uses = slices.Clone(c.Names())
	for _, part := range c.Nested() {
		uses = append(uses, allNames(part)...)
	}
	return uses
}

func partNames(c *checks.Compiled) []checks.NameUse {
	return slices.DeleteFunc(allNames(c), func(use checks.NameUse) bool {
		return use.Kind != checks.StateName && use.Kind != checks.SkillName && use.Kind != checks.StepName
	})
}

// partsOf is a project that has whatever a check asks for.
func partsOf(t *testing.T, c *checks.Compiled) scenario.Project {
	t.Helper()
	type object = map[string]any
	states := object{"known": object{
		"prompt_task": "a", "on_event": object{"known": "known"}, "artifacts": object{"known": object{"type": "text/plain"}},
	}}
	skills := object{"known": true}
	var tools, steps []any
	have := map[string]bool{}
	step := func(id string, more object) object {
		maps.Copy(more, object{"id": id})
		if !have["step "+id] {
			have["step "+id] = true
			steps = append(steps, more)
		}
		return more
	}
	var branch object
	for _, use := range allNames(c) {
		switch use.Kind {
		case checks.StateName:
			states[use.Name] = object{"prompt_task": "a"}
		case checks.SkillName:
			skills[use.Name] = true
		case checks.ToolName:
			if !have[use.Name] {
				have[use.Name] = true
				tools = append(tools, object{"name": use.Name, "input_schema": object{}, "mock_result": object{}})
			}
		case checks.StepName:
			switch use.Param {
			case "branch":
				branch = step(use.Name, object{
					"kind": "branch", "predicate": object{"path": "${input}", "exists": true}, "then": "rest",
				})
				continue
			case "parallel":
				step(use.Name, object{
					"kind": "parallel", "reduce": object{"strategy": "append", "into": "all"},
					"branches": []any{
						object{"id": "left", "kind": "prompt", "prompt_task": "a"}, object{"id": "right", "kind": "prompt", "prompt_task": "a"},
					},
				})
				continue
			case "expected":
				branch["then"] = use.Name
			}
			step(use.Name, object{"kind": "prompt", "prompt_task": "a"})
		default:
		}
	}
	step("rest", object{"kind": "prompt", "prompt_task": "a"})
	states["composed"] = object{"orchestration": "composition", "composition": "answer"}
	var inline []any
	for _, name := range slices.Sorted(maps.Keys(skills)) {
		inline = append(inline, object{"name": name, "description": name, "instructions": name})
	}
	dir := t.TempDir()
	write := func(file string, content object) {
		text, err := json.Marshal(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spec := object{
		"prompt_configs": []any{object{"file": "a.yaml"}}, "scenario_specs": object{},
		"provider_specs": object{"m": object{"type": "mock", "model": "m"}}, "skills": inline,
		"workflow":     object{"version": 1, "entry": "known", "states": states},
		"compositions": object{"answer": object{"version": 1, "steps": steps}},
	}
	for i, tool := range tools {
		write(fmt.Sprintf("%d.tool.yaml", i), tool.(object))
		tools[i] = object{"file": fmt.Sprintf("%d.tool.yaml", i)}
	}
	if tools != nil {
		spec["tools"] = tools
	}
	write("a.yaml", object{"task_type": "a", "system_template": "Help."})
	write("config.arena.yaml", object{"kind": "Arena", "metadata": object{"name": "parts"}, "spec": spec})
	suite, problems := checks.Load(scenario.Options{Paths: []string{dir}})
	if suite == nil || problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	return *suite.Projects[0]
}

// reportedIn returns the problems of a check in every place.
func reportedIn(t *testing.T, c *checks.Compiled, p scenario.Project) map[string][]diag.Diagnostic {
	t.Helper()
	found := map[string][]diag.Diagnostic{}
	if c == nil {
		return found // refused by itself
	}
	list := []scenario.Placed{{Compiled: c}}
	try := func(surface string, p scenario.Project, s *scenario.Scenario) {
		var diags diag.List
		s.ID = "s"
		p.Scenarios = []*scenario.Scenario{s}
		Report(&p, p.Scenarios, false, &diags)
		found[surface] = diags.Sorted()
	}
	try("a conversation", p, &scenario.Scenario{Conversation: list})
	try("a turn", p, &scenario.Scenario{Turns: []scenario.Turn{{Assertions: list}}})
	all := p
	all.Globals = list
	try("all conversations", all, &scenario.Scenario{})
	prompt := *p.Prompts[0]
	prompt.Evals = []*scenario.Eval{{ID: "e", Enabled: true, Check: scenario.Check{Compiled: c}}}
	under := p
	under.Prompts = []*scenario.Prompt{&prompt}
	try("an eval", under, &scenario.Scenario{TaskType: "a"})
	return found
}

// respelled is a copy of parameters with other texts and keys.
func respelled(n *node.Node, to map[string]string) *node.Node {
	out := *n
	if other, found := to[n.Value]; found && n.Kind == node.Scalar {
		out.Value = other
	}
	out.Content = nil
	for _, inner := range n.Content {
		out.Content = append(out.Content, respelled(inner, to))
	}
	return &out
}
