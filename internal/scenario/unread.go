package scenario

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// given is a variable where somebody sets it: one scenario, persona or prompt.
type given struct {
	name     string
	pos      diag.Pos
	value    *node.Node // nil: the prompt declares it
	scenario *Scenario
	persona  *Persona
	prompt   *Prompt
	declared bool // the prompt itself declares it
}

// givenMap is a field with variables: text to text.
func givenMap[T any](name string, at func(*T) *map[string]string, take func(d *decoder, t *T, g given)) field[T] {
	return custom(name, textMap, func(d *decoder, t *T, v *node.Node) {
		m, ok := d.StringMap(v, name)
		if !ok {
			return
		}
		*at(t) = m
		for i := 0; i+1 < len(v.Content); i += 2 {
			take(d, t, given{name: v.Content[i].Value, pos: d.Pos(v.Content[i]), value: v.Content[i+1]})
		}
	})
}

// reading is what somebody reads of variables.
type reading struct {
	names  map[string]bool
	all    bool                // a program gets all of them
	values []map[string]string // of variables, which may hold placeholders themselves

	declared []string // variables of the prompt, read or not
}

func (r *reading) reads(name string) bool { return r.all || r.names[name] }

// text takes in what a text reads.
func (r *reading) text(text string) {
	if holdsBraces(text) {
		r.take(Placeholders(text))
	}
}

func (r *reading) take(names []string) {
	for _, name := range names {
		r.names[name] = true
	}
}

// close takes in what the values of read variables read.
func (r *reading) close() {
	for before := -1; before < len(r.names); {
		before = len(r.names)
		for _, values := range r.values {
			for name, value := range values {
				if r.names[name] {
					r.text(value)
				}
			}
		}
	}
}

// check takes in what a check reads.
func (r *reading) check(compiled any) {
	if o, ok := compiled.(*Open); ok {
		r.take(o.names())
		compiled = o.bound()
	}
	all, ok := compiled.(interface{ GetsVariables() bool })
	r.all = r.all || compiled == nil || ok && all.GetsVariables() // what is wrong is reported, and may be anything
}

func (r *reading) checks(list []Placed) {
	for i := range list {
		r.check(list[i].Compiled)
	}
}

// prompt takes in what a prompt reads wherever it is used.
func (r *reading) prompt(p *Prompt) {
	r.values = append(r.values, p.variables())
	for _, v := range p.Variables {
		r.declared = append(r.declared, v.Name)
	}
	r.text(p.SystemTemplate)
	for _, o := range p.Overrides {
		r.text(o.SystemTemplate)
		r.text(o.Prefix)
		r.text(o.Suffix)
	}
	for _, v := range p.Validators {
		r.check(v.Compiled)
	}
}

// scenario takes in what a conversation reads besides its prompt.
func (r *reading) scenario(b *build, s *Scenario) {
	r.values = append(r.values, s.Variables)
	for _, text := range []string{s.Description, s.Context.Domain, s.Context.UserRole} {
		r.text(text)
	}
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
		r.text(t.Content)
		for _, p := range t.Parts {
			r.text(p.Text)
		}
		for _, c := range t.Chaos {
			r.text(c.Message)
		}
		for _, p := range t.Perturbations {
			for _, value := range p.Values {
				r.text(value)
			}
		}
	}
}

func (r *reading) persona(q *Persona) {
	r.values = append(r.values, q.OptionalVars)
	for _, text := range slices.Concat([]string{q.SystemTemplate, q.SystemPrompt}, q.Goals, q.Constraints) {
		r.text(text)
	}
}

// everywhere is what the checks of the project read in all conversations with some prompts.
func (b *build) everywhere(prompts ...*Prompt) *reading {
	r := &reading{names: map[string]bool{}}
	r.take(b.named)
	r.checks(b.p.Globals)
	for _, prompt := range prompts {
		if prompt != nil {
			r.prompt(prompt)
		}
		for _, e := range b.p.EvalsFor(prompt) {
			r.check(e.Compiled)
		}
	}
	return r
}

// unread warns of variables that nothing reads. With a name that is misspelt, what reads the right one goes on with
// another value than the one under test.
func (b *build) unread() {
	if b.l.opts.Compile == nil || b.broken[kindPrompt] || b.broken[kindPersona] || b.p.HasWorkflow() && b.p.Workflow.Graph == nil {
		return
	}
	if _, there := b.p.Has(FeatureCompositions); there {
		return
	}
	for _, d := range b.l.diags.Sorted() {
		b.told[d.Pos] = true
	}
	b.typedVariables()
	b.unreadOwn()
	if b.in.only == nil && !b.broken[kindScenario] { // else scenarios that are not there may read it
		b.unreadOfPrompts()
	}
}

// unreadOwn looks at what scenarios and personas set.
func (b *build) unreadOwn() {
	var last *Scenario
	var read *reading
	for _, g := range b.given {
		switch {
		case g.persona != nil:
			own := &reading{names: map[string]bool{}}
			own.persona(g.persona)
			if own.close(); !own.reads(g.name) {
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
			last, read = g.scenario, b.everywhere(prompts...)
			read.scenario(b, g.scenario)
			read.close()
		}
		if g.name == "region" || !read.reads(g.name) && !declared(prompts, g.name) {
			b.notRead(g, read)
		}
	}
}

// unreadOfPrompts looks at what prompts declare and what the config sets for them. A prompt may stand in the config
// several times; what one of them reads is read.
func (b *build) unreadOfPrompts() {
	of := map[*Prompt]*reading{}
	pending := map[diag.Pos]given{}
	for _, g := range b.givenOfPrompts() {
		read := of[g.prompt]
		if read == nil {
			read = b.everywhere(g.prompt)
			read.close()
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
				of[prompt].scenario(b, s)
			}
		}
	}
	for _, read := range of {
		read.close()
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

func (b *build) givenOfPrompts() []given {
	var all []given
	for _, g := range b.given {
		if g.prompt != nil && slices.Contains(b.p.Prompts, g.prompt) {
			all = append(all, g)
		}
	}
	for _, p := range b.p.Prompts {
		for _, v := range p.Variables {
			all = append(all, given{name: v.Name, pos: v.Pos, prompt: p, declared: true})
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

// notRead warns of a variable of which nothing else is wrong.
func (b *build) notRead(g given, read *reading) {
	if b.told[g.pos] {
		return
	}
	b.told[g.pos] = true
	warn := func(format string) *diag.Diagnostic {
		return b.l.diags.Warnf(g.pos, utf8.RuneCountInString(g.name), "unread-variable", format, g.name)
	}
	if g.name == "region" && g.persona == nil && !g.declared {
		warn("the value of %q is never used: {{region}} is the region that a trial runs for").Hint =
			"choose regions with --region, or give the variable another name"
		return
	}
	d := warn("nothing reads the variable %q")
	known := append(slices.Collect(maps.Keys(read.names)), read.declared...)
	known = slices.DeleteFunc(known, func(name string) bool { return strings.HasPrefix(name, g.name+".") }) // a part of it
	if near := diag.DidYouMean(g.name, known); near != "" {
		d.Hint = near
		return
	}
	d.Hint = "write {{" + g.name + "}} where it is meant, or take it out"
}
