package scenario

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/workflow"
)

// Composition is a graph of steps that states of a workflow run.
type Composition struct {
	*composition.Composition
	Pos diag.Pos
	at  map[*composition.Step]diag.Pos
}

// At is the position of a step.
func (c *Composition) At(s *composition.Step) diag.Pos { return c.at[s] }

// Within reports whether a step stands inside a parallel one.
func (c *Composition) Within(s *composition.Step) bool {
	return slices.ContainsFunc(c.Steps, func(p *composition.Step) bool { return slices.Contains(p.Branches, s) })
}

// compositionFile is a composition as it stands in a file.
type compositionFile struct {
	*composition.Composition
	steps []*stepFile
}

// stepFile is a step as it stands in a file.
type stepFile struct {
	*composition.Step
	at     *node.Node
	nested []*stepFile
}

// compositionFields are the keys of a composition, in configs and packs.
var compositionFields = table("a composition", func() rows[compositionFile] {
	return rows[compositionFile]{
		inside[compositionFile]("version", keys.Number{Low: 1, High: 1, Whole: true}).must(),
		str("description", func(c *compositionFile) *string { return &c.Description }).doc("What it is for."),
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
		idle[compositionFile]("engine", anyMap, "limits stand in termination and in the tool_policy of prompts"),
	}
})

// stepKeys are the keys of each kind of step, besides those that all have. Those with a star must be there.
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
	return part("a step",
		custom("id", text, func(d *decoder, s *stepFile, v *node.Node) { s.ID, _ = d.Name(v, "id") }).must(),
		custom("kind", stepKinds, func(d *decoder, s *stepFile, v *node.Node) {
			kind, _ := d.OneOf(v, "kind", stepKinds...)
			s.Kind = composition.Kind(kind)
		}).must(),
		remark[stepFile]("description", text),
		strs("depends_on", func(s *stepFile) *[]string { return &s.DependsOn }),
		object("modifiers", part("modifiers",
			object("retry", part("retry",
				whole("max_attempts", counting, func(s *stepFile) *int { return &s.Attempts }).must(),
			), itself[stepFile]),
			custom("eval", texts, func(d *decoder, s *stepFile, v *node.Node) {
				s.Evals, _ = d.Strings(v, "eval")
				d.referAll(toEval, v)
			}),
		), itself[stepFile]),
		custom("prompt_task", text, func(d *decoder, s *stepFile, v *node.Node) {
			s.PromptTask, _ = d.Name(v, "prompt_task")
			d.refer(toTask, v)
		}),
		custom("input", foreign, func(d *decoder, s *stepFile, v *node.Node) {
			s.Input = d.value(v, "input")
		}),
		custom("output_schema", schemaShape{}, func(d *decoder, s *stepFile, v *node.Node) {
			s.Schema = d.schema(v, "output_schema")
		}),
		custom("tools", texts, func(d *decoder, s *stepFile, v *node.Node) {
			s.Tools, _ = d.Strings(v, "tools")
			s.Tools = slices.Clip(append([]string{}, s.Tools...)) // an empty list is a list
			d.referAll(toOffered, v)
		}),
		object("termination", part("termination",
			whole("max_steps", counting, func(s *stepFile) *int { return &s.MaxSteps }),
			custom("tool_called", text, func(d *decoder, s *stepFile, v *node.Node) {
				s.StopTool, _ = d.Name(v, "tool_called")
				d.refer(toTool, v)
			}),
		), itself[stepFile]),
		custom("tool", text, func(d *decoder, s *stepFile, v *node.Node) {
			s.Tool, _ = d.Name(v, "tool")
			d.refer(toTool, v)
		}),
		custom("args", wireMap, func(d *decoder, s *stepFile, v *node.Node) {
			if v.Kind != node.Map {
				d.Fields(v, "args", nil, nil) // reports it
				return
			}
			s.Args, _ = d.value(v, "args").(map[string]any)
		}),
		custom("predicate", predicateFields(), func(d *decoder, s *stepFile, v *node.Node) { s.If = d.predicate(v) }),
		label("then", func(s *stepFile) *string { return &s.Then }),
		label("else", func(s *stepFile) *string { return &s.Else }),
		custom("branches", listOf(closer), func(d *decoder, s *stepFile, v *node.Node) {
			s.nested = d.steps(v, "branches")
			for _, b := range s.nested {
				s.Branches = append(s.Branches, b.Step)
			}
		}),
		custom("reduce", reduceFields, func(d *decoder, s *stepFile, v *node.Node) {
			reduceFields.read(d, v, s)
		}),
	)
}

