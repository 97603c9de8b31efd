package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Composition is a graph of steps that states of a workflow run.
type Composition struct {
	*composition.Composition
	Pos diag.Pos
	at  map[*composition.Step]diag.Pos
}

// At is the position of a step.
func (c *Composition) At(s *composition.Step) diag.Pos { return c.at[s] }

// same reports whether two compositions run the same steps, whatever their descriptions.
func (c *Composition) same(o *Composition) bool {
	a, b := *c.Composition, *o.Composition
	a.Description, b.Description = "", ""
	return reflect.DeepEqual(a, b)
}

// Within reports whether a step is part of a parallel step.
func (c *Composition) Within(s *composition.Step) bool {
	return slices.ContainsFunc(c.Steps, func(p *composition.Step) bool { return slices.Contains(p.Branches, s) })
}

// compositionFile is a composition as written in a file.
type compositionFile struct {
	*composition.Composition
	steps []*stepFile
}

// stepFile is a step as written in a file.
type stepFile struct {
	*composition.Step
	at     *node.Node
	nested []*stepFile
}

// compositionFields are the keys of a composition, in configs and packs.
var compositionFields = table("a composition", func() rows[compositionFile] {
	return rows[compositionFile]{
		inside[compositionFile]("version", keys.Number{Low: 1, High: 1, Integer: true}).must().
			doc("The version of the format: 1."),
		str("description", func(c *compositionFile) *string { return &c.Description }).asIs().doc("What it is for."),
		custom("input_schema", schemaShape{}, func(d *decoder, c *compositionFile, v *node.Node) {
			c.InputSchema = d.schema(v, "input_schema")
		}).doc("JSON Schema of its input, or the file that holds it."),
		custom("output_schema", schemaShape{}, func(d *decoder, c *compositionFile, v *node.Node) {
			c.OutputSchema = d.schema(v, "output_schema")
		}).doc("JSON Schema of its output, or the file that holds it."),
		custom("output", text, func(d *decoder, c *compositionFile, v *node.Node) {
			c.Output, _ = d.Name(v, "output")
		}).doc("The step whose output is that of the whole; without it, the last that gave one."),
		custom("steps", listOf(stepFields()), func(d *decoder, c *compositionFile, v *node.Node) {
			c.steps = d.steps(v, "steps")
			if v.Kind == node.List && len(v.Content) == 0 {
				d.Errorf(v, "empty-value", "steps is empty")
			}
		}).must().doc("What is done, in this order."),
		idle[compositionFile]("engine", anyMap, "set limits in termination, or in the tool_policy of prompts"),
	}
})

// stepKeys are the keys of each kind of step, besides common ones. Keys with a star are required.
var stepKeys = map[composition.Kind]string{
	composition.Prompt:   "prompt_task* input output_schema",
	composition.Agent:    "prompt_task* input tools termination* output_schema",
	composition.Tool:     "tool* args",
	composition.Branch:   "predicate* then* else",
	composition.Parallel: "branches* reduce*",
}

var stepKinds = words("prompt", "agent", "tool", "branch", "parallel")

// stepFields are the keys of steps of all kinds.
func stepFields() *fields[stepFile] {
	return part("a step", slices.Concat(
		commonStepKeys(), modelStepKeys(), toolStepKeys(), branchStepKeys(), parallelStepKeys(),
	)...)
}

// commonStepKeys are the keys that every step can have.
func commonStepKeys() rows[stepFile] {
	return rows[stepFile]{
		custom("id", text, func(d *decoder, s *stepFile, v *node.Node) { s.ID, _ = d.Name(v, "id") }).must().
			doc("The name of the step."),
		custom("kind", stepKinds, func(d *decoder, s *stepFile, v *node.Node) {
			kind, _ := d.OneOf(v, "kind", stepKinds...)
			s.Kind = composition.Kind(kind)
		}).must().doc("What the step does; each kind has keys of its own."),
		remark[stepFile]("description", text).doc("What the step is for, for people."),
		strs("depends_on", func(s *stepFile) *[]string { return &s.DependsOn }).
			doc("Steps whose output must be there before this one begins."),
		object("modifiers", part("modifiers",
			object("retry", part("retry",
				integer("max_attempts", counting, func(s *stepFile) *int { return &s.Attempts }).must().
					doc("The most attempts, the first included."),
			), itself[stepFile]).doc("Whether a failed step is tried again."),
			custom("eval", texts, func(d *decoder, s *stepFile, v *node.Node) {
				s.Evals, _ = d.Strings(v, "eval")
				d.referAll(toEval, v)
			}).doc("Ids of the evals that judge the output."),
		), itself[stepFile]).doc("What is done around the step."),
	}
}

