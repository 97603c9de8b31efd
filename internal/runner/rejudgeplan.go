package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// rejudgePlanner finds the scenarios and evals that judge the trials of a finished run.
type rejudgePlanner struct {
	m         *matrix
	projects  []*project
	endpoints map[string]*Endpoint // by the id of the provider
	found     map[string]*criteria
	declared  []result.Declared // by the run
}

// criteria is what judges the trials of one scenario.
type criteria struct {
	project  *project
	scenario *scenario.Scenario
	prompt   *scenario.Prompt
	problem  string
	rows     map[string]int // of the dataset by id, from 1; made when it is needed
}

// prepare compiles each project once: the scenarios that the run has trials of, and the evals over recordings.
func (b *rejudgePlanner) prepare(suite *scenario.Suite, finished []Finished, declared []result.Declared) {
	ran := map[string]bool{}
	for i := range finished {
		ran[finished[i].Brief.Scenario] = true
	}
	from := origins(suite.Projects)
	var notInRun []string
	for _, p := range suite.Projects {
		var judged []*scenario.Scenario
		for _, s := range p.Scenarios {
			if slices.ContainsFunc(selection.IDAndAlias(&s.Meta), func(n string) bool { return ran[n] }) {
				judged = append(judged, s)
			} else if s.Skip == "" {
				notInRun = append(notInRun, s.ID)
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
			preflight.Idle(p, s, b.m.opts.Strict, b.m.diags)
			b.m.countable(s)
		}
		names.OtherTransitions(p, declaredBy(p, finished, declared), b.m.diags)
		checker := names.Checker{
			Project: p, Tools: run.tools.Registry, Lenient: b.m.opts.Lenient, Diags: b.m.diags, Tracker: b.m.tracker,
			Recorded: true, Finished: true, Ran: finishedRan(p, finished, declared),
		}
		checker.Report(judged, func(*scenario.Scenario) []*scenario.Provider { return nil })
		run.served, _ = checker.Left()
		b.projects = append(b.projects, run)
	}
	b.reportNotInRun(notInRun)
}

// reportNotInRun warns of scenarios without a trial in the run, unless --scenario is given: the verdict does not cover
// all of the files.
func (b *rejudgePlanner) reportNotInRun(ids []string) {
	if len(ids) == 0 || !b.m.scenarios.Empty() {
		return
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	b.m.diags.Warnf(diag.Pos{}, 0, "not-in-run", "not in the run, and not judged: %s: %s",
		plural.Of(len(ids), "scenario", "scenarios"), plural.Listed(ids)).Hint =
		"run them, or choose what to judge with --scenario"
}

// trial plans to judge a finished trial.
func (b *rejudgePlanner) trial(finished *Finished) Trial {
	brief := finished.Brief
	found := b.criteria(brief)
	judged := *finished
	judged.problem, judged.declaredThen = found.problem, result.DeclaredOf(b.declared, brief.ID)
	row, problem := found.rowOf(brief)
	if judged.problem == "" {
		judged.problem = problem
	}
	t := Trial{
		Project: found.project, Scenario: found.scenario, Prompt: found.prompt, Endpoint: b.endpoint(brief),
		Region: brief.Region, N: brief.Trial, Of: brief.Trials, Finished: &judged, row: row,
	}
	if brief.Pooled && row > 0 { // its group asks for all rows of the run
		t.pool = b.m.rows(found.scenario)
	}
	return t
}

// rowOf is the number of a trial's row in the dataset as it is now; 0: the trial has no row, or the row has changed.
func (c *criteria) rowOf(brief *result.Brief) (row int, problem string) {
	set := c.scenario.Dataset
	switch {
	case set == nil && brief.Row == "":
		return 0, ""
	case set == nil:
		return 0, "the scenario has changed since the run: it has no dataset now, and had one"
	case brief.Row == "":
		return 0, "the scenario has changed since the run: it has a dataset now, and had none"
	case !set.Sound():
		return 0, "the dataset cannot be read"
	}
	if c.rows == nil {
		c.rows = make(map[string]int, set.Len())
		for i := range set.Len() {
			c.rows[set.ID(i)] = i + 1
		}
	}
	if row = c.rows[brief.Row]; row == 0 {
		problem = fmt.Sprintf("%s has no row %q any more", set.Name, brief.Row)
	}
	return row, problem
}

// endpoint returns an endpoint in place of the provider of the run. It is not called.
func (b *rejudgePlanner) endpoint(brief *result.Brief) *Endpoint {
	e := b.endpoints[brief.Provider]
	if e == nil {
		e = &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: brief.Provider}}, Simulated: true}
		b.endpoints[brief.Provider] = e
	}
	return e
}

