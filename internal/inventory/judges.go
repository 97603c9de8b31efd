package inventory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// JudgeFinder finds the judges of one project's checks, and reports missing ones.
type JudgeFinder struct {
	p        *scenario.Project
	Fallback string // the command line's judge for checks that name none; "": the file's
	Asked    bool   // a check asks the judge of the command line
	diags    *diag.List
	// Missing reports that no judge is configured; nil reports an error.
	Missing func(pos diag.Pos, width int, code, format string, args ...any) *diag.Diagnostic
	// Open opens the endpoint of a model. It reports a problem and returns nil. When Open is nil no judge is opened.
	Open func(spec *scenario.Provider) *judges.Endpoint

	Judges          map[grading.JudgeUse]judges.Judge
	Models          map[grading.JudgeUse]*scenario.Provider // the model behind each judge
	AdHoc           map[string]*scenario.Provider           // not configured; by type/model, or provider and model
	noJudgeReported bool

	Prompts    grading.Prompts
	badPrompts map[*scenario.Prompt]bool // reported
}

// NewJudgeFinder makes a finder whose problems go to d.
func NewJudgeFinder(p *scenario.Project, d *diag.List) *JudgeFinder {
	return &JudgeFinder{
		p: p, diags: d, Judges: map[grading.JudgeUse]judges.Judge{}, Models: map[grading.JudgeUse]*scenario.Provider{},
		AdHoc:   map[string]*scenario.Provider{},
		Prompts: grading.Prompts{Texts: map[string]string{}}, badPrompts: map[*scenario.Prompt]bool{},
	}
}

// FindAll finds the judges of all checks and guardrails of the chosen scenarios.
func (b *JudgeFinder) FindAll(chosen []*scenario.Scenario) {
	EachCheck(b.p, chosen, b.Find)
}

// Find finds the judges of a check, and the prompts that it gives them.
func (b *JudgeFinder) Find(c *checks.Compiled) {
	for _, need := range c.JudgeUses() {
		b.findJudge(c, &need)
		b.findPrompt(c, &need)
	}
}

// AllChecks visits all assertions, guardrails and evals of a project, used or not. Checks with placeholders are visited
// as compiled for the planned trials.
func AllChecks(p *scenario.Project, visit func(*checks.Compiled)) {
	EachAssertion(p, p.Scenarios, visit)
	for _, prompt := range append([]*scenario.Prompt{nil}, p.Prompts...) {
		if prompt != nil {
			for _, v := range prompt.Validators {
				EachCompiled(v.Compiled, visit)
			}
		}
		for _, def := range p.EvalsFor(prompt) {
			EachCompiled(def.Compiled, visit)
		}
	}
}

// EachCheck visits the assertions of the chosen scenarios that are not skipped, and the guardrails and evals of their
// prompts. The project's own come first.
func EachCheck(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	EachAssertion(p, chosen, visit)
	eachGuard(p, chosen, visit)
	EachEval(p, chosen, visit)
}