// modelStepKeys are the keys of steps of the kinds prompt and agent.
func modelStepKeys() rows[stepFile] {
	return rows[stepFile]{
		custom("prompt_task", text, func(d *decoder, s *stepFile, v *node.Node) {
			s.PromptTask, _ = d.Name(v, "prompt_task")
			d.refer(toTask, v)
		}).doc("The task type of the prompt, for kinds prompt and agent."),
		custom("input", foreign, func(d *decoder, s *stepFile, v *node.Node) {
			s.Input = d.value(v, "input")
		}).doc("What the prompt is given; may refer to outputs of earlier steps."),
		custom("output_schema", schemaShape{}, func(d *decoder, s *stepFile, v *node.Node) {
			s.Schema = d.schema(v, "output_schema")
		}).doc("JSON Schema of the output."),
		custom("tools", texts, func(d *decoder, s *stepFile, v *node.Node) {
			s.Tools, _ = d.Strings(v, "tools")
			s.Tools = slices.Clip(append([]string{}, s.Tools...)) // an empty list is a list
			d.referAll(toOffered, v)
		}).doc("The tools that the agent is offered; those of its prompt when left out."),
		object("termination", part("termination",
			integer("max_steps", counting, func(s *stepFile) *int { return &s.MaxSteps }).doc("The most calls of the model."),
			custom("tool_called", text, func(d *decoder, s *stepFile, v *node.Node) {
				s.StopTool, _ = d.Name(v, "tool_called")
				d.refer(toTool, v)
			}).doc("The agent stops once this tool was called."),
		), itself[stepFile]).doc("When the agent stops."),
	}
}

// toolStepKeys are the keys of steps of the kind tool.
func toolStepKeys() rows[stepFile] {
	return rows[stepFile]{
		custom("tool", text, func(d *decoder, s *stepFile, v *node.Node) {
			s.Tool, _ = d.Name(v, "tool")
			d.refer(toTool, v)
		}).doc("The tool that is called, for kind tool."),
		custom("args", wireMap, func(d *decoder, s *stepFile, v *node.Node) {
			if v.Kind != node.Map {
				d.Fields(v, "args", nil, nil) // reports it
				return
			}
			s.Args, _ = d.value(v, "args").(map[string]any)
		}).doc("Its arguments; may refer to outputs of earlier steps."),
	}
}

// branchStepKeys are the keys of steps of the kind branch.
func branchStepKeys() rows[stepFile] {
	return rows[stepFile]{
		custom("predicate", predicateFields(), func(d *decoder, s *stepFile, v *node.Node) { s.If = d.predicate(v) }).
			doc("What decides a branch."),
		label("then", func(s *stepFile) *string { return &s.Then }).doc("The step that follows when the predicate holds."),
		label("else", func(s *stepFile) *string { return &s.Else }).doc("The step that follows when it does not."),
	}
}

// parallelStepKeys are the keys of steps of the kind parallel.
func parallelStepKeys() rows[stepFile] {
	return rows[stepFile]{
		custom("branches", listOf(closer), func(d *decoder, s *stepFile, v *node.Node) {
			s.nested = d.steps(v, "branches")
			for _, b := range s.nested {
				s.Branches = append(s.Branches, b.Step)
			}
		}).doc("The steps that run at once, for kind parallel."),
		custom("reduce", reduceFields, func(d *decoder, s *stepFile, v *node.Node) {
			reduceFields.read(d, v, s)
		}).doc("How the outputs of the branches become one."),
	}
}

func itself[T any](t *T) *T { return t }

var reduceFields = table("reduce", func() rows[stepFile] {
	strategies := words("append", "replace", "barrier")
	return rows[stepFile]{
		custom("strategy", strategies, func(d *decoder, s *stepFile, v *node.Node) {
			how, _ := d.OneOf(v, "strategy", strategies...)
			s.Strategy = composition.Strategy(how)
		}).must().doc("append: a list of them; replace: the last one; barrier: an object by ids of steps."),
		label("into", func(s *stepFile) *string { return &s.Into }).must().doc("The name of the output."),
	}
})

// value reads a value as decoded JSON.
func (d *decoder) value(n *node.Node, what string) any {
	raw := d.raw(n, what)
	if raw == nil {
		return nil
	}
	v, err := chat.DecodeJSON(raw)
	if err != nil {
		d.Errorf(n, "wrong-type", "%s: %v", what, err)
	}
	return v
}

