package checks

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/scenario"
)

// Table holds the checks of a Go program. It is immutable and safe for concurrent use; nil has none.
type Table struct {
	spellings map[string]*Spelling
	names     []string // sorted
}

// checkName matches valid names of checks.
var checkName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`) })

// NewTable makes a table. It refuses invalid names and names of other checks. The error lists them all.
func NewTable(defs ...*Def) (*Table, error) {
	t := &Table{spellings: map[string]*Spelling{}}
	var errs []error
	for _, d := range defs {
		for _, name := range d.Names() {
			if err := t.add(d, name); err != nil {
				errs = append(errs, fmt.Errorf("check %q: %w", d.Name, err))
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.Sort(t.names)
	return t, nil
}

func (t *Table) add(d *Def, name string) error {
	what := "the name"
	if name != d.Name {
		what = "the alias"
	}
	if !checkName().MatchString(name) {
		return fmt.Errorf("%s %q cannot be used: expected a letter, then letters, digits, dots and the signs _ and -",
			what, name)
	}
	if name == scenario.Wrapper {
		return fmt.Errorf("%s %q is taken: it is how the long spelling of a check begins", what, name)
	}
	if other, taken := t.Lookup(name); taken {
		whose := "a check that is registered already"
		if _, ours := Lookup(name); ours {
			whose = "a check of arena"
		}
		if other.Name != name {
			whose += ", " + other.Name + ", by another name"
		}
		return fmt.Errorf("%s %q is taken: it is %s; choose another one", what, name, whose)
	}
	t.spellings[name] = spell(d, name)
	t.names = append(t.names, name)
	return nil
}

// Lookup finds a check of arena or of the table by any of its names.
func (t *Table) Lookup(name string) (*Def, bool) {
	if e := t.find(name); e != nil {
		return e.Def, true
	}
	return nil, false
}

// find returns the spelling of a check of arena or of the table; nil: none.
func (t *Table) find(name string) *Spelling {
	if e, ok := index()[name]; ok {
		return e
	}
	if t == nil {
		return nil
	}
	return t.spellings[name]
}

// known lists every type that a file may use, for hints.
func (t *Table) known() []string {
	if t == nil {
		return knownNames()
	}
	return slices.Concat(knownNames(), t.names)
}
