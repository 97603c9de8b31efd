package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// pastBinder finds what is to judge the trials of a run that is over.
type pastBinder struct {
	m         *matrix
	projects  []*project
	endpoints map[string]*Endpoint // by the id of the provider
	merged    map[string]*boundPast
}

// boundPast is what judges the trials of one scenario.
type boundPast struct {
	project  *project
	scenario *scenario.Scenario
	prompt   *scenario.Prompt
	lost     string
}

// prepare makes what the trials share: of each project the scenarios that the run has trials of, and its evals.
func (b *pastBinder) prepare(suite *scenario.Suite, past []Past) {
	ran := map[string]bool{}
	for i := range past {
		ran[past[i].Brief.Scenario] = true
	}
	from := origins(suite.Projects)
	var never []string
	for _, p := range suite.Projects {
		var judged []*scenario.Scenario
		for _, s := range p.Scenarios {
			if slices.ContainsFunc(names(&s.Meta), func(n string) bool { return ran[n] }) {
				judged = append(judged, s)
			} else if s.Skip == "" {
				never = append(never, s.ID)
			}
		}
		for _, e := range p.Evals {
			judged = append(judged, e.Scenario())
		}
		run := b.m.prepare(p, judged, nil)
		if run == nil {
			continue
		}
		run.prefix = from[p]
		for _, s := range judged {
			ReportIdle(p, s, b.m.opts.Strict, b.m.diags)
			b.m.countable(s)
		}
		(&naming{p: p, tools: run.tools.Registry, lenient: b.m.opts.Lenient, diags: b.m.diags, heard: b.m.heard, over: true}).
			report(judged, func(*scenario.Scenario) []*scenario.Provider { return nil })
		b.projects = append(b.projects, run)
	}
	b.reportNever(never)
}

// reportNever warns of scenarios that the run has no trial of, unless some were chosen: who takes the verdict for that
// of the files would not see that it is not about them.
func (b *pastBinder) reportNever(ids []string) {
	if len(ids) == 0 || len(b.m.scenarios.want) > 0 {
		return
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	b.m.diags.Warnf(diag.Pos{}, 0, "not-in-run", "not in the run, and not judged: %s: %s",
		plural.Of(len(ids), "scenario", "scenarios"), listed(ids)).Hint = "run them, or choose what to judge with --scenario"
}

func listed(ids []string) string {
	const most = 10
	if more := len(ids) - most; more > 0 {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(ids, ", ")
}

// bind makes the trial that judges a past one.
func (b *pastBinder) bind(past *Past) Trial {
	brief := past.Brief
	found := b.find(brief)
	bound := *past
	bound.lost = found.lost
	return Trial{
		Project: found.project, Scenario: found.scenario, Prompt: found.prompt, Endpoint: b.endpoint(brief),
		Region: brief.Region, N: brief.Trial, Of: brief.Trials, Past: &bound,
	}
}

// endpoint stands for a provider that is not asked any more.
func (b *pastBinder) endpoint(brief *result.Brief) *Endpoint {
	e := b.endpoints[brief.Provider]
	if e == nil {
		e = &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: brief.Provider}}, Simulated: true}
		b.endpoints[brief.Provider] = e
	}
	return e
}

// find settles what judges the trials of a scenario.
func (b *pastBinder) find(brief *result.Brief) *boundPast {
	origin, _, _ := strings.Cut(brief.ID, brief.Scenario+"/")
	key := origin + "\x00" + brief.Scenario + "\x00" + brief.TaskType
	found := b.merged[key]
	if found == nil {
		found = b.search(brief, origin)
		b.merged[key] = found
	}
	return found
}

// search looks through the projects; origin is that of the trial with a colon, "" in a run of one project.
func (b *pastBinder) search(brief *result.Brief, origin string) *boundPast {
	var found []*boundPast
	var known []string
	for _, p := range b.projects {
		named := len(p.Evals) > 0 // for every trial, of whatever project
		if origin != "" && !named && !comesFrom(p.Project, origin) {
			continue
		}
		for _, s := range p.Scenarios {
			known = append(known, s.ID)
			if s.Is(brief.Scenario) {
				found = append(found, b.with(p, s))
			}
		}
		if len(found) == 0 && named {
			found = append(found, b.with(p, b.everyReply(p, brief)))
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	lost := &boundPast{scenario: gone(brief), project: &project{Project: &scenario.Project{}}}
	if len(b.projects) > 0 {
		lost.project = b.projects[0]
	}
	lost.lost = fmt.Sprintf("scenario %q is not in the files: nothing can judge this trial", brief.Scenario)
	if len(found) > 1 {
		lost.lost = fmt.Sprintf("%d projects have a scenario %q: name the files of one of them", len(found), brief.Scenario)
	} else if hint := diag.DidYouMean(brief.Scenario, known); hint != "" {
		lost.lost += "; " + hint
	}
	return lost
}

// with adds the evals of a project to the checks of a scenario.
func (b *pastBinder) with(p *project, s *scenario.Scenario) *boundPast {
	prompt, ok := b.m.prompt(p.Project, s)
	out := &boundPast{project: p, scenario: s, prompt: prompt}
	if !ok {
		out.lost = "the prompt of the scenario is not known" // a diagnostic says more
	}
	if len(p.Evals) == 0 {
		return out
	}
	merged := *s
	merged.Turns = slices.Clone(s.Turns)
	merged.Conversation = slices.Clone(s.Conversation)
	for _, e := range p.Evals {
		for i := range merged.Turns {
			merged.Turns[i].Assertions = append(slices.Clip(merged.Turns[i].Assertions), e.AllTurns...)
		}
		merged.Conversation = append(merged.Conversation, e.Conversation...)
	}
	out.scenario = &merged
	return out
}

// gone is the scenario of a trial that has none any more.
func gone(brief *result.Brief) *scenario.Scenario {
	pos := diag.Pos{File: brief.File, Line: brief.Line, Col: 1}
	return &scenario.Scenario{Meta: scenario.Meta{ID: brief.Scenario, Pos: pos}, File: brief.File, Trials: 1}
}

// everyReply is what the evals of a project are held against, under the prompt that they name, else under that of the
// trial.
func (b *pastBinder) everyReply(p *project, brief *result.Brief) *scenario.Scenario {
	s := everyReplyOf(brief)
	if !undecided(p.Project, s) {
		return s
	}
	task, from := brief.TaskType, "the run"
	for _, e := range p.Evals {
		if e.TaskType != "" {
			task, from = e.TaskType, e.File
		}
	}
	known := slices.ContainsFunc(p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == task })
	if lost := PromptWanted(p.Project); !known && lost != "" {
		b.m.noPrompt(p.Evals[0].Scenario(), diag.Pos{}, unknownPrompt(brief.Scenario, task, from), lost)
	}
	if known {
		s.TaskType = task
	}
	return s
}

func unknownPrompt(id, task, from string) string {
	if task == "" {
		return fmt.Sprintf("the run does not say the prompt of %q", id)
	}
	return fmt.Sprintf("%s says that %q is of the prompt %q, which is not among those here", from, id, task)
}

// everyReplyOf is a scenario for evals alone: what they say of every reply stands on its only turn.
func everyReplyOf(brief *result.Brief) *scenario.Scenario {
	s := gone(brief)
	s.Recorded = &scenario.RecordingEval{Meta: s.Meta, File: s.File}
	s.Turns = []scenario.Turn{{Pos: s.Pos}}
	return s
}
