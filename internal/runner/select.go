package runner

import (
	"cmp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Selection is the filters of the command line. An empty list selects everything.
type Selection struct {
	Scenarios []string // without Evals: no evals over recordings run
	Evals     []string // over recordings; without Scenarios: no scenarios run
	Providers []string // configured ids, or type/model for one that is not configured
	Regions   []string
	Tags      []string
}

// split splits lists at commas, and removes spaces and duplicates.
func split(lists []string) []string {
	var out []string
	for _, l := range lists {
		for name := range strings.SplitSeq(l, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// filter is a list of selected names.
type filter struct {
	flag       string
	want       []string
	known      []string
	used       map[string]bool
	incomplete bool   // not all resources were compared with the filter
	hintSuffix string // follows the known names in hints
}

func newFilter(flag string, lists []string) *filter {
	return &filter{flag: flag, want: split(lists), used: map[string]bool{}}
}

// keeps reports whether the filter selects a resource with these names, and marks the names as used. An empty filter
// selects everything.
func (f *filter) keeps(names ...string) bool {
	if len(f.want) == 0 {
		return true
	}
	f.known = append(f.known, names[0])
	keep := false
	for _, w := range f.want {
		if slices.Contains(names, w) {
			f.used[w], keep = true, true
		}
	}
	return keep
}

// matches is keeps for those who ask out of turn: it is not noted what they ask for.
func (f *filter) matches(names ...string) bool {
	return len(f.want) == 0 || slices.ContainsFunc(f.want, func(w string) bool { return slices.Contains(names, w) })
}

// reportMissing reports names in filters that do not exist.
func (m *matrix) reportMissing() {
	m.scenarios.missing(m.diags, "scenario")
	m.evals.missing(m.diags, "eval")
	m.tags.missing(m.diags, "tag")
	// Not all users of a provider are known where planning ended early.
	m.providers.incomplete = m.incomplete || !m.askedProviders && m.diags.Errors() > 0
	m.providers.missing(m.diags, "provider")
}

// missing reports selected names that do not exist: the run would be smaller than the user thinks.
func (f *filter) missing(d *diag.List, kind string) {
	for _, w := range f.want {
		if f.used[w] {
			continue
		}
		known := slices.Compact(slices.Sorted(slices.Values(f.known)))
		if slices.Contains(known, w) {
			if f.incomplete {
				continue
			}
			d.Errorf(diag.Pos{}, 0, "unused-filter", "--%s %s: no scenario of this run uses that %s", f.flag, w, kind).Hint =
				"its group, or the providers and required_capabilities of the scenarios, keep it out"
			continue
		}
		p := d.Errorf(diag.Pos{}, 0, "unknown-filter", "--%s %s: there is no %s of that name", f.flag, w, kind)
		p.Hint = hintKnown(w, known) + f.hintSuffix
	}
}

func hintKnown(name string, known []string) string {
	const limit = 20
	if len(known) == 0 {
		return "there is none at all"
	}
	list := known
	more := ""
	if len(list) > limit {
		list, more = list[:limit], ", …"
	}
	hint := "known: " + strings.Join(list, ", ") + more
	if near := diag.DidYouMean(name, known); near != "" {
		hint = near + " " + hint
	}
	return hint
}

// idAndAlias returns the names of a resource: its id and, if it has one, its alias.
func idAndAlias(m *scenario.Meta) []string {
	if m.Alias != "" {
		return []string{m.ID, m.Alias}
	}
	return []string{m.ID}
}

// sortProviderNames splits the names given to --provider into configured and ad-hoc ones.
func (m *matrix) sortProviderNames(suite *scenario.Suite) {
	var configured []string
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			configured = append(configured, idAndAlias(&q.Meta)...)
		}
	}
	m.providers.known = configured
	m.providers.hintSuffix = "; for a model on the spot write type/model, such as openai/gpt-4o-mini"
	for _, name := range m.providers.want {
		if slices.Contains(configured, name) {
			continue
		}
		if p := adHoc(name); p != nil {
			m.adHoc = append(m.adHoc, p)
			m.providers.used[name] = true
		}
	}
}

func (m *matrix) pick(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, s := range p.Scenarios {
		byName := m.scenarios.keeps(idAndAlias(&s.Meta)...)
		byTag := m.tagged(s)
		if byName && byTag {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scenario.Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (m *matrix) tagged(s *scenario.Scenario) bool {
	if len(s.Tags) == 0 {
		return len(m.tags.want) == 0
	}
	keep := false
	for _, tag := range s.Tags {
		if m.tags.keeps(tag) {
			keep = true
		}
	}
	return keep
}
