package result

import (
	"cmp"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/gate"
)

// tally counts the trials of a group, and the outcomes of each of its assertions.
type tally struct {
	statuses   [len(statusNames)]int
	broken     int // trials that ended in an error of their own
	assertions map[countedCheck]*counted
	variants   map[string]int   // by key, the number of the first trial that had it
	inputs     map[string]uint8 // by what was asked: how its trials ended
	said       map[uint64]uint8 // by the words of the conversation: the same
	evals      bool             // evals with thresholds judged a trial
}

const (
	sawPass = 1 << iota
	sawFailure
)

func newTally() tally {
	return tally{
		assertions: map[countedCheck]*counted{}, variants: map[string]int{}, inputs: map[string]uint8{},
		said: map[uint64]uint8{},
	}
}

func (c *tally) count(o *Observed) {
	c.statuses[o.status]++
	if o.broke {
		c.broken++
	}
	c.evals = c.evals || o.evals
	key := variantKey(o.variant)
	if _, seen := c.variants[key]; !seen {
		c.variants[key] = o.number
	}
	if saw := seenAs(o.status); saw != 0 {
		c.inputs[o.input] |= saw
		c.said[o.words] |= saw
	} else if o.status != Skipped {
		c.said[o.words] |= 0
	}
	for i := range o.checks {
		c.check(o, &o.checks[i])
	}
}

func seenAs(s Status) uint8 {
	switch s {
	case Passed:
		return sawPass
	case Failed:
		return sawFailure
	default:
		return 0
	}
}

func (c *tally) check(o *Observed, v *observedCheck) {
	s := c.assertions[v.at]
	if s == nil {
		s = &counted{first: o.index, AssertionStats: AssertionStats{
			Turn: v.at.turn, Index: v.at.index, Eval: v.at.eval, Step: v.at.step, Variant: o.variant, Type: v.name,
			PassThreshold: v.threshold,
		}}
		c.assertions[v.at] = s
	}
	s.first = min(s.first, o.index)
	switch v.status {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Skipped, Cancelled:
		s.Skipped++
	default:
		s.Errors++
	}
}

// inOrder are the assertions as people read them.
func (c *tally) inOrder() []*counted {
	return slices.SortedFunc(maps.Values(c.assertions), func(a, b *counted) int {
		return cmp.Or(a.place().compare(b.place()), cmp.Compare(a.first, b.first))
	})
}

// status decides a count. Every assertion must hold in its required share of the trials of each variant, and no trial
// may have an error of its own.
func (c *tally) status(trials int) (status Status) {
	for _, s := range c.assertions {
		status = worse(status, s.fold())
	}
	switch {
	case c.broken > 0:
		status = worse(status, Errored)
	case c.statuses[Cancelled] > 0:
		status = worse(status, Cancelled)
	case c.statuses[Skipped] == trials:
		status = worse(status, Skipped)
	case status == Unset && c.statuses[Failed] > 0: // failed without a failed assertion
		status = Failed
	case status == Unset || status == Skipped: // no assertions, or all of them skipped
		status = Passed
	}
	return status
}

func (s *AssertionStats) fold() Status {
	passed, _ := rate(s.Passed, s.Passed+s.Failed)
	switch {
	case s.Errors > 0:
		return Errored
	case s.Passed+s.Failed == 0:
		return Skipped
	case passed >= s.PassThreshold:
		return Passed
	}
	return Failed
}

// certain is the outcome of a count after n trials, when the remaining ones cannot change it; else Unset. It is passed
// only when every assertion of every variant is known, none of them can still fall below its share, and no trial broke:
// evals may judge later trials at other places.
func (c *tally) certain(spec *GateSpec, n int) Status {
	passed := len(c.assertions) > 0 && !c.evals && c.broken == 0 && c.statuses[Passed]+c.statuses[Failed] == n &&
		len(c.variants) == spec.Block
	for at, s := range c.assertions {
		switch gate.Certain(s.Passed, s.Failed, c.left(spec, n, at.variant), s.PassThreshold) {
		case gate.Failed:
			return Failed
		case gate.Passed:
			passed = passed && s.Errors == 0
		case gate.Open, gate.Undecided:
			passed = false
		}
	}
	if passed && c.complete() {
		return Passed
	}
	return Unset
}

// left is how many trials of a variant come after the first n.
func (c *tally) left(spec *GateSpec, n int, variant string) int {
	place := (c.variants[variant] - 1) % spec.Block // of the variant in a turn of all
	through := func(n int) int { return (n + spec.Block - 1 - place) / spec.Block }
	return through(spec.Max) - through(n)
}

// complete reports whether each variant was judged by the same assertions.
func (c *tally) complete() bool {
	byVariant := map[string]int{}
	for at := range c.assertions {
		byVariant[at.variant]++
	}
	for variant := range c.variants {
		if byVariant[variant]*len(c.variants) != len(c.assertions) {
			return false
		}
	}
	return true
}

// soonest is how many more trials it takes at least until the verdict of a count may be certain.
func (c *tally) soonest(spec *GateSpec, n int) int {
	if len(c.assertions) == 0 || c.evals || len(c.variants) < spec.Block {
		return 1 // what is not known yet may fail in the next one
	}
	failing, passing := spec.Max-n, 1
	for at, s := range c.assertions {
		fails, passes := s.soonest(c.left(spec, n, at.variant))
		failing, passing = min(failing, fails), max(passing, passes)
	}
	return min(failing, passing)
}

// soonest is how many trials, of those that are left, must fail for the assertion to have failed for certain, and how
// many must pass for it to hold; at most all.
func (s *AssertionStats) soonest(left int) (fails, passes int) {
	fails, passes = left, left
	for d := left - 1; d > 0; d-- {
		if gate.Certain(s.Passed, s.Failed+d, left-d, s.PassThreshold) == gate.Failed {
			fails = d
		}
		if gate.Certain(s.Passed+d, s.Failed, left-d, s.PassThreshold) == gate.Passed {
			passes = d
		}
	}
	return max(fails, 1), passes
}

// flaky is why trials of one input both passed and failed; "": they did not.
func (c *tally) flaky() string {
	mixed := func(saw uint8) bool { return saw == sawPass|sawFailure }
	for _, saw := range c.inputs {
		if mixed(saw) {
			for _, said := range c.said {
				if mixed(said) {
					return FlakyJudge
				}
			}
			return FlakyAgent
		}
	}
	return ""
}

// alike reports whether several trials had the same conversation, word for word, and no other.
func (c *tally) alike() bool {
	return len(c.said) == 1 && c.statuses[Passed]+c.statuses[Failed]+c.statuses[Errored] > 1
}
