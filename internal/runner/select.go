package runner

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Selection is the filters of the command line. Empty lists select everything.
type Selection struct {
	Scenarios []string // when only these are named, no evals over recordings are run
	Evals     []string // over recordings; when only these are named, no scenarios are run
	Providers []string // configured ids, or type/model for one that is not configured
	Regions   []string
	Tags      []string
}

// split takes lists as people type them: repeated, with commas, with spaces.
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

// filter is one list of wanted names and which of them were seen.
type filter struct {
	flag    string
	want    []string
	known   []string
	used    map[string]bool
	cut     bool   // not all that might be of a name were seen
	besides string // what a hint says after the known names
}

func newFilter(flag string, lists []string) *filter {
	return &filter{flag: flag, want: split(lists), used: map[string]bool{}}
}

// keeps reports whether a resource with these names is wanted. An empty filter wants everything.
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

// keepsQuietly is keeps for those who ask out of turn: it is not noted what they ask for.
func (f *filter) keepsQuietly(names ...string) bool {
	return len(f.want) == 0 || slices.ContainsFunc(f.want, func(w string) bool { return slices.Contains(names, w) })
}

// missing reports every wanted name that nothing has. What a filter asks for and does not exist would silently run
// less than the user thinks.
func (f *filter) missing(d *diag.List, kind string) {
	for _, w := range f.want {
		if f.used[w] {
			continue
		}
		known := slices.Compact(slices.Sorted(slices.Values(f.known)))
		if slices.Contains(known, w) {
			if f.cut {
				continue
			}
			d.Errorf(diag.Pos{}, 0, "unused-filter", "--%s %s: no scenario of this run uses that %s", f.flag, w, kind).Hint =
				"its group, or the providers and required_capabilities of the scenarios, keep it out"
			continue
		}
		p := d.Errorf(diag.Pos{}, 0, "unknown-filter", "--%s %s: there is no %s of that name", f.flag, w, kind)
		p.Hint = hintKnown(w, known) + f.besides
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

// names of a resource for a filter: its id and, when it has one, its other name.
func names(m *scenario.Meta) []string {
	if m.Alias != "" {
		return []string{m.ID, m.Alias}
	}
	return []string{m.ID}
}