// criteria returns what judges the trials of a scenario. It is found once for each scenario.
func (b *rejudgePlanner) criteria(brief *result.Brief) *criteria {
	prefix, _, _ := strings.Cut(brief.ID, brief.Scenario+"/")
	key := prefix + "\x00" + brief.Scenario + "\x00" + brief.TaskType
	found := b.found[key]
	if found == nil {
		found = b.findCriteria(brief, prefix)
		b.found[key] = found
	}
	return found
}

// findCriteria searches the projects. prefix is the project in the id of the trial, with a colon; "" in a run of one
// project.
func (b *rejudgePlanner) findCriteria(brief *result.Brief, prefix string) *criteria {
	var found []*criteria
	var known []string
	for _, p := range b.projects {
		hasEvals := len(p.Evals) > 0 // which judge every trial
		if prefix != "" && !hasEvals && !comesFrom(p.Project, prefix) {
			continue
		}
		for _, s := range p.Scenarios {
			known = append(known, s.ID)
			if s.Is(brief.Scenario) {
				found = append(found, b.withEvals(p, s))
			}
		}
		if len(found) == 0 && hasEvals {
			found = append(found, b.withEvals(p, b.evalScenario(p, brief)))
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	none := &criteria{scenario: missingScenario(brief), project: &project{Project: &scenario.Project{}}}
	if len(b.projects) > 0 {
		none.project = b.projects[0]
	}
	none.problem = fmt.Sprintf("scenario %q is not in the files: nothing can judge this trial", brief.Scenario)
	if len(found) > 1 {
		none.problem = fmt.Sprintf("%d projects have a scenario %q: name the files of one of them",
			len(found), brief.Scenario)
	} else if hint := diag.DidYouMean(brief.Scenario, known); hint != "" {
		none.problem += "; " + hint
	}
	return none
}

// withEvals adds the evals of a project to the checks of a scenario.
func (b *rejudgePlanner) withEvals(p *project, s *scenario.Scenario) *criteria {
	prompt, ok := b.m.prompt(p.Project, s)
	out := &criteria{project: p, scenario: s, prompt: prompt}
	if !ok {
		out.problem = "the prompt of the scenario is not known" // a diagnostic has the details
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

// missingScenario returns a scenario in place of one that no file has any more.
func missingScenario(brief *result.Brief) *scenario.Scenario {
	pos := diag.Pos{File: brief.File, Line: brief.Line, Col: 1}
	return &scenario.Scenario{Meta: scenario.Meta{ID: brief.Scenario, Pos: pos}, File: brief.File}
}

// evalScenario holds the evals of a project as a scenario. Its prompt is the one that the evals name, else that of the
// trial.
func (b *rejudgePlanner) evalScenario(p *project, brief *result.Brief) *scenario.Scenario {
	s := everyReplyScenario(brief)
	if !inventory.PromptUndecided(p.Project, s) {
		return s
	}
	task, from := brief.TaskType, "the run"
	for _, e := range p.Evals {
		b.m.comparePrompt(p.Project, e, "the run", brief.TaskType)
		if e.TaskType != "" {
			task, from = e.TaskType, e.File
		}
	}
	known := slices.ContainsFunc(p.Prompts, func(q *scenario.Prompt) bool { return q.TaskType == task })
	if missing := inventory.LostWithoutPrompt(p.Project); !known && missing != "" {
		b.m.reportNoPrompt(p.Evals[0].Scenario(), diag.Pos{}, unknownPrompt(brief.Scenario, task, from), missing)
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
	return fmt.Sprintf("%s says that %q is of the prompt %q, which this project does not have", from, id, task)
}

// everyReplyScenario is a scenario for evals alone. The assertions of its only turn are about every reply.
func everyReplyScenario(brief *result.Brief) *scenario.Scenario {
	s := missingScenario(brief)
	s.Recorded = &scenario.RecordingEval{Meta: s.Meta, File: s.File}
	s.Turns = []scenario.Turn{{Pos: s.Pos}}
	return s
}
