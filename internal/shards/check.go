package shards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// Set is the shards of one plan, by number.
type Set struct {
	Parts []*Part
	Holes []string // what is missing, in words

	left []string // what is left out although nothing is missing without it, in words
}

// Join joins the shards of a run. The error lists all reasons why they are not shards of one run. Holes lists missing
// parts.
func Join(parts []*Part) (*Set, error) {
	s := &Set{Parts: slices.Clone(parts)}
	slices.SortStableFunc(s.Parts, func(a, b *Part) int { return a.Shard.Number - b.Shard.Number })
	first := s.Parts[0]
	var errs []error
	for _, p := range s.Parts[1:] {
		errs = append(errs, first.differs(p))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := s.disjoint(); err != nil {
		return nil, err
	}
	s.findHoles()
	return s, nil
}

// differs says why two shards are not of one run.
func (p *Part) differs(q *Part) error {
	a, b := &p.outline.Header, &q.outline.Header
	mark := func(what, how string) error {
		return fmt.Errorf("%s and %s are not shards of one run: %s\n%s", p.Path, q.Path, what, how)
	}
	switch {
	case a.Name != b.Name:
		return mark(fmt.Sprintf("one is of the project %q, the other of %q", a.Name, b.Name), "name the shards of one run")
	case p.Shard.Of != q.Shard.Of:
		return mark(fmt.Sprintf("one is the shard %s, the other %s", p.Shard, q.Shard), "name the shards of one run")
	case a.Arena != b.Arena:
		return mark(fmt.Sprintf("one was run by arena %s, the other by %s", a.Arena, b.Arena),
			"run all of them with one version")
	}
	if flags := differentFlags(a, b); len(flags) > 0 {
		return mark("they were run with different "+strings.Join(flags, ", "), "run all of them with the same flags")
	}
	switch {
	case p.Shard.Plan != q.Shard.Plan || p.Shard.Planned != q.Shard.Planned || p.Shard.Slots != q.Shard.Slots:
		return mark("their plans differ, so that the files or what is asked of models do",
			"run all of them from the same files and with the same variables: arena run --resume FOLDER takes a shard to "+
				"today's, and keeps the trials that these ask for")
	case !equal(a.FailOn, b.FailOn), !equal(a.Coverage, b.Coverage), !equal(a.Declared, b.Declared):
		return mark("their projects declare different things", "run all of them from the same files")
	case p.Shard.Number == q.Shard.Number:
		return mark(fmt.Sprintf("each is the shard %s", p.Shard), "leave one of them out")
	}
	return nil
}

// ofShard are fields of result.Spec that need not be the same in all shards: they change no trial that ends.
var ofShard = []string{
	"Home", "Shard", "FailFast", "MaxFailures", "MaxCost", "MaxTrials", "Out", "Formats", "JUnitFile", "HTMLFile",
	"MarkdownFile",
	"Keep", "Jobs", "Apart", "Cache", "Record", "Retries",
}

// differentFlags are the flags that two runs do not have in common.
func differentFlags(a, b *result.JournalHeader) (flags []string) {
	x, y := reflect.ValueOf(*a.Spec), reflect.ValueOf(*b.Spec)
	for i := range x.NumField() {
		field := x.Type().Field(i)
		if slices.Contains(ofShard, field.Name) || equal(x.Field(i).Interface(), y.Field(i).Interface()) {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		flag := "--" + strings.ReplaceAll(strings.TrimSuffix(key, "_ns"), "_", "-")
		if key == "paths" {
			flag = "files"
		}
		flags = append(flags, flag)
	}
	if a.ExitZero != b.ExitZero && !slices.Contains(flags, "--exit-zero") {
		flags = append(flags, "--exit-zero")
	}
	if a.Replayed != b.Replayed && !slices.Contains(flags, "--replay") {
		flags = append(flags, "--replay")
	}
	return flags
}

// equal compares values as a journal has them.
func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// disjoint refuses shards that have trials in common.
func (s *Set) disjoint() error {
	type edge struct {
		from, to int
		of       *Part
	}
	var all []edge
	for _, p := range s.Parts {
		for _, r := range p.outline.Header.Places {
			all = append(all, edge{r[0], r[1], p})
		}
	}
	sortby.Func(all, func(a, b edge) int { return a.from - b.from })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			return fmt.Errorf("%s and %s have trials in common, such as that at the place %d of the plan: they were cut "+
				"differently\nrun all of them with the same --shard-by, or without", all[i-1].of.Path, all[i].of.Path,
				all[i].from+1)
		}
	}
	return nil
}

