package composition

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A Problem is a mistake in a graph: a run would fail, or would not do what the author meant.
type Problem struct {
	Step  *Step  // nil: the composition itself
	Key   string // key of the step that holds the mistake
	Value string // the wrong text, to find its position in a list or an object
	Rule  string // name of the rule, such as "step-order"
	Text  string
	Hint  string
	Doubt bool // it may be intended: only some runs fail
}

// The rules that problems break.
const (
	ruleName      = "unknown-name"
	ruleOrder     = "step-order"
	ruleReference = "bad-reference"
	ruleID        = "bad-id"
	ruleTwice     = "duplicate-id"
	ruleSkipped   = "skipped-step"
	rulePredicate = "bad-predicate"
	ruleParallel  = "bad-parallel"
	ruleMissing   = "missing-field"
	ruleIdle      = "no-effect"
)

// Problems finds all mistakes that can be found without running the steps.
func (c *Composition) Problems() []Problem {
	f := &finder{c: c, later: map[string]bool{}, seen: map[string]bool{}, ways: waysOf(c)}
	for s := range c.All() {
		f.later[s.ID] = true
	}
	for _, s := range c.Steps {
		f.step(s)
	}
	f.output()
	return f.found
}

// finder checks the steps in their order.
type finder struct {
	c     *Composition
	later map[string]bool // ids of the steps that were not checked yet
	seen  map[string]bool
	ways  ways
	found []Problem
}

func (f *finder) add(rule string, step *Step, key, value, text, hint string) {
	f.found = append(f.found, Problem{Step: step, Key: key, Value: value, Rule: rule, Text: text, Hint: hint})
}

// doubt adds a problem that occurs only in some runs.
func (f *finder) doubt(rule string, step *Step, key, value, text, hint string) {
	f.add(rule, step, key, value, text, hint)
	f.found[len(f.found)-1].Doubt = true
}

// near suggests the id of a step, or lists all ids.
func (f *finder) near(id string) string {
	var ids []string
	for s := range f.c.All() {
		ids = append(ids, s.ID)
	}
	if near := diag.DidYouMean(id, ids); near != "" {
		return near
	}
	return "known: " + strings.Join(ids, ", ")
}

func (f *finder) output() {
	id := f.c.Output
	s := f.c.Step(id)
	switch {
	case id == "":
	case s == nil:
		f.add(ruleName, nil, "output", id, fmt.Sprintf("there is no step %q", id), f.near(id))
	case s.Kind == Branch:
		f.add(ruleReference, nil, "output", id, noOutput(id), "name a step that gives one")
	case f.ways.optional(s):
		f.doubt(ruleSkipped, nil, "output", id,
			fmt.Sprintf("the output is that of the step %q, which can be skipped: the composition fails then", id),
			"leave output out: then it is that of the last step that gave one")
	}
}

func noOutput(id string) string {
	return fmt.Sprintf("the step %q is a branch, which gives no output", id)
}

func (f *finder) step(s *Step) {
	f.identify(s)
	f.dependencies(s)
	f.values(s)
	switch s.Kind {
	case Branch:
		f.branch(s)
	case Parallel:
		f.parallel(s)
	case Agent:
		f.bounds(s)
	case Prompt, Tool:
	}
	f.know(s)
}

func (f *finder) dependencies(s *Step) {
	for _, id := range s.DependsOn {
		f.earlier(s, "depends_on", id, id)
	}
}

func (f *finder) bounds(s *Step) {
	if s.MaxSteps == 0 && s.StopTool == "" {
		f.add(ruleMissing, s, "termination", "", "termination has neither max_steps nor tool_called",
			"write termination: {max_steps: 5}, or {tool_called: NAME}")
	}
}

func (f *finder) identify(s *Step) {
	switch {
	case !IsID(s.ID):
		f.add(ruleID, s, "id", s.ID, fmt.Sprintf("%q cannot be the id of a step", s.ID),
			"use letters, digits and _, and begin with a letter or _")
	case s.ID == inputRoot:
		f.add(ruleID, s, "id", s.ID, "no step can be called input: ${input} is what the user said", "choose another id")
	case f.seen[s.ID]:
		f.twice(s)
	}
}

func (f *finder) twice(s *Step) {
	f.add(ruleTwice, s, "id", s.ID, fmt.Sprintf("a second step is called %q", s.ID), "give each step its own id")
}

// know adds a step that later steps can refer to.
func (f *finder) know(s *Step) {
	f.seen[s.ID] = true
	delete(f.later, s.ID)
	for _, b := range s.Branches {
		f.seen[b.ID] = true
		delete(f.later, b.ID)
	}
}

