package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// missingTrials finds trials that the files plan and a finished run does not have: providers, variants and repetitions
// that were added later.
type missingTrials struct {
	m        *matrix
	recorded map[recordedGroup]map[string]int // number of trials by variant
	regions  []string
	notices  []string            // what is missing, each once
	affected map[string][]string // the ids of the scenarios that miss it
}

// recordedGroup is the trials of a run that differ only in variant and number.
type recordedGroup struct{ origin, scenario, provider, region string }

// reportMissing warns of trials that the run does not have: the verdict does not cover all of the files.
func (b *rejudgePlanner) reportMissing(finished []Finished) {
	f := &missingTrials{m: b.m, recorded: map[recordedGroup]map[string]int{}, affected: map[string][]string{}}
	for i := range finished {
		f.add(finished[i].Brief)
	}
	for _, p := range b.projects {
		for _, s := range p.Scenarios {
			if s.Skip == "" && b.m.selects(s) && countVariants(s) <= maxVariants {
				f.compareScenario(p, s)
			}
		}
	}
	for _, what := range f.notices {
		ids := f.affected[what]
		b.m.diags.Warnf(diag.Pos{}, 0, "not-in-run", "not in the run, and not judged: %s, of %s: %s",
			what, plural.Of(len(ids), "scenario", "scenarios"), plural.Listed(ids)).Hint =
			"run them, or choose what to judge with --scenario and --provider"
	}
}

// selects reports whether the filters select a scenario. Unlike keep, it does not mark the filters as used.
func (m *matrix) selects(s *scenario.Scenario) bool {
	return m.scenarios.Matches(selection.IDAndAlias(&s.Meta)...)
}

// add counts a trial of the run. It ignores trials that are not in its plan any more, and recordings, which have no
// repetitions and no other provider.
func (f *missingTrials) add(brief *result.Brief) {
	if brief.Gone || brief.Recording != "" {
		return
	}
	origin, rest, _ := strings.Cut(brief.ID, brief.Scenario+"/")
	g := recordedGroup{origin, brief.Scenario, brief.Provider, brief.Region}
	if f.recorded[g] == nil {
		f.recorded[g] = map[string]int{}
	}
	f.recorded[g][variantIn(rest, brief)]++
	if !slices.Contains(f.regions, brief.Region) {
		f.regions = append(f.regions, brief.Region)
	}
}

// variantIn returns the variant at the end of a trial's id, behind its row, in the format of Variant.String.
func variantIn(id string, brief *result.Brief) string {
	rest := strings.TrimPrefix(id, brief.Provider+"/"+brief.Region)
	rest = strings.TrimPrefix(rest, fmt.Sprintf("#%d", brief.Trial))
	if brief.Row != "" {
		rest = strings.TrimPrefix(rest, "["+brief.Row+"]")
	}
	return rest
}

// compareScenario adds notices for missing trials of a scenario. When all of them are missing, reportNotInRun reports
// it.
func (f *missingTrials) compareScenario(p *project, s *scenario.Scenario) {
	ran := f.providersOf(p, s)
	if len(ran) == 0 {
		return
	}
	for _, id := range f.planned(p, s) {
		if !slices.Contains(ran, id) {
			f.addNotice(s, "provider "+id)
		}
	}
	for _, id := range ran {
		if !f.m.providers.Matches(id) {
			continue
		}
		for _, region := range f.regions {
			with := "with provider " + id
			if len(f.regions) > 1 {
				with += " in region " + region
			}
			f.compareGroup(p, s, f.group(p, s, id, region), with)
		}
	}
}

// group counts the trials of a scenario by variant, under any of its names.
func (f *missingTrials) group(p *project, s *scenario.Scenario, provider, region string) map[string]int {
	for g, counts := range f.recorded {
		if f.belongsTo(g, p, s) && g.provider == provider && g.region == region {
			return counts
		}
	}
	return nil
}

func (f *missingTrials) belongsTo(g recordedGroup, p *project, s *scenario.Scenario) bool {
	return s.Is(g.scenario) && (g.origin == "" || comesFrom(p.Project, g.origin))
}

// providersOf returns the providers that a scenario ran with, sorted.
func (f *missingTrials) providersOf(p *project, s *scenario.Scenario) (ids []string) {
	for g := range f.recorded {
		if f.belongsTo(g, p, s) {
			ids = append(ids, g.provider)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// planned returns the ids of the providers that a scenario would run with now. Providers that the filters of the run
// left out are left out here too. A project without providers runs with any.
func (f *missingTrials) planned(p *project, s *scenario.Scenario) (ids []string) {
	quiet := *f.m
	quiet.diags = &diag.List{}
	quiet.adHoc = []*scenario.Provider{{}} // so that candidates adds no mock and reports nothing
	asked := selection.NewFilter("provider", f.m.opts.Asked)
	for _, q := range quiet.candidates(p.Project, s) {
		if asked.Matches(selection.IDAndAlias(&q.Meta)...) && f.m.providers.Matches(selection.IDAndAlias(&q.Meta)...) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// compareGroup adds notices for the variants and repetitions that a group does not have.
func (f *missingTrials) compareGroup(p *project, s *scenario.Scenario, recorded map[string]int, with string) {
	all := variants(s)
	rule, ok := f.m.quietRule(p.Project, s, len(all))
	if !ok || rule.gate != nil { // the number of trials is not known in advance
		return
	}
	repeat := rule.repeat
	var absent, fewer []string
	for _, v := range all {
		of := ""
		if v != nil {
			of = " of variant " + v.String()
		}
		switch n := recorded[v.String()]; {
		case n >= repeat:
		case n == 0 && v != nil:
			absent = append(absent, "variant "+v.String()+" "+with)
		default:
			fewer = append(fewer, fmt.Sprintf("%d of %s%s %s", repeat-n, plural.Of(repeat, "trial", "trials"), of, with))
		}
	}
	const maxListed = 3
	if len(absent) > maxListed {
		absent = []string{fmt.Sprintf("%d of %d variants %s", len(absent), len(all), with)}
	}
	if n := len(fewer); n > maxListed {
		fewer = []string{fmt.Sprintf("trials of %d of %d variants %s", n, len(all), with)}
	}
	for _, what := range slices.Concat(absent, fewer) {
		f.addNotice(s, what)
	}
}

func (f *missingTrials) addNotice(s *scenario.Scenario, what string) {
	if len(f.affected[what]) == 0 {
		f.notices = append(f.notices, what)
	}
	f.affected[what] = append(f.affected[what], s.ID)
}
