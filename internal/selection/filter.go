package selection

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
)

// Filter selects resources by name. Its words are names. A filter of patterns also takes globs, such as refund-*, and
// regular expressions, such as re:^refund. An exclamation mark before a word leaves out what the word matches.
type Filter struct {
	flag       string
	Words      []string
	selectors  []selector
	Known      []string
	Used       map[string]bool // words that matched something
	Incomplete bool            // not all resources were compared with the filter
	HintMore   string          // follows the known names in hints
}

// selector is a word of a filter that is more than a name.
type selector struct {
	word    string
	not     bool
	matches func(name string) bool
}

// NewFilter selects by names alone.
func NewFilter(flag string, lists []string) *Filter {
	f := &Filter{flag: flag, Words: Split(lists), Used: map[string]bool{}}
	for _, w := range f.Words {
		f.selectors = append(f.selectors, selector{word: w, matches: func(name string) bool { return name == w }})
	}
	return f
}

// NewPatterns selects by names and patterns. Those that cannot be read go to d.
func NewPatterns(flag string, lists []string, d *diag.List) *Filter {
	f := &Filter{flag: flag, Words: rejoin(Split(lists)), Used: map[string]bool{}}
	for _, w := range f.Words {
		s, err := newSelector(w)
		if err != nil {
			d.Errorf(diag.Pos{}, 0, "bad-pattern", "--%s %s: %v", flag, w, err)
			f.Used[w] = true // what is wrong with it is said
		}
		f.selectors = append(f.selectors, s)
	}
	return f
}

func newSelector(word string) (selector, error) {
	s := selector{word: word}
	pattern, not := strings.CutPrefix(word, "!")
	pattern, s.not = strings.TrimSpace(pattern), not
	s.matches = func(name string) bool { return name == pattern }
	expr, isRegexp := strings.CutPrefix(pattern, "re:")
	switch {
	case pattern == "" || isRegexp && expr == "":
		return s, fmt.Errorf("the pattern is empty")
	case isRegexp:
		re, err := regexp.Compile(expr)
		if err != nil {
			return s, fmt.Errorf("%w (a comma ends a pattern, but within a repetition, a class or a group)", err)
		}
		s.matches = re.MatchString
	case strings.ContainsAny(pattern, "*?["):
		if _, err := path.Match(pattern, ""); err != nil {
			return s, fmt.Errorf("a bracket is not closed (write \\[ for the sign itself, or re: before a regular expression)")
		}
		s.matches = func(name string) bool {
			ok, _ := path.Match(pattern, name) // the pattern was tried
			return ok || name == pattern
		}
	}
	return s, nil
}

// Split splits lists at commas, and removes spaces and duplicates.
func Split(lists []string) []string {
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

// CountRegions is the number of regions that trials run for when these are asked for.
func CountRegions(asked []string) int { return max(len(Split(asked)), 1) }

// rejoin puts the parts of regular expressions together that were separated at a comma within braces, brackets or
// parentheses: re:l{2,3} is one pattern. A part is never a pattern by itself there.
func rejoin(words []string) (out []string) {
	for len(words) > 0 {
		n := 1
		if strings.HasPrefix(strings.TrimPrefix(words[0], "!"), "re:") {
			for n < len(words) && cutWithin(strings.Join(words[:n], ",")) {
				n++
			}
			if cutWithin(strings.Join(words[:n], ",")) { // the mistake is told of the first part alone
				n = 1
			}
		}
		out, words = append(out, strings.Join(words[:n], ",")), words[n:]
	}
	return out
}

// cutWithin reports whether a pattern ends within a repetition, a class or a group.
func cutWithin(word string) bool {
	_, expr, _ := strings.Cut(word, "re:")
	_, err := regexp.Compile(expr)
	return err != nil || openRepetition().MatchString(expr)
}

var openRepetition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\d+$`) })

// Empty reports whether the filter selects everything.
func (f *Filter) Empty() bool { return len(f.selectors) == 0 }

// Keeps reports whether the filter selects a resource with these names, and notes the words that match them.
func (f *Filter) Keeps(names ...string) bool {
	if f.Empty() {
		return true
	}
	f.Known = append(f.Known, names...)
	return f.selects(names, func(word string) { f.Used[word] = true })
}

// Matches is Keeps, but notes nothing.
func (f *Filter) Matches(names ...string) bool {
	return f.Empty() || f.selects(names, func(string) {})
}

// selects reports whether one of the words matches one of the names and none that leaves out does. Words that only
// leave out select everything else.
func (f *Filter) selects(names []string, matched func(word string)) bool {
	keep, leaveOut := !slices.ContainsFunc(f.selectors, func(s selector) bool { return !s.not }), false
	for _, s := range f.selectors {
		if !slices.ContainsFunc(names, s.matches) {
			continue
		}
		matched(s.word)
		if s.not {
			leaveOut = true
		} else {
			keep = true
		}
	}
	return keep && !leaveOut
}

// Missing reports words that match nothing: the run would be smaller, or larger, than the user thinks.
func (f *Filter) Missing(d *diag.List, kind string) {
	known := slices.Compact(slices.Sorted(slices.Values(f.Known)))
	for _, s := range f.selectors {
		if f.Used[s.word] {
			continue
		}
		if slices.ContainsFunc(known, s.matches) {
			if f.Incomplete {
				continue
			}
			p := d.Errorf(diag.Pos{}, 0, "unused-filter", "--%s %s: no scenario of this run uses that %s", f.flag, s.word, kind)
			p.Hint = "its group, or the providers and required_capabilities of the scenarios, keep it out"
			continue
		}
		problem := "there is no %s of that name"
		if name := strings.TrimPrefix(s.word, "!"); strings.HasPrefix(name, "re:") || strings.ContainsAny(name, "*?[") {
			problem = "it matches no %s"
		}
		p := d.Errorf(diag.Pos{}, 0, "unknown-filter", "--%s %s: "+problem, f.flag, s.word, kind)
		p.Hint = diag.HintKnown(strings.TrimPrefix(s.word, "!"), known) + f.HintMore
		if f.flag == "tag" && len(known) == 0 {
			p.Hint = "no scenario has a tag: write tags: [" + strings.TrimPrefix(s.word, "!") + "] beside its turns"
		}
		if f.flag == "scenario" && strings.Contains(s.word, ".yaml") {
			p.Hint = "a file is named without the flag: arena run " + s.word
		}
	}
}