// compositions reads a map of compositions. References to other resources are resolved when the project is loaded.
func (d *decoder) compositions(n *node.Node) (all []*Composition) {
	d.Each(n, "compositions", func(name string, k, v *node.Node) {
		file := compositionFile{Composition: &composition.Composition{Name: name}}
		c := &Composition{Composition: file.Composition, Pos: d.Pos(k), at: map[*composition.Step]diag.Pos{}}
		all = append(all, c) // also a broken one, since it is declared
		before := d.Diags.Errors()
		if !compositionFields.read(d, v, &file) {
			return
		}
		for _, s := range file.steps {
			c.Steps = append(c.Steps, s.Step)
		}
		nodes := stepNodes(file.steps)
		for s, at := range nodes {
			c.at[s] = d.Pos(at)
		}
		if d.Diags.Errors() == before { // otherwise a missing step may be a broken one
			d.stepProblems(&file, v, nodes)
		}
	})
	return all
}

func stepNodes(steps []*stepFile) map[*composition.Step]*node.Node {
	nodes := map[*composition.Step]*node.Node{}
	for _, s := range steps {
		nodes[s.Step] = s.at
		for _, b := range s.nested {
			nodes[b.Step] = b.at
		}
	}
	return nodes
}

// stepProblems reports mistakes of the graph at their positions.
func (d *decoder) stepProblems(file *compositionFile, v *node.Node, nodes map[*composition.Step]*node.Node) {
	for _, p := range file.Problems() {
		at := v
		if p.Step != nil {
			at = nodes[p.Step]
		}
		if value := node.Get(at, p.Key); value != nil {
			at = textWithin(value, p.Value)
		}
		report := d.Errorf
		if p.Doubt {
			report = d.Warnf
		}
		report(at, p.Rule, "%s", p.Text).Hint = p.Hint
	}
}

// textWithin is the first text in a value that equals or contains another; the value itself when there is none.
func textWithin(n *node.Node, text string) *node.Node {
	if text == "" {
		return n
	}
	var found *node.Node
	var look func(n *node.Node, fits func(string) bool)
	look = func(n *node.Node, fits func(string) bool) {
		if found == nil && n.Kind == node.Scalar && fits(n.Value) {
			found = n
		}
		for _, inner := range n.Content {
			look(inner, fits)
		}
	}
	look(n, func(s string) bool { return s == text })
	if found == nil {
		look(n, func(s string) bool { return strings.Contains(s, text) })
	}
	if found == nil {
		return n
	}
	return found
}

// steps reads a list of steps. Each may only have the keys of its kind.
func (d *decoder) steps(n *node.Node, what string) (all []*stepFile) {
	table := stepFields()
	d.Items(n, what, func(_ int, v *node.Node) {
		s := &stepFile{Step: &composition.Step{}, at: v}
		all = append(all, s)
		if !table.read(d, v, s) || s.Kind == "" {
			return
		}
		d.stepKeys(table, s)
	})
	return all
}

// stepKeys reports keys that do not belong to the kind of a step, and missing required keys.
func (d *decoder) stepKeys(table *fields[stepFile], s *stepFile) {
	allowed := []string{"id", "kind", "description", "depends_on", "modifiers"}
	what := fmt.Sprintf("the %s step %q", s.Kind, s.ID)
	for key := range strings.FieldsSeq(stepKeys[s.Kind]) {
		key, needed := strings.CutSuffix(key, "*")
		allowed = append(allowed, key)
		if needed && node.Get(s.at, key) == nil {
			d.Missing(s.at, what, key)
		}
	}
	for i := 0; i+1 < len(s.at.Content); i += 2 {
		k := s.at.Content[i]
		if slices.Contains(allowed, k.Value) || table.index(k.Value) < 0 { // unknown keys are reported already
			continue
		}
		d.Errorf(k, "misplaced-field", "%s has no key %q", what, k.Value).Hint =
			"it can have " + strings.Join(allowed[2:], ", ")
	}
	if v := node.Get(s.at, "modifiers"); v != nil && s.Kind == composition.Branch {
		d.Warnf(v, NoEffect, "modifiers have no effect on a branch: it neither fails by chance nor gives an output")
	}
}

// CompositionsFor are the compositions that a scenario may run.
func (p *Project) CompositionsFor(s *Scenario) (all []*Composition) {
	start, _ := p.Start(s) // a wrong name is reported already
	if start == nil {
		return nil
	}
	for _, state := range p.Workflow.Graph.From(start) {
		if c := p.Composition(state.Composition); c != nil && state.Stops() && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Composition returns the composition with a name; nil: none.
func (p *Project) Composition(name string) *Composition {
	for _, c := range p.Compositions {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// PromptOfStep is the prompt of a step, nil when it has none.
func (p *Project) PromptOfStep(s *composition.Step) *Prompt {
	if s.PromptTask == "" {
		return nil
	}
	for _, q := range p.Prompts {
		if q.TaskType == s.PromptTask {
			return q
		}
	}
	return nil
}
