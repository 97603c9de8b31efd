package preflight

import (
	"cmp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// NotUsed warns of what the config of a project lists and nothing uses: who lists it believes that it is tested.
// Projects of which only a part is loaded, and those without scenarios, are left alone. judge answers checks that name
// none in place of the first one; "": nobody does.
func NotUsed(p *scenario.Project, judge string, d *diag.List) {
	if !p.AllScenarios || len(p.Scenarios) == 0 || d.Errors() > 0 {
		return
	}
	aside := &diag.List{} // other functions report missing judges
	u := &notUsed{p: p, d: d, judges: inventory.NewJudgeFinder(p, aside)}
	u.judges.Missing = aside.Warnf
	u.judges.FindAll(u.all())
	u.providers()
	if judge == "" { // else it is this run alone that asks another one
		u.namedJudges()
	}
	u.personas()
	u.tools()
	u.prompts()
}

// notUsed looks for what nothing uses.
type notUsed struct {
	p      *scenario.Project
	d      *diag.List
	judges *inventory.JudgeFinder
}

// all are the scenarios of the project and those of its evals over recordings.
func (u *notUsed) all() []*scenario.Scenario {
	list := slices.Clone(u.p.Scenarios)
	for _, e := range u.p.Evals {
		list = append(list, e.Scenario())
	}
	return list
}

// idle is something that nothing uses.
type idle struct {
	name string
	pos  diag.Pos
}

// warn adds one warning for all unused entries of a kind, at the first of them.
func (u *notUsed) warn(list []idle, who, noun, hint string) {
	const named = 10
	if len(list) == 0 {
		return
	}
	if len(list) > 1 {
		noun += "s"
	}
	var names []string
	for _, i := range list[:min(len(list), named)] {
		names = append(names, `"`+i.name+`"`)
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, plural.Count(more, "other"))
	}
	u.d.Warnf(list[0].pos, diag.Width(list[0].name), "not-used", "%s the %s %s", who, noun, strings.Join(names, ", ")).
		Hint = hint
}

// providers looks for models in groups that no scenario asks for. Those of other roles are used by what they are.
func (u *notUsed) providers() {
	asked := u.groups()
	for _, q := range u.p.Providers {
		group := cmp.Or(q.Group, scenario.DefaultGroup)
		if !inventory.IsChatModel(q) || u.serves(q) {
			continue
		}
		if slices.Contains(asked, group) {
			u.incapable(q, group)
			continue
		}
		hint := diag.DidYouMean(group, asked)
		if hint == "" {
			hint = "write provider_group: " + group + " in a scenario that is to run against it, or take the provider out"
		}
		u.d.Warnf(cmp.Or(q.GroupPos, q.Pos), diag.Width(group), "not-used",
			"no scenario names the provider %q or asks for its group %q, so nothing is run against it", q.ID, group).Hint = hint
	}
}

// incapable warns of a provider of a group that scenarios run against, if each of them requires a capability that it
// does not declare.
func (u *notUsed) incapable(q *scenario.Provider, group string) {
	var lacks []string
	able := false
	for _, s := range u.p.Scenarios {
		if len(s.Providers) > 0 || s.Agent != nil || cmp.Or(s.Group, scenario.DefaultGroup) != group {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(s.Capabilities), func(c string) bool {
			return slices.Contains(q.Capabilities, c)
		})
		able = able || len(missing) == 0
		lacks = append(lacks, missing...)
	}
	if able || len(lacks) == 0 {
		return
	}
	slices.Sort(lacks)
	names := strings.Join(slices.Compact(lacks), ", ")
	u.d.Warnf(q.Pos, diag.Width(q.ID), "not-used",
		"every scenario requires capabilities that the provider %q does not declare (%s), so nothing is run against it",
		q.ID, names).Hint = "list under its capabilities what it has, or take the provider out"
}

