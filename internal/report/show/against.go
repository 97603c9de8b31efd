package show

import (
	"fmt"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/result"
)

// Remark is one line about a group, or about the whole run.
type Remark struct {
	Label  string
	Status result.Status // whose colour the line has; Unset: none
	Text   string
}

// maxAgainst is the highest number of named groups of a kind.
const maxAgainst = 10

// Against describes a run in comparison with its baseline: first all groups together, then the groups that changed or
// failed in the baseline too. With all, no group is left out. It is empty for a run without baseline.
func Against(run *result.Run, all bool) []Remark {
	a := run.Against
	if a == nil {
		return nil
	}
	lines := []Remark{{"baseline", againstStatus(a), againstSuite(run)}}
	for _, kind := range againstKinds(run) {
		lines = append(lines, kind.lines(a.Groups, all)...)
	}
	if len(a.Missing) > 0 {
		lines = append(lines, missingGroups(run))
	}
	return lines
}

// againstKind is a kind of groups that are listed together, by their verdict against the baseline.
type againstKind struct {
	label  string
	status result.Status
	is     func(*result.AgainstGroup) bool
	text   func(g *result.AgainstGroup) string
}

// againstKinds are the kinds in the order in which they are listed.
func againstKinds(run *result.Run) []againstKind {
	return []againstKind{
		{"regressed", result.Failed, judged(evidence.Regressed), rates(run)},
		{"improved", result.Passed, judged(evidence.Improved), rates(run)},
		{"known", result.Skipped, func(g *result.AgainstGroup) bool { return g.Known && !g.Unmended },
			func(*result.AgainstGroup) string {
				return "fails as in the baseline, which does not make the run red"
			}},
		{"mended?", result.Skipped, func(g *result.AgainstGroup) bool { return g.Unmended },
			unmended(run)},
		{"healed", result.Passed, func(g *result.AgainstGroup) bool { return g.Healed }, func(*result.AgainstGroup) string {
			return "failed in the baseline and passes now: arena bless keeps it so"
		}},
		{"apart", result.Skipped, judged(result.Quarantined), func(*result.AgainstGroup) string {
			return "is in quarantine, so it is not compared"
		}},
		{"weakened", result.Errored, func(g *result.AgainstGroup) bool { return g.Less != "" },
			func(g *result.AgainstGroup) string {
				return "less is asked of it: " + g.Less
			}},
		{"changed", result.Errored, judged(result.Changed), func(g *result.AgainstGroup) string {
			how := "asks or checks something else than in the baseline"
			if g.Differing() != "" {
				how = diag.Safe(g.Differing())
			}
			return how + ", so it is not compared"
		}},
		{"not run", result.Errored, judged(result.NotJudged), func(*result.AgainstGroup) string {
			return "has no trial that counts, so it is not compared"
		}},
		{"new", result.Skipped, judged(result.NewGroup), func(*result.AgainstGroup) string {
			return "is not in the baseline"
		}},
	}
}

// lines are the groups of the kind, at most maxAgainst of them, or with all each of them.
func (k againstKind) lines(groups []result.AgainstGroup, all bool) (lines []Remark) {
	more := 0
	for i := range groups {
		g := &groups[i]
		switch {
		case !k.is(g):
		case len(lines) == maxAgainst && !all:
			more++
		default:
			lines = append(lines, Remark{k.label, k.status, Line(g.Group) + "   " + k.text(g)})
		}
	}
	if more > 0 {
		lines = append(lines, Remark{Text: "… and " + Plural(more, "more group")})
	}
	return lines
}

// missingGroups are the groups of the baseline that were not run.
func missingGroups(run *result.Run) Remark {
	missing := run.Against.Missing
	names := make([]string, 0, maxAgainst)
	for _, name := range missing[:min(len(missing), maxAgainst)] {
		names = append(names, Line(name))
	}
	if len(missing) > len(names) {
		names = append(names, "…")
	}
	text := fmt.Sprintf("%s of the baseline not run: %s", Plural(len(missing), "group"), strings.Join(names, ", "))
	if words := run.Spec.LeavesOut(missing[0]); len(words) > 0 {
		text += " (" + Line(strings.Join(words, " ")) + ")"
	}
	return Remark{"missing", result.Errored, text}
}

func judged(v evidence.Verdict) func(*result.AgainstGroup) bool {
	return func(g *result.AgainstGroup) bool { return g.Verdict == v }
}

