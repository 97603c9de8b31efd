package scenario

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// givenVariable is a variable that a scenario, a persona or a prompt sets.
type givenVariable struct {
	name     string
	pos      diag.Pos
	value    *node.Node // nil: the prompt declares it
	scenario *Scenario
	persona  *Persona
	prompt   *Prompt
	declared bool // the prompt itself declares it
	fragment bool // it is a text from another file
}

// givenMap is a field with variables: text to text.
func givenMap[T any](
	name string, at func(*T) *map[string]string, take func(d *decoder, t *T, g givenVariable),
) *field[T] {
	return custom(name, textMap, func(d *decoder, t *T, v *node.Node) {
		m, ok := d.StringMap(v, name)
		if !ok {
			return
		}
		*at(t) = m
		for i := 0; i+1 < len(v.Content); i += 2 {
			take(d, t, givenVariable{name: v.Content[i].Value, pos: d.Pos(v.Content[i]), value: v.Content[i+1]})
		}
	})
}

// variableReads collects the variables that texts and checks use.
type variableReads struct {
	names  map[string]bool
	all    bool                // a program gets all of them
	values []map[string]string // of variables, which may hold placeholders themselves

	declared []string // variables of the prompt, read or not
}

func (r *variableReads) reads(name string) bool { return r.all || r.names[name] }

// addText adds the variables in a text.
func (r *variableReads) addText(text string) {
	if holdsBraces(text) {
		r.addNames(Placeholders(text))
	}
}

func (r *variableReads) addNames(names []string) {
	for _, name := range names {
		r.names[name] = true
	}
}

// addNested adds the variables in the values of used variables.
func (r *variableReads) addNested() {
	for before := -1; before < len(r.names); {
		before = len(r.names)
		for _, values := range r.values {
			for name, value := range values {
				if r.names[name] {
					r.addText(value)
				}
			}
		}
	}
}

// addCheck adds the variables in a check.
func (r *variableReads) addCheck(compiled any) {
	if o, ok := compiled.(*OpenCheck); ok {
		r.addNames(o.names())
		compiled = o.bound()
	}
	all, ok := compiled.(interface{ GetsVariables() bool })
	r.all = r.all || compiled == nil || ok && all.GetsVariables() // what is wrong is reported, and may be anything
}

func (r *variableReads) checks(list []Placed) {
	for i := range list {
		r.addCheck(list[i].Compiled)
	}
}

// addPrompt adds the variables that a prompt uses in every conversation.
func (r *variableReads) addPrompt(p *Prompt) {
	r.values = append(r.values, p.variables())
	for _, v := range p.Variables {
		r.declared = append(r.declared, v.Name)
	}
	r.addText(p.SystemTemplate)
	for _, o := range p.Overrides {
		r.addText(o.SystemTemplate)
		r.addText(o.Prefix)
		r.addText(o.Suffix)
	}
	for _, v := range p.Validators {
		r.addCheck(v.Compiled)
	}
}

// addScenario adds the variables that a conversation uses besides its prompt.
func (r *variableReads) addScenario(b *build, s *Scenario) {
	r.values = append(r.values, s.Variables)
	for _, text := range []string{s.Description, s.Context.Domain, s.Context.UserRole} {
		r.addText(text)
	}
	for i := range s.SeedMemories {
		r.addText(s.SeedMemories[i].Content)
	}
	r.addSteps(b.p, s)
	r.checks(s.Conversation)
	for i := range s.Turns {
		t := &s.Turns[i]
		r.checks(t.Assertions)
		if t.Persona() != "" || t.Role != "user" {
			for _, q := range b.p.Personas {
				r.persona(q)
			}
		}
		if t.Literal {
			continue
		}
		r.addText(t.Content)
		for _, p := range t.Parts {
			r.addText(p.Text)
		}
		for _, m := range t.More().RowMedia {
			r.addText(sourceName(t.Parts[m.Part].Media))
		}
		for _, c := range t.More().Chaos {
			r.addText(c.Message)
		}
		for _, p := range t.More().Perturbations {
			for _, value := range p.Values {
				r.addText(value)
			}
		}
	}
}

func (r *variableReads) persona(q *Persona) {
	r.values = append(r.values, q.OptionalVars)
	for _, text := range slices.Concat([]string{q.SystemTemplate, q.SystemPrompt}, q.Goals, q.Constraints) {
		r.addText(text)
	}
}

// sharedReads are the variables that the checks of the project use under some prompts.
func (b *build) sharedReads(prompts ...*Prompt) *variableReads {
	r := &variableReads{names: map[string]bool{}}
	r.addNames(b.named)
	r.checks(b.p.Globals)
	for _, prompt := range prompts {
		if prompt != nil {
			r.addPrompt(prompt)
		}
		for _, e := range b.p.EvalsFor(prompt) {
			r.addCheck(e.Compiled)
		}
	}
	return r
}

// unread warns of variables that nothing uses. If its name is misspelled, the text uses another value.
func (b *build) unread() {
	if b.l.opts.Compile == nil || b.broken[kindPrompt] || b.broken[kindPersona] ||
		b.p.HasWorkflow() && b.p.Workflow.Graph == nil {
		return
	}
	for _, d := range b.l.diags.Sorted() {
		b.reported[d.Pos] = true
	}
	b.typedVariables()
	b.unreadOwn()
	b.unreadRows()
	b.unreadContexts()
	if b.in.only == nil && !b.broken[kindScenario] { // else scenarios that are not there may read it
		b.unreadOfPrompts()
	}
	if len(b.l.opts.Regions) > 0 && !b.readsRegion() {
		b.l.diags.Warnf(diag.Pos{File: b.in.config}, 0, NoEffect, "--region %s has no effect: nothing reads {{region}}",
			strings.Join(b.l.opts.Regions, ",")).Hint =
			"write {{region}} where trials of one region are to differ from those of another, or leave the flag out"
	}
}