func itself[T any](t *T) *T { return t }

var reduceFields = table("reduce", func() rows[stepFile] {
	strategies := words("append", "replace", "barrier")
	return rows[stepFile]{
		custom("strategy", strategies, func(d *decoder, s *stepFile, v *node.Node) {
			how, _ := d.OneOf(v, "strategy", strategies...)
			s.Strategy = composition.Strategy(how)
		}).must(),
		label("into", func(s *stepFile) *string { return &s.Into }).must(),
	}
})

// predicateFile is a predicate as it stands in a file.
type predicateFile struct {
	composition.Predicate
	all, any, not *node.Node
}

// predicateFields are the keys of all forms of predicates.
func predicateFields() *fields[predicateFile] {
	ops := make(keys.Words, len(composition.Ops))
	for i, op := range composition.Ops {
		ops[i] = string(op)
	}
	return part("a predicate",
		label("path", func(p *predicateFile) *string { return &p.Path }),
		custom("op", ops, func(d *decoder, p *predicateFile, v *node.Node) {
			op, _ := d.OneOf(v, "op", ops...)
			p.Op = composition.Op(op)
		}),
		custom("value", foreign, func(d *decoder, p *predicateFile, v *node.Node) { p.Value = d.value(v, "value") }).orNull(),
		flagPtr("exists", func(p *predicateFile) **bool { return &p.Exists }),
		custom("all_of", listOf(closer), func(_ *decoder, p *predicateFile, v *node.Node) { p.all = v }),
		custom("any_of", listOf(closer), func(_ *decoder, p *predicateFile, v *node.Node) { p.any = v }),
		custom("not", closer, func(_ *decoder, p *predicateFile, v *node.Node) { p.not = v }),
	)
}

// maxPredicate is how deep predicates may stand within each other.
const maxPredicate = 100

// predicate reads a predicate, which has exactly one form; nil after an error.
func (d *decoder) predicate(v *node.Node) *composition.Predicate { return d.predicateAt(v, 1) }

func (d *decoder) predicateAt(v *node.Node, depth int) *composition.Predicate {
	if depth > maxPredicate {
		d.Errorf(v, "too-deep", "predicates stand within each other more than %d deep", maxPredicate)
		return nil
	}
	var p predicateFile
	before := d.Diags.Errors()
	if !predicateFields().read(d, v, &p) || d.Diags.Errors() > before || !d.oneForm(v) {
		return nil
	}
	list := func(n *node.Node, what string) (all []*composition.Predicate) {
		if n == nil {
			return nil
		}
		d.Items(n, what, func(_ int, item *node.Node) { all = append(all, d.predicateAt(item, depth+1)) })
		if n.Kind == node.List && len(n.Content) == 0 {
			d.Errorf(n, "empty-value", "%s has no predicates", what)
		}
		return all
	}
	p.All, p.Any = list(p.all, "all_of"), list(p.any, "any_of")
	if p.not != nil {
		p.Not = d.predicateAt(p.not, depth+1)
	}
	if d.Diags.Errors() > before {
		return nil
	}
	return &p.Predicate
}

