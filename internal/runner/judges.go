package runner

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/scenario"
)

// bench finds the judges for the checks of one project and reports those that are not to be had.
type bench struct {
	p     *scenario.Project
	def   string // what the command line names as the judge of checks that name none; "" leaves it to the file
	diags *diag.List
	// missing reports that there is no judge at all; nil makes that an error.
	missing func(pos diag.Pos, width int, code, format string, args ...any) *diag.Diagnostic
	// open makes the endpoint of a model; nil after a problem, which it reports. Where open itself is nil, nothing is
	// opened.
	open func(spec *scenario.Provider) *judges.Endpoint

	seats  map[checks.JudgeUse]judges.Judge
	asked  map[checks.JudgeUse]*scenario.Provider // who sits there
	models map[string]*scenario.Provider          // that the file does not configure, by type/model, or provider and model
	none   bool                                   // it is reported that checks have no judge

	prompts checks.JudgePrompts
	bad     map[*scenario.Prompt]bool // is reported
}

func newBench(p *scenario.Project, d *diag.List) *bench {
	return &bench{
		p: p, diags: d, seats: map[checks.JudgeUse]judges.Judge{}, asked: map[checks.JudgeUse]*scenario.Provider{},
		models:  map[string]*scenario.Provider{},
		prompts: checks.JudgePrompts{Texts: map[string]string{}}, bad: map[*scenario.Prompt]bool{},
	}
}

// seat finds a judge for every check and guardrail of the chosen scenarios that asks one.
func (b *bench) seat(chosen []*scenario.Scenario) {
	visit := func(c *checks.Compiled) {
		for _, need := range c.JudgeUses() {
			b.one(c, &need)
			b.prompt(c, &need)
		}
	}
	eachCheck(b.p, chosen, visit)
	eachGuard(b.p, chosen, visit)
}

// EachCheck visits the checks of a project, its guardrails and its evals, whether anything will run them or not. Of a
// check with placeholders it visits what it became in the trials that are planned.
func EachCheck(p *scenario.Project, visit func(*checks.Compiled)) {
	eachAssertion(p, p.Scenarios, visit)
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		if prompt != nil {
			for _, v := range prompt.Validators {
				eachCompiled(v.Compiled, visit)
			}
		}
		for _, def := range p.EvalsFor(prompt) {
			eachCompiled(def.Compiled, visit)
		}
	}
}

// eachCheck visits the checks of the chosen scenarios that are not skipped, the project's own first, and the guardrails
// and evals of the prompts that they speak to.
func eachCheck(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	eachAssertion(p, chosen, visit)
	eachGuard(p, chosen, visit)
	eachEval(p, chosen, visit)
}

// eachAssertion visits the assertions of the chosen scenarios that are not skipped, the project's own first.
func eachAssertion(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	list := func(list []scenario.Placed) {
		for _, c := range list {
			eachCompiled(c.Compiled, visit)
		}
	}
	if len(chosen) > 0 {
		list(p.Globals)
	}
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		list(s.Conversation)
		for i := range s.Turns {
			list(s.Turns[i].Assertions)
		}
	}
}

func (b *bench) one(c *checks.Compiled, need *checks.JudgeNeed) {
	if _, known := b.seats[need.Use]; known {
		return
	}
	name, spec := b.choose(c, need)
	if spec == nil {
		return
	}
	if !speaks(spec) {
		at, name := need.Pos.Check, c.Type
		if written := cmp.Or(need.Use.Judge, need.Use.Provider); written != "" {
			at, name = cmp.Or(need.Pos.Judge, need.Pos.Provider), written
		}
		b.diags.Errorf(at, width(name), "bad-judge", "%s: provider %s has the role %s and cannot judge",
			c.Type, spec.ID, spec.Role)
		return
	}
	if need.Use.Model != "" && need.Use.Model != spec.Model {
		spec = b.model(spec, need.Use.Model)
	}
	seat := judges.Judge{Name: cmp.Or(name, spec.ID)}
	if b.open != nil {
		if seat.Endpoint = b.open(spec); seat.Endpoint == nil {
			return
		}
	}
	b.seats[need.Use], b.asked[need.Use] = seat, spec
}