// readsRegion reports whether anything depends on the region of a trial.
func (b *build) readsRegion() bool {
	for _, q := range b.p.Providers {
		if q.Replay != nil { // which has conversations of regions
			return true
		}
	}
	for _, s := range b.p.Scenarios {
		prompts, err := b.p.PromptsFor(s)
		read := b.sharedReads(prompts...)
		read.addScenario(b, s)
		read.addNested()
		if err != nil || read.reads("region") {
			return true
		}
	}
	return len(b.p.Scenarios) == 0
}

// unreadOwn checks the variables of scenarios and personas.
func (b *build) unreadOwn() {
	var last *Scenario
	var read *variableReads
	for _, g := range b.given {
		switch {
		case g.persona != nil:
			own := &variableReads{names: map[string]bool{}}
			own.persona(g.persona)
			if own.addNested(); !own.reads(g.name) {
				b.notRead(g, own)
			}
			continue
		case g.scenario == nil:
			continue
		}
		prompts, err := b.p.PromptsFor(g.scenario)
		if err != nil {
			continue // is reported
		}
		if last != g.scenario {
			last, read = g.scenario, b.sharedReads(prompts...)
			read.addScenario(b, g.scenario)
			read.addNested()
		}
		if g.name == "region" || !read.reads(g.name) && !declared(prompts, g.name) {
			b.notRead(g, read)
		}
	}
}

// unreadOfPrompts checks the variables that prompts declare and the config sets. If a prompt has several entries in the
// config, a variable that one of them uses is used.
func (b *build) unreadOfPrompts() {
	of := map[*Prompt]*variableReads{}
	pending := map[diag.Pos]givenVariable{}
	for _, g := range b.givenOfPrompts() {
		read := of[g.prompt]
		if read == nil {
			read = b.sharedReads(g.prompt)
			read.addNested()
			of[g.prompt] = read
		}
		if g.name == "region" && !g.declared || !read.reads(g.name) && (g.declared || !g.prompt.declares(g.name)) {
			pending[g.pos] = g
		}
	}
	if len(pending) == 0 {
		return
	}
	scenarios := slices.Clone(b.p.Scenarios)
	for _, e := range b.p.Evals {
		scenarios = append(scenarios, e.Scenario())
	}
	for _, s := range scenarios {
		prompts, _ := b.p.PromptsFor(s) // what is wrong with it is reported
		for _, prompt := range prompts {
			if of[prompt] != nil {
				of[prompt].addScenario(b, s)
			}
		}
	}
	for _, read := range of {
		read.addNested()
	}
	for _, g := range b.givenOfPrompts() {
		if of[g.prompt].reads(g.name) && (g.name != "region" || g.declared) {
			delete(pending, g.pos)
		}
	}
	for _, g := range pending { // the list is sorted when it is shown
		b.notRead(g, of[g.prompt])
	}
}

func (b *build) givenOfPrompts() []givenVariable {
	var all []givenVariable
	for _, g := range b.given {
		if g.prompt != nil && slices.Contains(b.p.Prompts, g.prompt) {
			all = append(all, g)
		}
	}
	for _, p := range b.p.Prompts {
		for _, v := range p.Variables {
			all = append(all, givenVariable{name: v.Name, pos: v.Pos, prompt: p, declared: true})
		}
	}
	return all
}

func declared(prompts []*Prompt, name string) bool {
	return slices.ContainsFunc(prompts, func(p *Prompt) bool { return p.declares(name) })
}

func (p *Prompt) declares(name string) bool {
	return p != nil && slices.ContainsFunc(p.Variables, func(v Variable) bool { return v.Name == name })
}

// notRead warns of an unused variable.
func (b *build) notRead(g givenVariable, read *variableReads) {
	if b.reported[g.pos] {
		return
	}
	b.reported[g.pos] = true
	warn := func(format string) *diag.Diagnostic {
		return b.l.diags.Warnf(g.pos, utf8.RuneCountInString(g.name), "unread-variable", format, g.name)
	}
	if g.name == "region" && g.persona == nil && !g.declared {
		warn("the value of %q is never used: {{region}} is the region that a trial runs for").Hint =
			"choose regions with --region, or give the variable another name"
		return
	}
	format := "nothing reads the variable %q"
	if g.fragment {
		format = "the text of the fragment %q is never used"
	}
	d := warn(format)
	known := append(slices.Collect(maps.Keys(read.names)), read.declared...)
	known = slices.DeleteFunc(known, func(name string) bool { return strings.HasPrefix(name, g.name+".") }) // a part of it
	if near := diag.DidYouMean(g.name, known); near != "" {
		d.Hint = near
		if other := diag.Nearest(g.name, known); g.declared && !slices.Contains(read.declared, other) {
			d.Hint = "{{" + other + "}} is read, but nothing sets it: give both the same name"
		}
		return
	}
	d.Hint = "write {{" + g.name + "}} where it is meant, or take it out"
}