// findHoles notes what is missing.
func (s *Set) findHoles() {
	first := s.Parts[0]
	there := map[int]bool{}
	placed := 0
	for _, p := range s.Parts {
		there[p.Shard.Number] = true
		placed += p.size()
	}
	var gone []string
	for n := 1; n <= first.Shard.Of; n++ {
		if !there[n] {
			gone = append(gone, fmt.Sprintf("%d/%d", n, first.Shard.Of))
		}
	}
	if missing := first.slots() - placed; len(gone) > 0 {
		planned := first.Shard.Planned
		for _, p := range s.Parts {
			planned -= p.outline.Header.Planned
		}
		s.hole("%s missing: %s, with %s of %d", plural.Of(len(gone), "shard is", "shards are"), someOf(gone),
			plural.Of(max(planned, 0), "trial", "trials"), first.Shard.Planned)
	} else if missing > 0 {
		s.hole("%s of the plan in none of the shards: they were cut differently; run all of them with the same --shard-by, "+
			"or without", plural.Of(missing, "trial is", "trials are"))
	}
	for _, p := range s.Parts {
		s.holesOf(p)
		if p.outline.Header.Programs != first.outline.Header.Programs {
			s.hole("%s and %s were run with other programs, or other values of the variables that the project names", first.Path,
				p.Path)
		}
	}
}

func (s *Set) holesOf(p *Part) {
	o := p.outline
	for _, d := range o.Damaged {
		if d.Line > 0 {
			s.hole("%s: line %d is left out: %v", p.Path, d.Line, d.Why)
			continue
		}
		s.hole("%s: %v", p.Path, d.Why)
	}
	gone, red := p.gone()
	s.reportGone(p, gone, red)
	missing := p.size() - (len(o.Lines) - len(gone))
	if len(o.Header.Gates) > 0 { // not all of them are needed
		missing = 0
	}
	goOn := "; go on with it: arena run --resume " + filepath.Dir(p.Path)
	switch {
	case missing > 0:
		s.hole("%s: %s of the shard %s did not finish%s", p.Path, trialsOf(missing, p.size()), p.Shard, goOn)
	case o.Footer == nil:
		s.hole("%s: the shard %s did not end%s", p.Path, p.Shard, goOn)
	case o.Footer.Interrupted, o.Footer.Unfinished > 0:
		s.hole("%s: the shard %s was stopped, and %s of it did not finish%s", p.Path, p.Shard,
			trialsOf(o.Footer.Unfinished, p.size()), goOn)
	case o.Footer.Shard == nil:
		s.hole("%s: the end of the shard %s does not say what it saw", p.Path, p.Shard)
	}
}

// reportGone reports trials that were in the plan when the shard ran first, and not any more when it was resumed. They
// belong to no plan. One that did not pass makes the resumed run red, and so the whole run.
func (s *Set) reportGone(p *Part, ids []string, red int) {
	if len(ids) == 0 {
		return
	}
	text := fmt.Sprintf("%s: left out, since its plan has no such trial any more: %s of the shard %s: %s", p.Path,
		plural.Of(len(ids), "trial", "trials"), p.Shard, someOf(ids))
	if red == 0 {
		s.left = append(s.left, text)
		return
	}
	s.hole("%s; %d did not pass: run the shard anew, into another folder, to have it without them", text, red)
}

func (s *Set) hole(format string, args ...any) {
	s.Holes = append(s.Holes, fmt.Sprintf(format, args...))
}

func trialsOf(n, of int) string { return fmt.Sprintf("%d of %s", n, plural.Of(of, "trial", "trials")) }

const maxNamed = 10

func someOf(names []string) string {
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// NoteUnfinished notes that trials of the whole run did not finish, if nothing else says so.
func (s *Set) NoteUnfinished(trials int) {
	if trials > 0 && len(s.Holes) == 0 {
		s.hole("%s of the run did not finish", plural.Of(trials, "trial", "trials"))
	}
}

// NoteDamage notes the trials that Write wrote and that cannot be used.
func (s *Set) NoteDamage(damaged []result.Damage) {
	for _, d := range damaged {
		p := s.whose(d.Line)
		hole := fmt.Sprintf("%s: a trial is left out: %v", p.Path, d.Why)
		if !slices.Contains(s.Holes, hole) {
			s.Holes = append(s.Holes, hole)
		}
	}
}

// Close closes the journals.
func (s *Set) Close() error {
	var errs []error
	for _, p := range s.Parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// Holds reports whether one of the journals is a file.
func (s *Set) Holds(path string) bool {
	info, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(s.Parts, func(p *Part) bool {
		own, err := p.file.Stat()
		return err == nil && os.SameFile(info, own)
	})
}