// groups are those whose providers scenarios run against.
func (u *notUsed) groups() (asked []string) {
	for _, s := range u.p.Scenarios {
		if len(s.Providers) == 0 && s.Agent == nil {
			asked = append(asked, cmp.Or(s.Group, scenario.DefaultGroup))
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

// serves reports whether a provider is named for anything.
func (u *notUsed) serves(q *scenario.Provider) bool {
	p := u.p
	for _, name := range p.Defaults.Classifiers {
		if q.Is(name) {
			return true
		}
	}
	for _, spec := range u.judges.Models {
		if spec != nil && q.Is(spec.ID) {
			return true
		}
	}
	return q.Is(p.Defaults.Embedder) ||
		slices.ContainsFunc(p.Judges, func(j scenario.Judge) bool { return q.Is(j.Provider) }) ||
		slices.ContainsFunc(p.Roles, func(r scenario.Role) bool { return q.Is(r.Provider) }) ||
		slices.ContainsFunc(p.Scenarios, func(s *scenario.Scenario) bool {
			w := s.Window
			return slices.ContainsFunc(s.Providers, q.Is) ||
				w != nil && (q.Is(w.Summarizer.ID) || w.Relevance != nil && q.Is(w.Relevance.Provider))
		})
}

// namedJudges looks for judges that no check asks. The first one answers all checks that name none.
func (u *notUsed) namedJudges() {
	var list []idle
	for _, j := range u.p.Judges {
		asked := false
		for _, judge := range u.judges.Judges {
			asked = asked || judge.Name == j.Name
		}
		if !asked {
			list = append(list, idle{j.Name, j.Pos})
		}
	}
	hint := "write judge: NAME in a check that it is to answer, or take it out"
	if len(list) == len(u.p.Judges) {
		hint = "add a check that a judge answers, such as llm_judge, or take it out"
	}
	u.warn(list, "no check asks", "judge", hint)
}

func (u *notUsed) personas() {
	var list []idle
	for _, q := range u.p.Personas {
		if !q.Loose && !u.p.PlaysPersona(q) { // loading tells of loose ones
			list = append(list, idle{q.ID, q.Pos})
		}
	}
	u.warn(list, "no turn names", "persona", "name it with persona: in a turn of a role of self_play, or take it out")
}

// tools finds tools that no agent is offered and no check calls. Agents that are programs have tools of their own, of
// which the files only have the names.
func (u *notUsed) tools() {
	program := func(q *scenario.Provider) bool { return scenario.ProviderTypeOf(q.Type).Agent }
	if slices.ContainsFunc(u.p.Providers, program) ||
		slices.ContainsFunc(u.p.Scenarios, func(s *scenario.Scenario) bool { return s.Agent != nil }) {
		return
	}
	used := map[string]bool{}
	allowed := u.offers()
	inventory.AllChecks(u.p, func(c *checks.Compiled) {
		for _, use := range c.ToolUses() {
			used[use.Name] = true
		}
	})
	var list []idle
	for _, t := range u.p.Tools {
		if t.Agent == nil && !used[t.ID] && !scenario.Offers(allowed, t.ID) {
			list = append(list, idle{t.ID, t.Pos})
		}
	}
	hint := "write its name under allowed_tools of a prompt, or take it out"
	if len(u.p.Prompts) == 0 {
		hint = "list a prompt under prompt_configs that names it under allowed_tools, or take it out"
	}
	u.warn(list, "no prompt offers", "tool", hint)
}

// offers are the names and patterns of the tools that agents of the project may get.
func (u *notUsed) offers() (allowed []string) {
	for _, prompt := range u.p.Prompts {
		allowed = append(allowed, prompt.AllowedTools...)
	}
	if u.p.Skills != nil {
		for _, s := range u.p.Skills.All() {
			allowed = append(allowed, s.Tools...)
		}
	}
	for _, c := range u.p.Compositions {
		for s := range c.All() {
			allowed = append(append(allowed, s.Tools...), s.Tool, s.StopTool)
		}
	}
	return allowed
}

// prompts looks for prompts of the config under which nothing runs and nothing judges.
func (u *notUsed) prompts() {
	used := usedPrompts(u.p, u.all())
	for _, told := range u.d.Sorted() { // of guardrails in it
		for _, q := range u.p.Prompts {
			used[q] = used[q] || told.Code == neverFires && told.Pos == q.Pos
		}
	}
	for id := range u.judges.Prompts.Texts {
		if q := u.judges.PromptOf(id); q != nil {
			used[q] = true
		}
	}
	var list []idle
	for _, q := range u.p.Prompts {
		if q.ListedPos.Line != 0 && !used[q] && !slices.Contains([]string{q.ID, q.TaskType}, u.p.Defaults.JudgePrompt) {
			list = append(list, idle{q.TaskType, q.ListedPos})
		}
	}
	u.warn(list, "no scenario has", "prompt", "write its task_type in a scenario, or take it out")
}
