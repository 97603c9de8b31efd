package result

import (
	"slices"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/gate"
)

// Against is the result of comparing a run with a baseline.
type Against struct {
	File string `json:"file"`
	// Verdict is the verdict on all groups: regressed, improved, no evidence, same, or changed if none could be
	// compared.
	Verdict  evidence.Verdict `json:"verdict"`
	Compared int              `json:"compared"` // groups that ask and check the same as in the baseline
	Tested   int              `json:"tested"`   // of them, groups whose results vary by chance
	Alone    int              `json:"alone"`    // of them, groups that regressed alone
	Together bool             `json:"together"` // the mean of all groups regressed
	// Drop is the smallest fall of the mean rate that would likely have been detected; nil: none would.
	Drop    *float64 `json:"drop,omitempty"`
	Clouded bool     `json:"clouded,omitempty"` // broken trials may hide a regression
	// Blind says that there are too few trials to detect any fall.
	Blind bool `json:"blind,omitempty"`
	// KnownFailures says that groups which also failed in the baseline do not make the run red.
	KnownFailures bool           `json:"known_failures,omitempty"`
	Groups        []AgainstGroup `json:"groups"`
	// Missing are the groups of the baseline that the run does not have.
	Missing []string `json:"missing,omitempty"`
}

// AgainstGroup is a group of the run, compared with the baseline.
type AgainstGroup struct {
	Group   string           `json:"group"`
	Verdict evidence.Verdict `json:"verdict"` // also one of those below, for groups that are not compared
	Passed  int              `json:"passed"`  // of the baseline
	Trials  int              `json:"trials"`  // of the baseline
	// Known says that the group does not make the run red: it also failed in the baseline, and by no other check, or it
	// is not known to be fixed.
	Known bool `json:"known,omitempty"`
	// Unmended says that the group failed in the baseline, and has too few trials to show that it is fixed: only the
	// first ones ran and passed, or its gate is undecided.
	Unmended bool `json:"unmended,omitempty"`
	// Healed says that the group failed in the baseline and passes now: the baseline should be updated (arena bless).
	Healed bool `json:"healed,omitempty"`
	// Less says what its gate asks less than the baseline: "asked 90%, now 20%".
	Less string `json:"less,omitempty"`
	// Differs says what is asked or checked differently from the baseline: "judge strict has another model, prompt or
	// setting". It is empty if the run does not record what it asked.
	Differs []string `json:"differs,omitempty"`
}

// The verdicts on groups that are not compared.
const (
	Changed   evidence.Verdict = "changed"    // something else is asked or checked
	NewGroup  evidence.Verdict = "new"        // the baseline does not have it
	NotJudged evidence.Verdict = "not judged" // none of its trials counts
	// Quarantined is the verdict on a group whose scenario is in quarantine.
	Quarantined evidence.Verdict = "quarantined"
)

// seed is the seed of the random draws by which all groups are tested together, so that results repeat.
const seed = 1

// against compares the groups of a run with the baseline.
func (b *Basis) against(tallies []*Tally) *Against {
	a := &Against{File: b.Path, Verdict: Changed, KnownFailures: b.KnownFailures}
	a.Groups = make([]AgainstGroup, len(tallies))
	var cases []evidence.Case
	var of []*AgainstGroup
	met := map[string]bool{}
	for i, t := range tallies {
		met[t.Name] = true
		g := &a.Groups[i]
		*g = AgainstGroup{Group: t.Name, Verdict: NewGroup}
		was := b.File.Find(t.Name)
		if was == nil {
			if t.Quarantined {
				g.Verdict = Quarantined
			}
			continue
		}
		g.Verdict, g.Passed, g.Trials = Changed, was.Passed, was.Counts().N()
		if !t.Quarantined {
			g.Less = t.lessThanIn(was)
		}
		switch {
		case t.Quarantined:
			g.Verdict = Quarantined
			continue
		case !AskedEqual(was.Asked, t.Asked):
			switch {
			case t.Status == Skipped:
				g.Differs = []string{"it is skipped now"}
			case t.Asked != "":
				g.Differs = AskedDifferences(was.Asked, t.Asked)
			}
			continue
		case t.Counts.N() == 0:
			g.Verdict = NotJudged
			continue
		}
		g.Unmended = t.Gate.Unmended() || was.Red() && t.open()
		g.Known = b.KnownFailures && t.knownBy(was)
		g.Healed = was.Red() && t.Status == Passed
		cases = append(cases, evidence.Case{
			Pair: evidence.Pair{Baseline: sampled(was.Rule, was.Counts()), Candidate: t.Sample()},
			Fact: was.Repeatable && t.Repeatable,
		})
		of = append(of, g)
	}
	for i := range b.File.Groups {
		if name := b.File.Groups[i].Name; !met[name] {
			a.Missing = append(a.Missing, name)
		}
	}
	a.judge(cases, of)
	return a
}

