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

// pastMissing finds the trials that the files plan now and a run that is over does not hold: providers, variants and
// repetitions that were added since.
type pastMissing struct {
	m        *matrix
	had      map[pastGroup]map[string]int // how many trials there are, by variant
	regions  []string
	notices  []string            // what is missing, each once
	affected map[string][]string // the ids of the scenarios that miss it
}

// pastGroup are the trials of a run that differ in their variant and their number alone.
type pastGroup struct{ origin, scenario, provider, region string }

// reportMissing warns of trials that the run does not hold: who takes the verdict for that of the files would not see
// that it is not about them.
func (b *pastBinder) reportMissing(past []Past) {
	f := &pastMissing{m: b.m, had: map[pastGroup]map[string]int{}, affected: map[string][]string{}}
	for i := range past {
		f.add(past[i].Brief)
	}
	for _, p := range b.projects {
		for _, s := range p.Scenarios {
			if s.Skip == "" && b.m.wants(s) && countVariants(s) <= maxVariants {
				f.look(p, s)
			}
		}
	}
	for _, what := range f.notices {
		ids := f.affected[what]
		b.m.diags.Warnf(diag.Pos{}, 0, "not-in-run", "not in the run, and not judged: %s, of %s: %s",
			what, plural.Of(len(ids), "scenario", "scenarios"), listed(ids)).Hint =
			"run them, or choose what to judge with --scenario and --provider"
	}
}

// wants reports whether the filters leave a scenario in, without noting that they were asked.
func (m *matrix) wants(s *scenario.Scenario) bool {
	return len(m.scenarios.want) == 0 || slices.ContainsFunc(m.scenarios.want, s.Is)
}

// add counts a trial of the run. One that is no part of its plan any more stands for nothing,
// and a recording has neither repetitions nor another provider.
func (f *pastMissing) add(brief *result.Brief) {
	if brief.Gone || brief.Recording != "" {
		return
	}
	origin, rest, _ := strings.Cut(brief.ID, brief.Scenario+"/")
	g := pastGroup{origin, brief.Scenario, brief.Provider, brief.Region}
	if f.had[g] == nil {
		f.had[g] = map[string]int{}
	}
	f.had[g][variantIn(rest, brief)]++
	if !slices.Contains(f.regions, brief.Region) {
		f.regions = append(f.regions, brief.Region)
	}
}

// variantIn is the variant at the end of the id of a trial, as Variant.String writes it.
func variantIn(id string, brief *result.Brief) string {
	rest := strings.TrimPrefix(id, brief.Provider+"/"+brief.Region)
	return strings.TrimPrefix(rest, fmt.Sprintf("#%d", brief.Trial))
}

// look notes what is missing of a scenario, unless all of it is: that is told of the scenario.
func (f *pastMissing) look(p *project, s *scenario.Scenario) {
	there := f.providersOf(p, s)
	if len(there) == 0 {
		return
	}
	for _, id := range f.planned(p, s) {
		if !slices.Contains(there, id) {
			f.note(s, "provider "+id)
		}
	}
	for _, id := range there {
		if !f.m.providers.keepsQuietly(id) {
			continue
		}
		for _, region := range f.regions {
			with := "with provider " + id
			if len(f.regions) > 1 {
				with += " in region " + region
			}
			f.compare(s, f.group(p, s, id, region), with)
		}
	}
}

// group is what the run has of a scenario, whichever of its names it had, by variant.
func (f *pastMissing) group(p *project, s *scenario.Scenario, provider, region string) map[string]int {
	for g, had := range f.had {
		if f.isOf(g, p, s) && g.provider == provider && g.region == region {
			return had
		}
	}
	return nil
}

func (f *pastMissing) isOf(g pastGroup, p *project, s *scenario.Scenario) bool {
	return s.Is(g.scenario) && (g.origin == "" || comesFrom(p.Project, g.origin))
}

// providersOf are those that a scenario ran with, in order.
func (f *pastMissing) providersOf(p *project, s *scenario.Scenario) (ids []string) {
	for g := range f.had {
		if f.isOf(g, p, s) {
			ids = append(ids, g.provider)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// planned are the ids of the providers that a scenario would run with now. What the run was asked to leave out is left
// out, and a project that configures no provider runs with whatever it is given.
func (f *pastMissing) planned(p *project, s *scenario.Scenario) (ids []string) {
	quiet := *f.m
	quiet.diags = &diag.List{}
	quiet.adHoc = []*scenario.Provider{{}} // no provider is made up, and none is missed
	asked := newFilter("provider", f.m.opts.Asked)
	for _, q := range quiet.candidates(p.Project, s) {
		if asked.keepsQuietly(names(&q.Meta)...) && f.m.providers.keepsQuietly(names(&q.Meta)...) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// compare notes the variants and repetitions that a group has not.
func (f *pastMissing) compare(s *scenario.Scenario, had map[string]int, with string) {
	repeat := repetitions(&f.m.opts, s)
	all := variants(s)
	var never, fewer []string
	for _, v := range all {
		of := ""
		if v != nil {
			of = " of variant " + v.String()
		}
		switch n := had[v.String()]; {
		case n >= repeat:
		case n == 0 && v != nil:
			never = append(never, "variant "+v.String()+" "+with)
		default:
			fewer = append(fewer, fmt.Sprintf("%d of %s%s %s", repeat-n, plural.Of(repeat, "trial", "trials"), of, with))
		}
	}
	const most = 3
	if len(never) > most {
		never = []string{fmt.Sprintf("%d of %d variants %s", len(never), len(all), with)}
	}
	if n := len(fewer); n > most {
		fewer = []string{fmt.Sprintf("trials of %d of %d variants %s", n, len(all), with)}
	}
	for _, what := range slices.Concat(never, fewer) {
		f.note(s, what)
	}
}

func (f *pastMissing) note(s *scenario.Scenario, what string) {
	if len(f.affected[what]) == 0 {
		f.notices = append(f.notices, what)
	}
	f.affected[what] = append(f.affected[what], s.ID)
}
