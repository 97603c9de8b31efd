package runner

import (
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