func (a *Against) judge(cases []evidence.Case, of []*AgainstGroup) {
	if a.Compared = len(cases); a.Compared == 0 {
		return
	}
	j := evidence.Judge(cases, evidence.Confidence, seed)
	a.Verdict, a.Tested, a.Together, a.Clouded, a.Blind = j.Suite, j.Tested, j.SuiteWorse, j.Clouded, j.Blind
	if j.Tested > 0 && j.Drop < 1 {
		a.Drop = &j.Drop
	}
	for i, g := range of {
		if g.Verdict = j.Verdicts[i]; g.Verdict == evidence.Regressed {
			a.Alone++
			g.Known = false // it fails more often than in the baseline
		}
	}
}

// knownBy reports whether the group is no new failure: it failed in the baseline, and fails by no other check now, or
// is not known to be fixed. Broken trials are new failures.
func (t *Tally) knownBy(was *baseline.Group) bool {
	if !was.Red() || t.Counts.Broken > 0 {
		return false
	}
	as := func(names []string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(was.Failing, name) })
	}
	switch {
	case t.Gate.Unmended():
		return true
	case t.open():
		return !t.Gate.Allowed() && as(t.fallen)
	}
	return t.Status == Failed && len(t.Failing) > 0 && as(t.Failing)
}

// open reports whether the group has a gate that no further trials could decide.
func (t *Tally) open() bool {
	return t.Gate != nil && t.Gate.Rule == RuleGate && t.Gate.spent()
}

// sampled are the trials of a group for the tests. An invalid rule, or one that does not end where the trials ended,
// counts as none. A rule with a single look fixes the number of trials.
func sampled(rule *baseline.Rule, counts gate.Counts) evidence.Sample {
	if stopping := rule.Stopping(); stopping != nil && rule.Min < rule.Max && (counts.Broken > 0 || isEnd(stopping,
		counts)) {
		return evidence.Sample{Stopping: stopping, Counts: counts}
	}
	return evidence.Sample{Stopping: gate.Fixed(counts.N()), Fixed: true, Counts: counts}
}

func isEnd(s *gate.Stopping, c gate.Counts) bool {
	return slices.ContainsFunc(s.Ends(), func(e gate.End) bool { return e.N == c.N() && e.Passes == c.Passed })
}

// known are the groups with known failures, by name.
func (a *Against) known() map[string]*AgainstGroup {
	names := map[string]*AgainstGroup{}
	if a != nil {
		for i := range a.Groups {
			if g := &a.Groups[i]; g.Known {
				names[g.Group] = g
			}
		}
	}
	return names
}

// Count counts the groups with a verdict; 0 without a baseline.
func (a *Against) Count(v evidence.Verdict) (n int) {
	if a == nil {
		return 0
	}
	for i := range a.Groups {
		if a.Groups[i].Verdict == v {
			n++
		}
	}
	return n
}

// Inconclusive reports whether the run cannot show regressions: no group could be compared, too many trials broke, or
// there are too few trials.
func (a *Against) Inconclusive() bool { return a == nil || a.Compared == 0 || a.Clouded || a.Blind }
