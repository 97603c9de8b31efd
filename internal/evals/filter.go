package evals

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// Filter selects evals.
type Filter struct {
	Groups []string // evals in one of these groups; empty: all
	Types  []string // evals whose check has one of these names or aliases; empty: all
	Skip   bool     // no evals at all
}

// Groups returns the groups of an eval: those that it names, or those of its check.
func Groups(def *Definition, needs checks.Needs) []string {
	if len(def.Groups) > 0 {
		return def.Groups
	}
	return needs.Groups()
}

// Apply disables the evals that the filter leaves out. A name in the filter without a matching eval is an error: the
// run would measure less than the user expects. The built-in groups always match.
func (f *Filter) Apply(suite *scenario.Suite, d *diag.List) {
	f.Groups, f.Types = trimmed(f.Groups), trimmed(f.Types)
	a := &application{Filter: f, groups: map[string]bool{}, types: map[string]bool{}, used: map[string]bool{}}
	for _, p := range suite.Projects {
		a.list(p.PackEvals)
		a.list(p.ArenaEvals)
		for _, prompt := range p.Prompts {
			a.list(prompt.Evals)
		}
	}
	for _, name := range []string{checks.GroupDefault, checks.GroupFast, checks.GroupLong, checks.GroupExternal} {
		a.groups[name], a.used[group+name] = true, true
	}
	for _, name := range f.Groups {
		a.expect(d, group, name, "no eval of this run is in that group", a.groups)
	}
	for _, name := range f.Types {
		a.expect(d, kind, name, "no eval of this run is of that type", a.types)
	}
	if a.gateLeftOut && !a.selected && !f.Skip && !a.unknown {
		d.Errorf(diag.Pos{}, 0, "never-fires", "%s leave out every eval of this run, also those with a threshold", f.flags()).
			Hint = "known groups: " + strings.Join(slices.Sorted(maps.Keys(a.groups)), ", ") +
			"; to run without evals, pass --skip-evals"
	}
}

func trimmed(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// The flags of the command line, for messages.
const (
	group = "--eval-groups "
	kind  = "--eval-types "
)

// flags writes the flags that were given.
func (f *Filter) flags() string {
	var given []string
	if len(f.Groups) > 0 {
		given = append(given, group+strings.Join(f.Groups, ","))
	}
	if len(f.Types) > 0 {
		given = append(given, kind+strings.Join(f.Types, ","))
	}
	return strings.Join(given, " and ")
}

// application is the state while a filter is applied.
type application struct {
	*Filter
	groups, types         map[string]bool // of all evals
	used                  map[string]bool // names that matched, each after its flag
	selected, gateLeftOut bool            // an eval is selected; an eval with a threshold is left out
	unknown               bool            // a name matched nothing
}

func (a *application) list(defs []*Definition) {
	for _, def := range defs {
		if check := compiled(def); check != nil && !a.keeps(def, check) {
			a.gateLeftOut = a.gateLeftOut || def.Enabled && check.Gates()
			def.Enabled, def.LeftOut = false, true
		} else if check != nil {
			a.selected = a.selected || def.Enabled
		}
	}
}

func (a *application) keeps(def *Definition, check *checks.Compiled) bool {
	groups := Groups(def, check.Needs())
	for _, name := range groups {
		a.groups[name] = true
	}
	a.types[check.Type] = true
	byGroup := a.inGroups(a.Groups, groups)
	byType := a.match(kind, a.Types, func(name string) bool { return isType(check, name) })
	return byGroup && byType && !a.Skip
}

// InGroups reports whether a filter by groups selects an eval of these groups. An empty filter selects all.
func InGroups(filter, groups []string) bool {
	a := application{used: map[string]bool{}}
	return a.inGroups(filter, groups)
}

func (a *application) inGroups(filter, groups []string) bool {
	return a.match(group, filter, func(name string) bool { return slices.Contains(groups, name) })
}

// match reports whether one of the names fits. It tries all of them, to record which names are used.
func (a *application) match(flag string, names []string, fits func(name string) bool) bool {
	keep := len(names) == 0
	for _, name := range names {
		if fits(name) {
			keep, a.used[flag+name] = true, true
		}
	}
	return keep
}

func isType(c *checks.Compiled, name string) bool {
	return slices.Contains(c.Def.Names(), name)
}

func (a *application) expect(d *diag.List, flag, name, problem string, known map[string]bool) {
	if a.used[flag+name] {
		return
	}
	a.unknown = true
	p := d.Errorf(diag.Pos{}, 0, "unknown-filter", "%s%s: %s", flag, name, problem)
	names := slices.Sorted(maps.Keys(known))
	switch p.Hint = diag.DidYouMean(name, names); {
	case len(names) == 0:
		p.Hint = "the run has no evals"
	case p.Hint == "":
		p.Hint = "known: " + strings.Join(names, ", ")
	}
}
