// Package diag holds positions in the user's files and the problems found there. Every problem is collected; none ends
// the search for the next one.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/sortby"
)

// Pos is a place in a file. Line and Col count from 1, Col in characters; 0 means not known.
type Pos struct {
	File string `json:"file,omitempty" doc:"The file, as it was named."`
	Line int32  `json:"line,omitempty" doc:"The line, from 1."`
	Col  int32  `json:"col,omitempty" doc:"The character in the line, from 1."`
}

// String is file:line:col without the parts that are not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Severity says whether a problem prevents a run.
type Severity uint8

// The severities. The zero value stops the run.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one problem in a file.
type Diagnostic struct {
	Severity Severity
	Pos      Pos
	Width    int    // characters that the caret underlines; 0 means 1
	Code     string // stable and greppable: "unknown-check"
	Msg      string // lower case; quotes the value found and says what was expected
	Hint     string // the next step; may be empty
	Owner    Pos    // place of the provider that a warning concerns, when it concerns one alone
}

// Line is the problem in one line: position, then message. Texts that look like secrets are hidden.
func (d *Diagnostic) Line() string {
	if at := d.Pos.String(); at != "" {
		return at + ": " + HideSecrets(d.Msg)
	}
	return HideSecrets(d.Msg)
}

// Advice is the problem in one line with its hint.
func (d *Diagnostic) Advice() string {
	if d.Hint == "" {
		return d.Line()
	}
	return d.Line() + "; " + HideSecrets(d.Hint)
}

// List collects diagnostics. It is safe for concurrent use; its zero value is ready.
type List struct {
	mu   sync.Mutex
	all  []*Diagnostic
	once []string // codes
}

// Add stores d and returns the stored value, so that the caller can attach a hint to it.
func (l *List) Add(d Diagnostic) *Diagnostic {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &d
	l.all = append(l.all, p)
	return p
}

// Errorf reports an error at a position.
func (l *List) Errorf(pos Pos, width int, code, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{Pos: pos, Width: width, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// Warnf reports a warning at a position.
func (l *List) Warnf(pos Pos, width int, code, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{Severity: Warning, Pos: pos, Width: width, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// Errors is the number of errors so far, without warnings.
func (l *List) Errors() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	type content struct{ code, msg, hint string }
	var once map[content]bool
	for _, d := range l.all {
		switch s := (content{d.Code, d.Msg, d.Hint}); {
		case d.Severity != Error || once[s]:
			continue
		case slices.Contains(l.once, d.Code):
			if once == nil {
				once = map[content]bool{}
			}
			once[s] = true
		}
		n++
	}
	return n
}

// Promote turns every warning into an error.
func (l *List) Promote() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.all {
		d.Severity = Error
	}
}

// Once makes Sorted join problems of one code that say the same at several places: it keeps the first place and counts
// the others.
func (l *List) Once(code string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.once, code) {
		l.once = append(l.once, code)
	}
}

// Explain sets the hint of problems with this code and position that have none.
func (l *List) Explain(at Pos, code, hint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.all {
		if d.Pos == at && d.Code == code && d.Hint == "" {
			d.Hint = hint
		}
	}
}

// Adopt takes over the problems of another list. The warnings among them concern the provider at owner.
func (l *List) Adopt(from *List, owner Pos) {
	from.mu.Lock()
	defer from.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range from.all {
		if d.Severity == Warning {
			d.Owner = owner
		}
	}
	l.all = append(l.all, from.all...)
}

// DropWarnings forgets the warnings about owners that are not in use. Errors stay.
func (l *List) DropWarnings(inUse func(owner Pos) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(d *Diagnostic) bool {
		return d.Severity == Warning && d.Owner != Pos{} && !inUse(d.Owner)
	})
}

// onceEach joins sorted problems of one code that say the same, and keeps the first.
func onceEach(all []Diagnostic, code string) []Diagnostic {
	type content struct {
		severity  Severity // an error is not joined with a warning
		msg, hint string
	}
	places := map[content]map[Pos]bool{}
	var out []Diagnostic
	for _, d := range all {
		if s := (content{d.Severity, d.Msg, d.Hint}); d.Code == code && places[s] != nil {
			places[s][d.Pos] = true
			continue
		} else if d.Code == code {
			places[s] = map[Pos]bool{d.Pos: true}
		}
		out = append(out, d)
	}
	for i := range out {
		d := &out[i]
		switch more := len(places[content{d.Severity, d.Msg, d.Hint}]) - 1; {
		case d.Code != code || more == 0:
		case d.Hint != "":
			d.Hint += fmt.Sprintf("; so in %s", morePlaces(more))
		default:
			d.Hint = fmt.Sprintf("it is so in %s", morePlaces(more))
		}
	}
	return out
}

func morePlaces(n int) string {
	if n == 1 {
		return "1 more place"
	}
	return fmt.Sprintf("%d more places", n)
}

// NotAvailable is the code of problems that no change of the files solves: the files ask for what this version cannot
// do.
const NotAvailable = "not-available"

// Sorted returns the problems by file, line and column. Problems that this version cannot solve come first. Problems at
// one position keep their order. A problem that was reported twice, such as in a file read through two configs, appears
// once; if it was both a warning and an error, it is an error.
func (l *List) Sorted() []Diagnostic {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Diagnostic, len(l.all))
	for i, d := range l.all {
		out[i] = *d
	}
	sortby.Func(out, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Msg, b.Msg),
		)
	})
	out = refused(slices.Compact(out))
	for _, code := range l.once {
		out = onceEach(out, code)
	}
	return out
}

// refused joins the warning and the error of one problem, in sorted problems.
func refused(all []Diagnostic) []Diagnostic {
	out := all[:0]
	for _, d := range all {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if last.Pos == d.Pos && last.Code == d.Code && last.Msg == d.Msg && last.Severity != d.Severity {
				last.Severity, last.Owner = Error, Pos{}
				last.Hint, last.Width = cmp.Or(last.Hint, d.Hint), max(last.Width, d.Width)
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

func rank(d *Diagnostic) int {
	if d.Code == NotAvailable {
		return 0
	}
	return 1
}