// oneForm reports a predicate that has no form, half of one, or several.
func (d *decoder) oneForm(v *node.Node) bool {
	has := func(key string) bool { return node.Get(v, key) != nil }
	var forms []string
	for _, key := range []string{"op", "exists", "all_of", "any_of", "not"} {
		if has(key) {
			forms = append(forms, key)
		}
	}
	const how = "write {path: …, op: equals, value: …}, {path: …, exists: true}, {all_of: […]}, {any_of: […]} or {not: {…}}"
	switch compares := has("op") || has("exists"); {
	case len(forms) > 1:
		d.Errorf(v, "field-conflict", "a predicate has exactly one form, and this one has %s", strings.Join(forms, " and ")).
			Hint = how
	case len(forms) == 0 && has("path"):
		d.Missing(v, "a predicate with path", "op and no exists").Hint = how
	case len(forms) == 0:
		d.Missing(v, "a predicate", "op, exists, all_of, any_of or not").Hint = how
	case compares && !has("path"):
		d.Missing(v, "a predicate with "+forms[0], "path").Hint = "name what is looked at: path: ${input.NAME}"
	case has("op") && !has("value"):
		d.Missing(v, "a predicate with op", "value")
	case !compares && has("path"):
		d.Errorf(node.Get(v, "path"), "field-conflict", "path has no place beside %s", forms[0]).Hint = how
	case !has("op") && has("value"):
		d.Errorf(node.Get(v, "value"), "field-conflict", "value has no place beside %s", forms[0]).Hint = how
	default:
		return true
	}
	return false
}

// value reads a value as JSON is decoded.
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

// compositions reads a map of compositions. What they refer to outside is resolved when the project is loaded.
func (d *decoder) compositions(n *node.Node) (all []*Composition) {
	d.Each(n, "compositions", func(name string, k, v *node.Node) {
		file := compositionFile{Composition: &composition.Composition{Name: name}}
		c := &Composition{Composition: file.Composition, Pos: d.Pos(k), at: map[*composition.Step]diag.Pos{}}
		all = append(all, c) // also when it is broken: it is there
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
		if d.Diags.Errors() == before { // else what is missing may be what is broken
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

// stepProblems reports mistakes of the graph where they stand.
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

// textWithin is the first text in a value that is, or holds, another; the value itself when there is none.
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

// steps reads a list of steps. The keys of each must be those of its kind.
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

// stepKeys reports keys that the kind of a step does not have, and those that it must have.
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
		if slices.Contains(allowed, k.Value) || table.index(k.Value) < 0 { // the latter is reported
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
	start, _ := p.Start(s) // a wrong one is reported
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

// Composition is the one of a name, nil when there is none.
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

// compositions checks the compositions of the project as a whole.
func (b *build) compositions() {
	for _, c := range b.p.Compositions {
		b.unusedComposition(c)
		for s := range c.All() {
			b.stepTools(c, s)
		}
	}
}

// unusedComposition warns of a composition that no state runs.
func (b *build) unusedComposition(c *Composition) {
	w := b.p.Workflow
	if w != nil && (w.Graph == nil || slices.ContainsFunc(w.Graph.States(), func(s *workflow.State) bool {
		return s.Composition == c.Name
	})) {
		return
	}
	b.l.diags.Warnf(c.Pos, utf8.RuneCountInString(c.Name), "unused-composition", "no state runs the composition %q", c.Name).
		Hint = "write orchestration: composition and composition: " + c.Name + " in a state of the workflow"
}

// stepTools warns of tools that an agent step lists and is never offered, because its prompt does not list them.
func (b *build) stepTools(c *Composition, s *composition.Step) {
	prompt := b.p.PromptOfStep(s)
	if s.Kind != composition.Agent || prompt == nil {
		return
	}
	for _, name := range s.Tools {
		if b.mayBeServed(name) || Offers(prompt.AllowedTools, name) {
			continue
		}
		b.l.diags.Warnf(c.At(s), 1, NoEffect, "the step %q lists the tool %q, which its prompt %q does not allow", s.ID, name,
			s.PromptTask).Hint = "list it under allowed_tools of the prompt too"
	}
}