// earlier reports whether a reference names an earlier step. It adds a problem when it does not.
func (f *finder) earlier(s *Step, key, value, id string) bool {
	switch {
	case f.seen[id]:
		return true
	case id == s.ID:
		f.add(ruleOrder, s, key, value, fmt.Sprintf("the step %q refers to itself", id), "")
	case f.later[id]:
		f.add(ruleOrder, s, key, value, fmt.Sprintf("the step %q comes later", id),
			"steps run in the order of the file, and those of one parallel step at once: put it first")
	default:
		f.add(ruleName, s, key, value, fmt.Sprintf("there is no step %q", id), f.near(id))
	}
	return false
}

// values checks the references in the input and the arguments of a step.
func (f *finder) values(s *Step) {
	f.texts(s, "input", s.Input)
	if s.Args != nil {
		f.texts(s, "args", s.Args)
	}
}

// texts checks all texts in a value.
func (f *finder) texts(s *Step, key string, v any) {
	switch v := v.(type) {
	case string:
		rest := referencePattern().ReplaceAllString(v, "")
		if at := strings.Index(rest, "${"); at >= 0 {
			f.add(ruleReference, s, key, v, fmt.Sprintf("a reference is not closed: %s", clip(rest[at:])),
				"write ${input.NAME} or ${STEP.output.NAME}")
		}
		references(v, func(text string) { f.refer(s, key, text) })
		f.unbraced(s, key, v, rest)
	case []any:
		for _, item := range v {
			f.texts(s, key, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.Contains(name, "${") {
				f.add(ruleReference, s, key, name, fmt.Sprintf("a key cannot hold a reference: %s", clip(name)), "")
			}
			f.texts(s, key, v[name])
		}
	}
}

// unbraced reports the output of a step that stands in a text as in other languages: the step would get these letters.
func (f *finder) unbraced(s *Step, key, value, text string) {
	for _, m := range unbracedPattern().FindAllStringSubmatch(text, -1) {
		if id := m[2]; f.c.Step(id) != nil {
			f.add(ruleReference, s, key, value, fmt.Sprintf("%s is no reference, and would be used as it is", m[1]),
				fmt.Sprintf("write ${%s.output%s}", id, m[3]))
		}
	}
}

// refer checks a reference in the input or the arguments of a step.
func (f *finder) refer(s *Step, key, text string) {
	to := f.resolve(s, key, text)
	if to == nil {
		return
	}
	switch {
	case f.ways.excludes(s, to):
		f.add(ruleSkipped, s, key, text, fmt.Sprintf("the step %q is always skipped when this one runs", to.ID),
			"they are the two ways of one branch")
	case f.ways.optional(to) && !f.ways.implies(s, to):
		f.doubt(ruleSkipped, s, key, text, fmt.Sprintf("the step %q can be skipped, and this one fails then", to.ID),
			"make this step depend on it alone: depends_on: ["+to.ID+"]")
	}
}

// resolve checks a reference, and returns the step that it names; nil when it names none or is wrong.
func (f *finder) resolve(s *Step, key, text string) *Step {
	r, err := parseSingle(text)
	if err != nil {
		f.add(ruleReference, s, key, text, err.Error(), "write ${input.NAME} or ${STEP.output.NAME}")
		return nil
	}
	if r.root == inputRoot {
		f.within(s, key, text, r, f.c.InputSchema)
		return nil
	}
	if !f.earlier(s, key, text, r.root) {
		return nil
	}
	to := f.c.Step(r.root)
	switch to.Kind {
	case Branch:
		f.add(ruleReference, s, key, text, noOutput(to.ID), "")
		return nil
	case Parallel:
		f.withinParallel(s, key, text, r, to)
	case Prompt, Agent:
		if !f.withinReply(s, key, text, r, to) {
			return nil
		}
	case Tool:
	}
	return to
}

// withinReply checks whether what a model gives has the key of a reference; false: it is text, in which there is none.
func (f *finder) withinReply(s *Step, key, text string, r reference, to *Step) bool {
	if to.Schema == nil && len(r.path) > 0 {
		f.add(ruleReference, s, key, text,
			fmt.Sprintf("the step %q gives text, in which there is no %q", to.ID, strings.Join(r.path, ".")),
			"give it an output_schema: then it gives the value that its model writes as JSON")
		return false
	}
	f.within(s, key, text, r, to.Schema)
	return true
}

// within checks whether the schema of a value has the key of a reference.
func (f *finder) within(s *Step, key, text string, r reference, schema json.RawMessage) {
	var form struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Additional any                        `json:"additionalProperties"`
		Required   []string                   `json:"required"`
	}
	for i, name := range r.path {
		if len(schema) == 0 || json.Unmarshal(schema, &form) != nil || form.Type != "object" || len(form.Properties) == 0 {
			return
		}
		inner, declared := form.Properties[name]
		if !declared {
			known := slices.Sorted(maps.Keys(form.Properties))
			hint := diag.DidYouMean(name, known)
			if hint == "" {
				hint = "known: " + strings.Join(known, ", ")
			}
			where := strings.Join(append([]string{r.root}, r.path[:i]...), ".")
			say := f.doubt
			if form.Additional == false {
				say = f.add
			}
			say(ruleReference, s, key, text, fmt.Sprintf("the schema of %s declares no %q", where, name), hint)
			return
		}
		schema = inner
		form.Type, form.Properties, form.Additional = nil, nil, nil
	}
}

