package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/result"
)

// Compared counts the groups that regressed, those that are weaker or of which less is asked, and those that are not
// run any more.
func Compared(r *comparison.Report) string {
	text := fmt.Sprintf("%d of %s regressed", len(r.Changed(comparison.Regressed)), Plural(len(r.Pairs), "group"))
	if n := len(r.Changed(comparison.Weaker)); n > 0 {
		text += fmt.Sprintf(", %d weaker", n)
	}
	if n := r.Count(func(p *comparison.Pair) bool { return p.Unchecked }); n > 0 {
		text += fmt.Sprintf(", %d with fewer checks or trials", n)
	}
	if gone := len(r.Gone); gone > 0 {
		text += fmt.Sprintf(", %d not run any more", gone)
	}
	return text
}

// ChangeWord says what became of a pair.
func ChangeWord(p *comparison.Pair) string {
	switch {
	case p.Unchecked && p.Change == comparison.Same:
		return "unchecked"
	case p.Unchecked:
		return string(p.Change) + ", unchecked"
	}
	return string(p.Change)
}

// PairName names a pair; in runs of different models both of them.
func PairName(r *comparison.Report, p *comparison.Pair) string {
	if r.Across {
		return fmt.Sprintf("%s, %s → %s", p.Now.Scenario, p.Was.Provider, p.Now.Provider)
	}
	return p.Now.Name
}

// Difference is what a reader is told of a pair of groups: the verdicts that changed in one trial, and its reply.
type Difference struct {
	Trial   string
	Changes []string // each in a line: where, which check, what it was and is
	Turn    int      // of the reply
	Reply   []comparison.Piece
}

// Differ compares a trial of each group of a pair.
func Differ(r *comparison.Report, p *comparison.Pair) (*Difference, error) {
	was, now, err := r.Trials(p)
	if err != nil {
		return nil, err
	}
	d := &Difference{Trial: Line(now.ID), Turn: -1}
	if now.Error != "" && now.Error != was.Error {
		d.Changes = append(d.Changes, Line(now.Error))
	}
	for _, c := range result.Changes(was, now) {
		if text := changed(&c); text != "" {
			d.Changes = append(d.Changes, text)
		}
	}
	for k := range min(len(was.Turns), len(now.Turns)) {
		a, b := was.Turns[k].Assistant, now.Turns[k].Assistant
		if a != b {
			d.Turn, d.Reply = k, comparison.Words(Clean(a), Clean(b))
			break
		}
	}
	return d, nil
}

// changed is a changed verdict in a line; "" for a new check that holds.
func changed(c *result.Change) string {
	where := "conversation"
	if c.Turn >= 0 {
		where = fmt.Sprintf("turn %d", c.Turn+1)
	}
	name := c.Type
	if c.Message != "" {
		name += " (" + c.Message + ")"
	}
	switch {
	case c.Now == nil:
		return fmt.Sprintf("%s, %s: is gone, was %s", where, Line(name), opinion(c.Was))
	case c.Was == nil && (c.Now.Status == result.Passed || c.Now.Status == result.Skipped):
		return ""
	case c.Was == nil:
		return fmt.Sprintf("%s, %s: is new, and %s", where, Line(name), opinion(c.Now))
	}
	return fmt.Sprintf("%s, %s: was %s, is %s", where, Line(name), c.Was.Status, opinion(c.Now))
}

func opinion(o *result.Opinion) string {
	if o.Reason == "" {
		return o.Status.String()
	}
	return o.Status.String() + ": " + Line(o.Reason)
}

// around is how many characters of what both texts have are shown beside a difference.
const around = 40

// WordDiff writes what differs between two texts as [-removed-] and {+added+}, with some of what is around it.
func WordDiff(pieces []comparison.Piece) string {
	var b strings.Builder
	for i, p := range pieces {
		switch p.Kind {
		case comparison.Removed:
			b.WriteString("[-" + p.Text + "-]")
		case comparison.Added:
			b.WriteString("{+" + p.Text + "+}")
		default:
			b.WriteString(Common(p.Text, i == 0, i == len(pieces)-1))
		}
	}
	return b.String()
}

// Common shortens what both texts have: to its end where it is the beginning, to its beginning where it is the end, and
// to both elsewhere.
func Common(text string, first, last bool) string {
	r := []rune(text)
	switch {
	case first && last || len(r) <= 2*around+1:
		return text
	case first:
		return "…" + string(r[len(r)-around:])
	case last:
		return string(r[:around]) + "…"
	}
	return string(r[:around]) + "…" + string(r[len(r)-around:])
}
