package runner

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// judgeFinder finds the judges of one project's checks, and reports missing ones.
type judgeFinder struct {
	p        *scenario.Project
	fallback string // the command line's judge for checks that name none; "": the file's
	diags    *diag.List
	// missing reports that no judge is configured; nil reports an error.
	missing func(pos diag.Pos, width int, code, format string, args ...any) *diag.Diagnostic
	// open opens the endpoint of a model. It reports a problem and returns nil. When open is nil no judge is opened.
	open func(spec *scenario.Provider) *judges.Endpoint

	judges          map[grading.JudgeUse]judges.Judge
	models          map[grading.JudgeUse]*scenario.Provider // the model behind each judge
	adHoc           map[string]*scenario.Provider           // not configured; by type/model, or provider and model
	noJudgeReported bool

	prompts    grading.Prompts
	badPrompts map[*scenario.Prompt]bool // reported
}

func newJudgeFinder(p *scenario.Project, d *diag.List) *judgeFinder {
	return &judgeFinder{
		p: p, diags: d, judges: map[grading.JudgeUse]judges.Judge{}, models: map[grading.JudgeUse]*scenario.Provider{},
		adHoc:   map[string]*scenario.Provider{},
		prompts: grading.Prompts{Texts: map[string]string{}}, badPrompts: map[*scenario.Prompt]bool{},
	}
}

// findAll finds the judges of all checks and guardrails of the chosen scenarios.
func (b *judgeFinder) findAll(chosen []*scenario.Scenario) {
	visit := func(c *checks.Compiled) {
		for _, need := range c.JudgeUses() {
			b.find(c, &need)
			b.findPrompt(c, &need)
		}
	}
	eachCheck(b.p, chosen, visit)
	eachGuard(b.p, chosen, visit)
}

// EachCheck visits all assertions, guardrails and evals of a project, used or not. Checks with placeholders are visited
// as compiled for the planned trials.
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

// eachCheck visits the assertions of the chosen scenarios that are not skipped, and the guardrails and evals of their
// prompts. The project's own come first.
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

func (b *judgeFinder) find(c *checks.Compiled, need *grading.Need) {
	if _, known := b.judges[need.Use]; known {
		return
	}
	name, spec := b.choose(c, need)
	if spec == nil {
		return
	}
	if !isChatModel(spec) || scenario.ProviderTypeOf(spec.Type).Agent {
		at, name := need.Pos.Check, c.Type
		if written := cmp.Or(need.Use.Judge, need.Use.Provider); written != "" {
			at, name = cmp.Or(need.Pos.Judge, need.Pos.Provider), written
		}
		if isChatModel(spec) {
			b.diags.Errorf(at, width(name), "bad-judge", "%s: provider %s is an agent (type %s), and no model that can judge: "+
				"it would not be told what to judge by", c.Type, spec.ID, spec.Type).Hint = "choose a judge that is a model"
			return
		}
		b.diags.Errorf(at, width(name), "bad-judge", "%s: provider %s has the role %s and cannot judge",
			c.Type, spec.ID, spec.Role)
		return
	}
	if need.Use.Model != "" && need.Use.Model != spec.Model {
		spec = b.withModel(spec, need.Use.Model)
	}
	judge := judges.Judge{Name: cmp.Or(name, spec.ID)}
	if b.open != nil {
		if judge.Endpoint = b.open(spec); judge.Endpoint == nil {
			return
		}
	}
	b.judges[need.Use], b.models[need.Use] = judge, spec
}

// isChatModel reports whether a provider is a model that answers with text.
func isChatModel(spec *scenario.Provider) bool { return spec.Role == "" || spec.Role == "llm" }

// choose returns the judge of a check: the one it names, else the provider it names, else the one of the command line,
// else the first of the file. It returns nil after a problem, and for a check that works without.
func (b *judgeFinder) choose(c *checks.Compiled, need *grading.Need) (name string, spec *scenario.Provider) {
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
	case b.fallback != "":
		if spec = b.named(b.fallback); spec != nil {
			return b.fallback, spec
		}
		if spec = b.provider(b.fallback, ""); spec == nil && !b.noJudgeReported { // another project knows the name
			b.noJudgeReported = true
			b.diags.Errorf(need.Pos.Check, width(c.Type), "unknown-judge", "%s: --judge %s: this project has no judge and "+
				"no provider of that name", c.Type, b.fallback).Hint = diag.HintKnown(b.fallback, judgeNames(b.p))
		}
		return "", spec
	case len(b.p.Judges) > 0:
		first := b.p.Judges[0]
		return first.Name, b.provider(first.Provider, "") // loading has reported an unknown one
	case !need.Optional && !b.noJudgeReported:
		b.noJudgeReported = true
		report := b.missing
		if report == nil {
			report = b.diags.Errorf
		}
		report(need.Pos.Check, width(c.Type), "no-judge", "%s: no judge is configured", c.Type).Hint =
			"list one under judges in the arena config, set the check's provider to a model such as openai/gpt-4o-mini, " +
				"or pass --judge openai/gpt-4o-mini"
	}
	return "", nil
}

func width(name string) int { return utf8.RuneCountInString(name) }

// named returns the provider of a judge; nil when there is no such judge.
func (b *judgeFinder) named(name string) *scenario.Provider {
	for _, j := range b.p.Judges {
		if j.Name == name {
			return b.provider(j.Provider, "")
		}
	}
	return nil
}

// provider returns the configured provider of that name, or one for "type/model". With a model the type alone is
// enough.
func (b *judgeFinder) provider(name, model string) *scenario.Provider {
	for _, q := range b.p.Providers {
		if q.Is(name) {
			return q
		}
	}
	if model != "" && !strings.Contains(name, "/") {
		name += "/" + model
	}
	if b.adHoc[name] == nil {
		b.adHoc[name] = adHoc(name) // nil when the name is not type/model
		b.p.Priced(b.adHoc[name])
	}
	return b.adHoc[name]
}

// withModel returns a provider with another model, the same value for every check.
func (b *judgeFinder) withModel(spec *scenario.Provider, model string) *scenario.Provider {
	key := spec.ID + "\x00" + model
	if b.adHoc[key] == nil {
		other := *spec
		other.Model = model
		b.p.Priced(&other)
		b.adHoc[key] = &other
	}
	return b.adHoc[key]
}

func (b *judgeFinder) hintJudge(name string) string {
	if b.provider(name, "") != nil {
		return fmt.Sprintf("it is a provider: write provider: %s, or list it under judges", name)
	}
	return diag.HintKnown(name, judgeNames(b.p))
}

func (b *judgeFinder) hintProvider(name string) string {
	if b.named(name) != nil {
		return fmt.Sprintf("it is a judge: write judge: %s", name)
	}
	var known []string
	for _, q := range b.p.Providers {
		known = append(known, selection.IDAndAlias(&q.Meta)...)
	}
	return diag.HintKnown(name, known) + "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
}

func judgeNames(p *scenario.Project) []string {
	out := make([]string, len(p.Judges))
	for i, j := range p.Judges {
		out[i] = j.Name
	}
	return out
}
