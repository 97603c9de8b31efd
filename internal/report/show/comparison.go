package show

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/comparison"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Compared counts groups that regressed, differ without evidence, cannot be compared or have fewer checks, or do not
// run any more.
func Compared(r *comparison.Report) string {
	regressed := len(r.Judged(comparison.Regressed))
	text := fmt.Sprintf("%d of %s regressed", regressed, Plural(len(r.Pairs), "group"))
	if regressed == 0 && r.Judgement.Suite == comparison.Regressed {
		text = fmt.Sprintf("%s regressed together, and none by itself", Plural(len(r.Pairs), "group"))
	}
	for _, part := range []struct {
		n    int
		text string
	}{
		{len(r.Judged(comparison.Improved)), "improved"},
		{r.Count(differsByChance), "without evidence"},
		{len(r.Judged(comparison.NotCompared)), "not compared"},
		{r.Count(func(p *comparison.Pair) bool { return p.Unchecked }), "with fewer checks"},
		{r.Count(func(p *comparison.Pair) bool { return p.Fewer }), "with fewer trials"},
		{len(r.Gone), "not run any more"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.text)
		}
	}
	return text
}

// ComparedStatus is the status whose sign and colour the comparison has.
func ComparedStatus(r *comparison.Report) result.Status {
	if r.Judgement.Suite == comparison.Regressed {
		return result.Failed
	}
	return result.Passed
}

// differsByChance reports whether the counts of a pair differ, and that shows nothing.
func differsByChance(p *comparison.Pair) bool {
	return p.Change != comparison.Same && (p.Verdict == comparison.NoEvidence || p.Verdict == comparison.AsBefore)
}

// ComparedSection is pairs that are listed together.
type ComparedSection struct {
	Label  string // of each pair
	Title  string // of all of them
	Status result.Status
	Pairs  []*comparison.Pair
}

// ComparedSections order the pairs that differ, what got worse first. Those that are as before are in none.
func ComparedSections(r *comparison.Report) []ComparedSection {
	of := func(is func(*comparison.Pair) bool) (all []*comparison.Pair) {
		for i := range r.Pairs {
			if p := &r.Pairs[i]; is(p) {
				all = append(all, p)
			}
		}
		return all
	}
	return []ComparedSection{
		{"regressed", "Regressed", result.Failed, r.Judged(comparison.Regressed)},
		{"changed", "Changed: something else is asked or checked, or that is not known, so not compared", result.Errored,
			r.Judged(comparison.NotCompared)},
		{"no evidence", "No evidence: what differs, chance may have done", result.Errored, of(differsByChance)},
		{"improved", "Improved", result.Passed, r.Judged(comparison.Improved)},
		{"unchecked", "The same verdicts, with fewer checks", result.Errored, of(func(p *comparison.Pair) bool {
			return p.Unchecked && AsBefore(p)
		})},
		{"quarantined", "In quarantine, so not compared", result.Skipped, r.Judged(comparison.Quarantined)},
	}
}

// AsBefore reports whether the pair is in its section for no other reason than, perhaps, that it has fewer checks now.
func AsBefore(p *comparison.Pair) bool {
	return p.Change == comparison.Same && (p.Verdict == comparison.NoEvidence || p.Verdict == comparison.AsBefore)
}

// ChangeWord says what became of a pair.
func ChangeWord(p *comparison.Pair) string {
	word := string(p.Verdict)
	switch {
	case AsBefore(p) && p.Unchecked:
		return "unchecked"
	case AsBefore(p):
		return "same"
	case p.Verdict == comparison.AsBefore:
		word = string(comparison.NoEvidence)
	case p.Verdict == comparison.NotCompared && (p.Was.Asked == "" || p.Now.Asked == ""):
		word = "not compared"
	}
	if p.Unchecked {
		word += ", unchecked"
	}
	return word
}

// Why gives the reason for the verdict on a pair, if it is worth a line; "": it is not.
func Why(r *comparison.Report, p *comparison.Pair) string {
	why := verdictWhy(r, p)
	switch {
	case p.Less == "":
		return why
	case why == "":
		return "less is asked of it: " + p.Less
	}
	return "less is asked of it: " + p.Less + "; " + why
}

func verdictWhy(r *comparison.Report, p *comparison.Pair) string {
	switch {
	case p.Verdict == comparison.Quarantined:
		return "its scenario is in quarantine, so it is not compared"
	case p.Verdict == comparison.NotCompared && p.Was.Asked != "" && p.Now.Asked != "":
		return diag.Safe(strings.Join(p.Differs(), "; ")) + ", so it is not compared"
	case p.Verdict == comparison.NotCompared:
		return "a run does not tell what it asked and checked, so it is not compared"
	case !differsByChance(p):
		return ""
	case p.Verdict == comparison.NoEvidence && p.Change != comparison.Green && p.Change != comparison.Stronger:
		if from, to, ok := r.Sees(p); ok {
			return fmt.Sprintf("chance does as much; a fall from %s to %s would likely have been seen",
				wholePercent(from), wholePercent(to))
		}
		return "chance does as much; with so few trials no fall could have been seen"
	case p.Verdict == comparison.NoEvidence:
		return "chance does as much"
	}
	return ""
}

// Suite words the verdict on all groups; "": none depends on chance.
func Suite(r *comparison.Report) string {
	j := r.Judgement
	if j.Tested == 0 {
		return ""
	}
	of := Plural(j.Tested, "group")
	var parts []string
	if j.Regressed {
		parts = append(parts, "regressed: "+shownBy(len(j.Worse), j.SuiteWorse, of))
	}
	if j.Improved {
		parts = append(parts, "improved: "+shownBy(len(j.Better), j.SuiteBetter, of))
	}
	if len(parts) == 0 {
		parts = append(parts, "no evidence of a change in "+of)
	}
	switch {
	case j.Clouded:
		parts = append(parts, "trials that broke hide whether it regressed")
	case j.Regressed:
	case j.Drop < 1 && !j.Blind:
		parts = append(parts, fmt.Sprintf("a fall of all by %s would likely have been seen", wholePercent(j.Drop)))
	default:
		parts = append(parts, "with so few trials no fall could have been seen")
	}
	return strings.Join(parts, "; ")
}

// shownBy says what shows that the suite is another.
func shownBy(alone int, together bool, of string) string {
	self := "itself"
	if alone > 1 {
		self = "themselves"
	}
	switch {
	case alone > 0 && together:
		return fmt.Sprintf("%d of %s by %s, and all together", alone, of, self)
	case alone > 0:
		return fmt.Sprintf("%d of %s by %s", alone, of, self)
	}
	return of + " together, none by itself"
}

// wholePercent is a share without decimals.
func wholePercent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// PairName names a pair; for runs of different models it names both.
func PairName(r *comparison.Report, p *comparison.Pair) string {
	if r.Across {
		return fmt.Sprintf("%s, %s → %s", p.Now.Scenario, p.Was.Provider, p.Now.Provider)
	}
	return p.Now.Name
}

// Difference shows a pair of groups: the verdicts that changed in one trial, and its reply.
type Difference struct {
	Trial   string
	Changes []string // each in a line: place, check, before and after
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

// around is the number of common characters that are shown beside a difference.
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

// Common shortens a common text: to its end if it comes first, to its start if it comes last, otherwise to both.
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
