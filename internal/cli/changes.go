package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
	"github.com/arena-evals/arena/internal/sortby"
)

const changesName = "changes.json"

var changesStart = regexp.MustCompile(`^\{\s*"trials":\s*\[`)

// changesTarget is where the changes are written.
func changesTarget(dir string) harness.Target {
	return harness.Target{What: "the changes", Path: filepath.Join(dir, changesName), Recognizes: changesStart.Match}
}

// changeLog collects the verdicts that a second judgement changed. A nil one does nothing.
type changeLog struct {
	was   *result.Run
	byID  map[string]int // index in was.Briefs
	found []trialChange
	// groups are the groups whose status changed, whatever changed in their trials.
	groups []result.GroupChange
	err    error
}

// trialChange is a trial whose status or verdicts changed.
type trialChange struct {
	index   int
	ID      string          `json:"id"`
	Was     result.Status   `json:"was"`
	Now     result.Status   `json:"now"`
	Error   string          `json:"error,omitempty"`
	Changes []result.Change `json:"changes"`
}

// add compares a trial with its earlier result.
func (l *changeLog) add(now *result.Trial) {
	if l == nil {
		return
	}
	if l.byID == nil {
		l.byID = make(map[string]int, l.was.Briefs.Len())
		for i, b := range l.was.Briefs.All() {
			l.byID[b.ID] = i
		}
	}
	was, err := l.was.Trials.Trial(l.byID[now.ID])
	if err != nil {
		l.err = errors.Join(l.err, err)
		return
	}
	c := trialChange{
		index: now.Index, ID: now.ID, Was: was.Status, Now: now.Status, Error: now.Error, Changes: result.Changes(was, now),
	}
	if c.Was != c.Now || len(c.Changes) > 0 {
		l.found = append(l.found, c)
	}
}

// write lists the changes for people, and writes all of them to a file of the folder.
func (l *changeLog) write(w io.Writer, now *result.Run, dir string, secrets *harness.Secrets) error {
	if l == nil {
		return nil
	}
	l.groups = result.GroupChanges(l.was, now)
	sortby.Func(l.found, func(a, b trialChange) int { return cmp.Compare(a.index, b.index) })
	path := filepath.Join(dir, changesName)
	err := harness.WriteAtomic(path, func(w io.Writer) error {
		clean := secrets.Document(w, secret.JSON)
		enc := json.NewEncoder(clean)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err := enc.Encode(struct {
			Trials []trialChange        `json:"trials"`
			Groups []result.GroupChange `json:"groups"`
		}{append([]trialChange{}, l.found...), append([]result.GroupChange{}, l.groups...)})
		return errors.Join(err, clean.Close())
	})
	out := bufio.NewWriter(w)
	l.list(out)
	_, _ = fmt.Fprintf(out, "            %s\n", path) // a bufio.Writer keeps its first error for Flush
	return errors.Join(l.err, err, out.Flush())
}

// list prints changes for the worse or the better. New checks that passed, and removed checks, are only counted.
func (l *changeLog) list(w io.Writer) {
	changed, added, gone := 0, 0, 0
	for i := range l.found {
		l.trial(w, &l.found[i])
		for _, c := range l.found[i].Changes {
			switch {
			case c.Was == nil:
				added++
			case c.Now == nil:
				gone++
			default:
				changed++
			}
		}
	}
	for i := range l.groups {
		l.group(w, &l.groups[i])
	}
	var parts []string
	for _, count := range []struct {
		n         int
		one, many string
	}{
		{changed, "verdict changed", "verdicts changed"}, {added, "check is new", "checks are new"},
		{gone, "check is gone", "checks are gone"},
		{len(l.groups), "group of trials counts otherwise", "groups of trials count otherwise"},
	} {
		if count.n > 0 {
			parts = append(parts, plural.Of(count.n, count.one, count.many))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no verdict changed"}
	}
	_, _ = fmt.Fprintf(w, "\nchanges     %s\n", strings.Join(parts, "   "))
}

// trial prints the changes of one trial. An error that stopped all checks is printed once.
func (l *changeLog) trial(w io.Writer, t *trialChange) {
	changes := slices.DeleteFunc(slices.Clone(t.Changes), func(c result.Change) bool {
		return !shown(c) || t.Error != "" && c.Now.Status == result.Cancelled
	})
	if t.Was == t.Now && len(changes) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "\n%s   %s\n", diag.Safe(t.ID), statusChange(t.Was, t.Now))
	if t.Error != "" && t.Was != t.Now {
		_, _ = fmt.Fprintf(w, "    %s\n", diag.Safe(t.Error))
	}
	for i := range changes {
		l.printCheck(w, &changes[i])
	}
}

// group prints the change of a group, and the reason.
func (l *changeLog) group(w io.Writer, g *result.GroupChange) {
	together := ""
	if g.Trials > 1 {
		together = plural.Count(g.Trials, "trial") + " together: "
	}
	_, _ = fmt.Fprintf(w, "\n%s   %s%s\n", diag.Safe(g.ID), together, statusChange(g.Was, g.Now))
	for _, reason := range g.Reasons {
		_, _ = fmt.Fprintf(w, "    %s\n", diag.Safe(reason))
	}
}

// shown reports whether to print a change: not for removed checks, nor for new ones that passed.
func shown(c result.Change) bool {
	return c.Now != nil && (c.Was != nil || c.Now.Status != result.Passed && c.Now.Status != result.Skipped)
}

func (l *changeLog) printCheck(w io.Writer, c *result.Change) {
	where := "conversation"
	if c.Turn >= 0 {
		where = fmt.Sprintf("turn %d", c.Turn+1)
	}
	was := "not asked"
	if c.Was != nil {
		was = opinion(c.Was)
	}
	name := c.Type
	if c.Message != "" {
		name += "   " + c.Message
	}
	_, _ = fmt.Fprintf(w, "    %s   %s\n        was %s\n        now %s\n", where, diag.Safe(name), was, opinion(c.Now))
}

func opinion(o *result.Opinion) string {
	text := o.Status.String()
	if o.Score != nil {
		text += fmt.Sprintf(" (score %.2f)", *o.Score)
	}
	if o.Reason != "" {
		text += ": " + diag.Safe(o.Reason)
	}
	return text
}

func statusChange(was, now result.Status) string {
	if was == now {
		return "still " + now.String()
	}
	return was.String() + " → " + now.String()
}