// EachAssertion visits the assertions of the chosen scenarios that are not skipped, the project's own first.
func EachAssertion(p *scenario.Project, chosen []*scenario.Scenario, visit func(*checks.Compiled)) {
	list := func(list []scenario.Placed) {
		for _, c := range list {
			EachCompiled(c.Compiled, visit)
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

func (b *JudgeFinder) findJudge(c *checks.Compiled, need *grading.Need) {
	if _, known := b.Judges[need.Use]; known {
		return
	}
	name, spec := b.choose(c, need)
	if spec == nil {
		return
	}
	if !IsChatModel(spec) || scenario.ProviderTypeOf(spec.Type).Agent {
		at, name := need.Pos.Check, c.Type
		if written := cmp.Or(need.Use.Judge, need.Use.Provider); written != "" {
			at, name = cmp.Or(need.Pos.Judge, need.Pos.Provider), written
		}
		if IsChatModel(spec) {
			b.diags.Errorf(at, diag.Width(name), "bad-judge",
				"%s: provider %s is an agent (type %s), and no model that can judge: "+
					"it would not be told what to judge by", c.Type, spec.ID, spec.Type).Hint = "choose a judge that is a model"
			return
		}
		b.diags.Errorf(at, diag.Width(name), "bad-judge", "%s: provider %s has the role %s and cannot judge",
			c.Type, spec.ID, spec.Role)
		return
	}
	if need.Use.Model != "" && need.Use.Model != spec.Model {
		spec = b.withModel(spec, need.Use.Model)
	}
	judge := judges.Judge{Name: cmp.Or(name, spec.ID)}
	if b.Open != nil {
		if judge.Endpoint = b.Open(spec); judge.Endpoint == nil {
			return
		}
	}
	b.Judges[need.Use], b.Models[need.Use] = judge, spec
}

// IsChatModel reports whether a provider is a model that answers with text.
func IsChatModel(spec *scenario.Provider) bool { return spec.Role == "" || spec.Role == "llm" }

// choose returns the judge of a check: the one it names, else the provider it names, else the one of the command line,
// else the first of the file. It returns nil after a problem, and for a check that works without.
func (b *JudgeFinder) choose(c *checks.Compiled, need *grading.Need) (name string, spec *scenario.Provider) {
	use := need.Use
	switch {
	case use.Judge != "":
		if spec = b.Named(use.Judge); spec == nil {
			b.diags.Errorf(need.Pos.Judge, diag.Width(use.Judge), "unknown-judge", "%s: there is no judge %q", c.Type,
				use.Judge).
				Hint = b.hintJudge(use.Judge)
		}
		return use.Judge, spec
	case use.Provider != "":
		if spec = b.Provider(use.Provider, use.Model); spec == nil {
			b.diags.Errorf(need.Pos.Provider, diag.Width(use.Provider), "unknown-provider", "%s: there is no provider %q",
				c.Type, use.Provider).Hint = b.hintProvider(use.Provider)
		}
		return "", spec
	case b.Fallback != "":
		b.Asked = true
		if spec = b.Named(b.Fallback); spec != nil {
			return b.Fallback, spec
		}
		if spec = b.Provider(b.Fallback, ""); spec == nil && !b.noJudgeReported { // another project knows the name
			b.noJudgeReported = true
			b.diags.Errorf(need.Pos.Check, diag.Width(c.Type), "unknown-judge", "%s: --judge %s: this project has no judge and "+
				"no provider of that name", c.Type, b.Fallback).Hint = diag.HintKnown(b.Fallback, JudgeNames(b.p))
		}
		return "", spec
	case len(b.p.Judges) > 0:
		first := b.p.Judges[0]
		return first.Name, b.Provider(first.Provider, "") // loading has reported an unknown one
	case !need.Optional && !b.noJudgeReported:
		b.noJudgeReported = true
		report := b.Missing
		if report == nil {
			report = b.diags.Errorf
		}
		report(need.Pos.Check, diag.Width(c.Type), "no-judge", "%s: no judge is configured", c.Type).Hint =
			"list one under judges in the arena config, set the check's provider to a model such as openai/gpt-4o-mini, " +
				"or pass --judge openai/gpt-4o-mini"
	}
	return "", nil
}

// Named returns the provider of a judge; nil when there is no such judge.
func (b *JudgeFinder) Named(name string) *scenario.Provider {
	for _, j := range b.p.Judges {
		if j.Name == name {
			return b.Provider(j.Provider, "")
		}
	}
	return nil
}

// Provider returns the configured provider of that name, or one for "type/model". With a model the type alone is
// enough.
func (b *JudgeFinder) Provider(name, model string) *scenario.Provider {
	for _, q := range b.p.Providers {
		if q.Is(name) {
			return q
		}
	}
	if model != "" && !strings.Contains(name, "/") {
		name += "/" + model
	}
	if b.AdHoc[name] == nil {
		b.AdHoc[name] = scenario.AdHoc(name) // nil when the name is not type/model
		b.p.Priced(b.AdHoc[name])
	}
	return b.AdHoc[name]
}

// withModel returns a provider with another model, the same value for every check.
func (b *JudgeFinder) withModel(spec *scenario.Provider, model string) *scenario.Provider {
	key := spec.ID + "\x00" + model
	if b.AdHoc[key] == nil {
		other := *spec
		other.Model = model
		b.p.Priced(&other)
		b.AdHoc[key] = &other
	}
	return b.AdHoc[key]
}

func (b *JudgeFinder) hintJudge(name string) string {
	if b.Provider(name, "") != nil {
		return fmt.Sprintf("it is a provider: write provider: %s, or list it under judges", name)
	}
	return diag.HintKnown(name, JudgeNames(b.p))
}

func (b *JudgeFinder) hintProvider(name string) string {
	if b.Named(name) != nil {
		return fmt.Sprintf("it is a judge: write judge: %s", name)
	}
	var known []string
	for _, q := range b.p.Providers {
		known = append(known, selection.IDAndAlias(&q.Meta)...)
	}
	return diag.HintKnown(name, known) + "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
}

// JudgeNames are the names of the judges of a project.
func JudgeNames(p *scenario.Project) []string {
	out := make([]string, len(p.Judges))
	for i, j := range p.Judges {
		out[i] = j.Name
	}
	return out
}
