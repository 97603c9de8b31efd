package result

import (
	"slices"

	"github.com/arena-evals/arena/internal/baseline"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/gate"
)

// Against is what a run shows when it is held against a baseline.
type Against struct {
	File string `json:"file"`
	// Verdict is that of all groups: regressed, improved, no evidence, same, or changed where none could be compared.
	Verdict  evidence.Verdict `json:"verdict"`
	Compared int              `json:"compared"` // groups that ask and check the same as then
	Tested   int              `json:"tested"`   // of them, those that chance has a part in
	Alone    int              `json:"alone"`    // of them, those that regressed by themselves
	Together bool             `json:"together"` // the mean of all regressed
	// Drop is the fall of the mean rate that would likely have been seen; nil: none would.
	Drop    *float64 `json:"drop,omitempty"`
	Clouded bool     `json:"clouded,omitempty"` // trials that broke hide whether it regressed
	// Blind says that there are so few trials that no fall would have been seen.
	Blind bool `json:"blind,omitempty"`
	// KnownFailures says that groups which fail as in the baseline do not make the run red.
	KnownFailures bool           `json:"known_failures,omitempty"`
	Groups        []AgainstGroup `json:"groups"`
	// Missing are the groups of the baseline that the run does not have.
	Missing []string `json:"missing,omitempty"`
}

// AgainstGroup is a group of the run beside that of the baseline.
type AgainstGroup struct {
	Group   string           `json:"group"`
	Verdict evidence.Verdict `json:"verdict"` // also those below, which are not compared
	Passed  int              `json:"passed"`  // of the baseline
	Trials  int              `json:"trials"`  // of the baseline
	// Known says that the group fails as in the baseline, by no other check, or is not known to be mended, and does not
	// make the run red.
	Known bool `json:"known,omitempty"`
	// Unmended says that it failed in the baseline, and that its trials are too few to show that it is mended: they are
	// the first ones, and pass, or its gate is undecided.
	Unmended bool `json:"unmended,omitempty"`
	// Healed says that the group failed in the baseline and passes now: the baseline should be updated (arena bless).
	Healed bool `json:"healed,omitempty"`
	// Less says what less its gate asks than then: "asked 90%, now 20%".
	Less string `json:"less,omitempty"`
	// Differs says what is asked or checked differently than in the baseline: "judge strict has another model, prompt or
	// setting". It is empty when the run does not record what it asked.
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

// seed is that of the draws by which all groups are tested together: the same runs show the same.
const seed = 1

// against holds the groups of a run against the basis.
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
		case !AskedAlike(was.Asked, t.Asked):
			switch {
			case t.Status == Skipped:
				g.Differs = []string{"it is skipped now"}
			case t.Asked != "":
				g.Differs = AskedOtherwise(was.Asked, t.Asked)
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
			g.Known = false // it fails more than it did
		}
	}
}

// knownBy reports whether the group is no new failure: it failed then, and fails now by no other check, or is not known
// to be mended. A trial that broke is no known failure.
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

// open reports whether the group has a gate that its trials, which are all that there could be, do not decide.
func (t *Tally) open() bool {
	return t.Gate != nil && t.Gate.Rule == RuleGate && t.Gate.spent()
}

// sampled are the trials of a group for the tests. A rule that cannot be, or that does not end where they did, counts
// for none, and one with a single look fixes their number.
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

// known are the groups whose failures are known, by name.
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

// Count counts the groups with a verdict; of a run without a baseline there are none.
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
// there are too few of them.
func (a *Against) Inconclusive() bool { return a == nil || a.Compared == 0 || a.Clouded || a.Blind }