// speaks reports whether a provider is a model that answers in words.
func speaks(spec *scenario.Provider) bool { return spec.Role == "" || spec.Role == "llm" }

// choose is the judge that a check asks: by name, else the provider it names, else the one of the command line, else
// the first of the file. nil after a problem, and for a check that can do without.
func (b *bench) choose(c *checks.Compiled, need *checks.JudgeNeed) (name string, spec *scenario.Provider) {
	use := need.Use
	switch {
	case use.Judge != "":
		if spec = b.named(use.Judge); spec == nil {
			b.diags.Errorf(need.Pos.Judge, width(use.Judge), "unknown-judge", "%s: there is no judge %q", c.Type, use.Judge).
				Hint = b.hintJudge(use.Judge)
		}
		return use.Judge, spec
	case use.Provider != "":
		if spec = b.provider(use.Provider, use.Model); spec == nil {
			b.diags.Errorf(need.Pos.Provider, width(use.Provider), "unknown-provider", "%s: there is no provider %q",
				c.Type, use.Provider).Hint = b.hintProvider(use.Provider)
		}
		return "", spec
	case b.def != "":
		if spec = b.named(b.def); spec != nil {
			return b.def, spec
		}
		if spec = b.provider(b.def, ""); spec == nil && !b.none { // another project has it
			b.none = true
			b.diags.Errorf(need.Pos.Check, width(c.Type), "unknown-judge", "%s: --judge %s: this project has no judge and "+
				"no provider of that name", c.Type, b.def).Hint = hintKnown(b.def, judgeNames(b.p))
		}
		return "", spec
	case len(b.p.Judges) > 0:
		first := b.p.Judges[0]
		return first.Name, b.provider(first.Provider, "") // loading has reported an unknown one
	case !need.Optional && !b.none:
		b.none = true
		report := b.missing
		if report == nil {
			report = b.diags.Errorf
		}
		report(need.Pos.Check, width(c.Type), "no-judge", "%s: no judge is configured", c.Type).Hint =
			"list one under judges in the arena file, set the check's provider to a model such as openai/gpt-4o-mini, " +
				"or pass --judge openai/gpt-4o-mini"
	}
	return "", nil
}

func width(name string) int { return utf8.RuneCountInString(name) }

// named is the provider of a judge; nil when there is no such judge.
func (b *bench) named(name string) *scenario.Provider {
	for _, j := range b.p.Judges {
		if j.Name == name {
			return b.provider(j.Provider, "")
		}
	}
	return nil
}

// provider is the one of that name, or type/model made up on the spot; where model is given, the type alone will do.
func (b *bench) provider(name, model string) *scenario.Provider {
	for _, q := range b.p.Providers {
		if q.Is(name) {
			return q
		}
	}
	if model != "" && !strings.Contains(name, "/") {
		name += "/" + model
	}
	if b.models[name] == nil {
		b.models[name] = adHoc(name) // stays nil when it is none
	}
	return b.models[name]
}

// model is a provider with another model, the same one for every check.
func (b *bench) model(spec *scenario.Provider, model string) *scenario.Provider {
	key := spec.ID + "\x00" + model
	if b.models[key] == nil {
		other := *spec
		other.Model = model
		b.models[key] = &other
	}
	return b.models[key]
}

func (b *bench) hintJudge(name string) string {
	if b.provider(name, "") != nil {
		return fmt.Sprintf("it is a provider: write provider: %s, or list it under judges", name)
	}
	return hintKnown(name, judgeNames(b.p))
}

func (b *bench) hintProvider(name string) string {
	if b.named(name) != nil {
		return fmt.Sprintf("it is a judge: write judge: %s", name)
	}
	var known []string
	for _, q := range b.p.Providers {
		known = append(known, names(&q.Meta)...)
	}
	return hintKnown(name, known) + "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
}

func judgeNames(p *scenario.Project) []string {
	out := make([]string, len(p.Judges))
	for i, j := range p.Judges {
		out[i] = j.Name
	}
	return out
}