// unmended describes a group that failed in the baseline and may be fixed.
func unmended(run *result.Run) func(g *result.AgainstGroup) string {
	now := talliesOf(run)
	return func(g *result.AgainstGroup) string {
		text := "failed in the baseline, and its first trials pass, too few to show that it is mended: --stop never runs " +
			"all of them, and arena bless keeps that"
		if t := now()[g.Group]; t != nil && t.Gate != nil && t.Gate.Rule == result.RuleGate {
			text = fmt.Sprintf("failed in the baseline (%d of %d passed), and is undecided now (%d of %d)", g.Passed, g.Trials,
				t.Counts.Passed, t.Counts.N())
		}
		if g.Known {
			text += "; it does not make the run red"
		}
		return text
	}
}

// talliesOf are the groups of a run by name, made when the first is asked for: there may be as many as trials.
func talliesOf(run *result.Run) func() map[string]*result.Tally {
	return sync.OnceValue(func() map[string]*result.Tally {
		byName := map[string]*result.Tally{}
		for _, t := range run.Tallies() {
			byName[t.Name] = t
		}
		return byName
	})
}

// rates are the passes of a group then and now.
func rates(run *result.Run) func(g *result.AgainstGroup) string {
	now := talliesOf(run)
	return func(g *result.AgainstGroup) string {
		t := now()[g.Group]
		if t == nil {
			return ""
		}
		return fmt.Sprintf("%d of %d → %d of %d passed", g.Passed, g.Trials, t.Counts.Passed, t.Counts.N())
	}
}

// againstStatus is the status whose colour the verdict on all groups has.
func againstStatus(a *result.Against) result.Status {
	switch {
	case a.Verdict == evidence.Regressed:
		return result.Failed
	case a.Clouded || a.Compared == 0, a.Blind:
		return result.Errored
	case a.Verdict == evidence.Improved:
		return result.Passed
	}
	return result.Skipped
}

// againstSuite is the verdict on all groups.
func againstSuite(run *result.Run) string {
	a := run.Against
	text := AgainstText(a)
	switch {
	case a.Verdict != evidence.NoEvidence || a.Clouded || a.Blind:
	case a.Drop != nil:
		text += fmt.Sprintf("; a fall of all by %s would likely have been seen", wholePercent(*a.Drop))
	default:
		text += "; with so few trials no fall could have been seen"
	}
	if a.Verdict == evidence.Regressed || a.Inconclusive() {
		text += FailOnMark(run, result.FailOnRegressed)
	}
	return Line(a.File) + "   " + text
}

// AgainstText is the verdict on all groups in short.
func AgainstText(a *result.Against) string {
	if a.Clouded {
		return "trials that broke hide whether it regressed"
	}
	if a.Blind {
		return "too few trials: no fall could have been seen; run more of them (--trials)"
	}
	of := Plural(a.Compared, "group")
	if n := a.Count(result.Changed); n > 0 && a.Compared > 0 {
		of += fmt.Sprintf(" (%s not compared: they changed)", Count(n))
	}
	if n := a.Count(result.NotJudged); n > 0 && a.Compared > 0 {
		of += fmt.Sprintf(" (%s not compared: without a trial)", Count(n))
	}
	switch n := a.Count(a.Verdict); {
	case a.Compared == 0:
		return "no group asks and checks what it did then, so nothing was compared"
	case a.Verdict == evidence.NoEvidence:
		return "no evidence of a change in " + of
	case a.Verdict == evidence.Same:
		return of + " as then"
	case n == 0:
		return fmt.Sprintf("%s: %s together, none by itself", a.Verdict, of)
	default:
		return fmt.Sprintf("%s: %d of %s", a.Verdict, n, of)
	}
}

// againstNotes say why a run with a baseline is red, and what it cannot show.
func againstNotes(run *result.Run) (all []string) {
	a := run.Against
	if a == nil {
		return nil
	}
	mark := FailOnMark(run, result.FailOnRegressed)
	changed := a.Count(result.Changed)
	switch {
	case run.Shard != nil:
	case a.Verdict == evidence.Regressed || mark != "" && a.Inconclusive():
		note := "baseline: " + AgainstText(a)
		if names := namesChanged(a); names != "" && !a.Clouded && !a.Blind {
			note += " (" + names + ")"
		}
		all = append(all, note+mark)
	case mark != "" && changed > 0:
		all = append(all, "baseline: "+AgainstText(a))
	}
	if note := knownNote(run); note != "" {
		all = append(all, note)
	}
	return all
}

// knownNote counts the groups that --known-failures keeps from making the run red; "" without the flag.
func knownNote(run *result.Run) string {
	a := run.Against
	if a == nil || !a.KnownFailures {
		return ""
	}
	failing, open := 0, 0
	for i := range a.Groups {
		switch g := &a.Groups[i]; {
		case g.Known && g.Unmended:
			open++
		case g.Known:
			failing++
		}
	}
	text := Plural(failing, "group") + " failing as before"
	if open > 0 {
		text += ", " + Count(open) + " not known to be mended"
	}
	return text + " (--known-failures)"
}