// withinParallel checks whether the output of a parallel step has the key of a reference.
func (f *finder) withinParallel(s *Step, key, text string, r reference, to *Step) {
	if len(r.path) > 0 && r.path[0] != to.Into {
		f.add(ruleReference, s, key, text,
			fmt.Sprintf("the step %q gives what its branches gave as %q, and no %q", to.ID, to.Into, r.path[0]),
			fmt.Sprintf("write ${%s.output.%s}, or ${BRANCH.output}", to.ID, to.Into))
		return
	}
	if len(r.path) < 2 {
		return
	}
	item := r.path[1]
	n, err := strconv.Atoi(item)
	at := slices.IndexFunc(to.Branches, func(b *Step) bool { return b.ID == item })
	switch {
	case to.Strategy == Barrier && at < 0:
		f.add(ruleName, s, key, text, fmt.Sprintf("the step %q has no branch %q", to.ID, item), f.near(item))
	case to.Strategy == Barrier:
		if b := to.Branches[at]; b.Kind == Prompt || b.Kind == Agent {
			f.withinReply(s, key, text, reference{root: b.ID, path: r.path[2:]}, b)
		}
	case to.Strategy == Append && (err != nil || n < 0 || n >= len(to.Branches)):
		f.add(ruleReference, s, key, text,
			fmt.Sprintf("the step %q gives a list of %d, in which there is no %q", to.ID, len(to.Branches), item),
			"count from 0")
	}
}

func (f *finder) branch(s *Step) {
	f.target(s, "then", s.Then)
	f.target(s, "else", s.Else)
	if s.Then != "" && s.Then == s.Else {
		f.doubt(ruleIdle, s, "else", s.Else, fmt.Sprintf("then and else both lead to %q: the branch decides nothing", s.Then),
			"name another step, or leave else out")
	}
	if s.If != nil {
		f.predicate(s, s.If)
	}
}

// target checks that a branch leads to a later step.
func (f *finder) target(s *Step, key, id string) {
	outer := slices.ContainsFunc(f.c.Steps, func(t *Step) bool { return t.ID == id })
	switch {
	case id == "":
	case f.seen[id] || id == s.ID:
		f.add(ruleOrder, s, key, id, fmt.Sprintf("the step %q does not come after the branch", id),
			"a branch chooses among later steps; there are no loops")
	case f.later[id] && outer:
	case f.later[id]:
		f.add(ruleParallel, s, key, id, fmt.Sprintf("the step %q stands inside a parallel step", id),
			"name the parallel step")
	default:
		f.add(ruleName, s, key, id, fmt.Sprintf("there is no step %q", id), f.near(id))
	}
}

func (f *finder) predicate(s *Step, p *Predicate) {
	for _, inner := range slices.Concat(p.All, p.Any) {
		f.predicate(s, inner)
	}
	if p.Not != nil {
		f.predicate(s, p.Not)
	}
	if p.Path == "" {
		return
	}
	f.resolve(s, "predicate", p.Path)
	references(p.Value, func(text string) {
		f.doubt(ruleReference, s, "predicate", "${"+text+"}",
			fmt.Sprintf("${%s} is compared as it stands: it is no reference in a value", text),
			"compare the value of one path with texts, numbers, true, false or null")
	})
	if _, isList := p.Value.([]any); p.Op.IsIn() && !isList {
		f.add(rulePredicate, s, "predicate", p.Path, fmt.Sprintf("%s needs a list of values", p.Op), "write value: [a, b]")
	}
	text, _ := p.Value.(string)
	if p.Op.IsOrder() && !jsonvalue.IsNumber(p.Value) && !strings.Contains(text, "{{") { // a variable may be a number
		f.add(rulePredicate, s, "predicate", p.Path, fmt.Sprintf("%s compares numbers, and value is none", p.Op), "")
		return
	}
	f.compared(s, p)
}

func (f *finder) parallel(s *Step) {
	if len(s.Branches) < 2 {
		f.add(ruleParallel, s, "branches", "", "a parallel step needs two branches or more", "")
	}
	for i, b := range s.Branches {
		if !b.Kind.IsLeaf() {
			f.add(ruleParallel, b, "kind", string(b.Kind), fmt.Sprintf("a %s step cannot stand inside a parallel step", b.Kind),
				"prompt, agent and tool can")
		}
		f.identify(b)
		if b.ID == s.ID || slices.ContainsFunc(s.Branches[:i], func(other *Step) bool { return other.ID == b.ID }) {
			f.twice(b)
		}
		f.dependencies(b)
		f.values(b)
		if b.Kind == Agent {
			f.bounds(b)
		}
	}
}
