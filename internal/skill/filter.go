package skill

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Filter says which skills a state of a workflow allows. The zero value allows all.
type Filter struct {
	elements []string // of the pattern, between the slashes
	none     bool
}

// NewFilter parses a filter: "none" in any case allows nothing, "" everything, and anything else is a pattern for the
// folders of skills, relative to the config. In it `*` and `?` do not match a slash, `**` matches any folders, and a
// pattern without these includes all folders below. A skill without a folder is matched by its name.
func NewFilter(text string) (Filter, error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.EqualFold(text, "none"):
		return Filter{none: true}, nil
	case text == "":
		return Filter{}, nil
	}
	f := Filter{elements: strings.Split(strings.TrimPrefix(path.Clean(text), "/"), "/")}
	for _, element := range f.elements {
		if _, err := path.Match(element, ""); err != nil {
			return Filter{none: true}, fmt.Errorf("%q is no pattern for folders: %w", text, err)
		}
	}
	if !strings.ContainsAny(text, "*?[") {
		f.elements = append(f.elements, "**")
	}
	return f, nil
}

// IsNone reports whether the filter was written to allow nothing.
func (f Filter) IsNone() bool { return f.none }

// Allows reports whether the filter lets a skill through.
func (f Filter) Allows(s *Skill) bool {
	switch {
	case f.none:
		return false
	case f.elements == nil:
		return true
	case s.Path == "":
		// The pattern of a single name has "**" behind it.
		return matches(f.elements, []string{s.Name})
	}
	return matches(f.elements, strings.Split(s.Path, "/"))
}

// matches reports whether the elements of a pattern stand for those of a path.
func matches(pattern, elements []string) bool {
	for i, want := range pattern {
		if want == "**" {
			return slices.ContainsFunc(suffixes(elements[min(i, len(elements)):]), func(rest []string) bool {
				return matches(pattern[i+1:], rest)
			})
		}
		if i >= len(elements) {
			return false
		}
		if ok, err := path.Match(want, elements[i]); err != nil || !ok {
			return false
		}
	}
	return len(pattern) == len(elements)
}

// suffixes are all ends of a list, the whole and the empty one among them.
func suffixes(list []string) [][]string {
	all := make([][]string, 0, len(list)+1)
	for i := range len(list) + 1 {
		all = append(all, list[i:])
	}
	return all
}
