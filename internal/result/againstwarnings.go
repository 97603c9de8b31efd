package result

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
)

// AgainstWarnings warns of what the comparison with a baseline misses: groups that did not run, new or changed groups,
// and gates that ask for less. Groups that a filter left out are not reported.
func (r *Run) AgainstWarnings() (list []diag.Diagnostic) {
	a := r.Against
	if a == nil {
		return nil
	}
	warn := func(names []string, one, many string) {
		if len(names) > 0 {
			list = append(list, diag.Diagnostic{
				Severity: diag.Warning, Pos: diag.Pos{File: a.File}, Code: "baseline",
				Msg: plural.Of(len(names), one, many) + ": " + firstNames(names),
			})
		}
	}
	warn(slices.DeleteFunc(slices.Clone(a.Missing), func(name string) bool { return len(r.Spec.LeavesOut(name)) > 0 }),
		"group of the baseline was not run", "groups of the baseline were not run")
	var added, changed, less []string
	for i := range a.Groups {
		switch g := &a.Groups[i]; {
		case g.Verdict == NewGroup:
			added = append(added, g.Group)
		case g.Verdict == Changed:
			if how := g.Differing(); how == "" {
				changed = append(changed, g.Group)
			} else {
				changed = append(changed, g.Group+" ("+diag.Safe(how)+")")
			}
		}
		if g := &a.Groups[i]; g.Less != "" {
			less = append(less, g.Group+" ("+g.Less+")")
		}
	}
	warn(added, "group is not in the baseline", "groups are not in the baseline")
	warn(changed, "group asks or checks something else than in the baseline, and is not compared",
		"groups ask or check something else than in the baseline, and are not compared")
	warn(less, "group is asked for less than in the baseline", "groups are asked for less than in the baseline")
	return list
}

// Differing says what differs; "": only that something does is known.
func (g *AgainstGroup) Differing() string {
	if slices.Equal(g.Differs, []string{otherDifference}) {
		return ""
	}
	return strings.Join(g.Differs, "; ")
}

func firstNames(names []string) string {
	const most = 5
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// LeavesOut are the words of the command line that may have excluded a group.
func (s *Spec) LeavesOut(group string) (words []string) {
	if s == nil {
		return nil
	}
	name, row, _ := strings.Cut(strings.TrimSuffix(group, "]"), "[")
	rest, region := cutLast(name)
	return s.Narrowing(func(flag string) bool {
		switch flag {
		case "scenario":
			return !slices.ContainsFunc(prefixes(rest), func(id string) bool { return named(s.Scenarios, id) })
		case "provider":
			return !slices.ContainsFunc(suffixes(rest), func(id string) bool { return named(s.Providers, id) })
		case "region":
			return !named(s.Regions, region)
		case "rows": // it excludes everything without a dataset
			return true
		case "sample":
			return row != ""
		}
		return slices.Contains([]string{"tag", "eval", "shard"}, flag) // a group does not record its own
	})
}

// named reports whether the words of a filter include the name. A pattern may match only other names.
func named(words []string, name string) bool {
	return slices.ContainsFunc(words, func(list string) bool {
		return slices.ContainsFunc(strings.Split(list, ","), func(word string) bool {
			return strings.TrimSpace(word) == name
		})
	})
}

func cutLast(name string) (before, after string) {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}

// prefixes are the possible scenario ids in a group name without region, since ids may contain slashes; each also
// without the project before a colon.
func prefixes(name string) (all []string) {
	_, within, inProject := strings.Cut(name, ":")
	for i := range len(name) {
		if name[i] == '/' {
			all = append(all, name[:i])
			if k := i - (len(name) - len(within)); inProject && k > 0 {
				all = append(all, within[:k])
			}
		}
	}
	return all
}

// suffixes are the possible provider ids in a group name without region.
func suffixes(name string) (all []string) {
	for i := range len(name) {
		if name[i] == '/' {
			all = append(all, name[i+1:])
		}
	}
	return all
}
