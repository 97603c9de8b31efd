package result

import (
	"cmp"
	"slices"
	"unique"

	"github.com/arena-evals/arena/internal/gate"
	"github.com/arena-evals/arena/internal/sortby"
)

// tally counts the trials of a group, and the outcomes of its assertions. There may be very many groups, most of them
// small, so it uses little memory. Its zero value is ready.
type tally struct {
	statuses      [len(statusNames)]int
	broken        int // trials with an error of their own
	assertions    []counted
	places        map[countedCheck]int        // index of each assertion in the list; nil: there are few
	next          int                         // expected index of the next assertion
	variants      smallMap[string, variantOf] // by key
	inputs        smallMap[string, uint8]     // by input: the outcomes of its trials
	conversations smallMap[uint64, uint8]     // by hash of the conversation: the outcomes
	evals         bool                        // evals with thresholds judged a trial
}

// variantOf is a variant of a group.
type variantOf struct {
	first  int // number of the first trial that had it
	values map[string]string
}

// counted counts the outcomes of an assertion.
type counted struct {
	of    unique.Handle[assertion]
	first int // plan index of its first trial; orders the variants

	passed, failed, errors, skipped int32
}

// assertion is shared by groups with the same check at the same place.
type assertion struct {
	countedCheck

	name      string
	threshold float64
}

const (
	sawPass = 1 << iota
	sawFailure
)

func (c *tally) count(o *Observed) {
	c.statuses[o.status]++
	if o.broke {
		c.broken++
	}
	c.evals = c.evals || o.evals
	if key := variantKey(o.variant); c.variants.get(key) == nil {
		c.variants.add(key, variantOf{o.number, o.variant})
	}
	saw := seenAs(o.status)
	if saw != 0 {
		*c.inputs.make(o.input) |= saw
	}
	if saw != 0 || o.status != Skipped {
		*c.conversations.make(o.words) |= saw
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
	s := c.find(v.at)
	if s == nil {
		s = c.add(counted{of: unique.Make(assertion{v.at, v.name, v.threshold}), first: o.index})
	}
	s.first = min(s.first, o.index)
	switch v.status {
	case Passed:
		s.passed++
	case Failed:
		s.failed++
	case Skipped, Cancelled:
		s.skipped++
	default:
		s.errors++
	}
}

// find finds an assertion; nil: it is new. Assertions mostly come in the order of the previous trial.
func (c *tally) find(at countedCheck) *counted {
	if c.places != nil {
		if i, there := c.places[at]; there {
			return &c.assertions[i]
		}
		return nil
	}
	n := len(c.assertions)
	for k := range n {
		i := (c.next + k) % n
		if c.assertions[i].of.Value().countedCheck == at {
			c.next = i + 1
			return &c.assertions[i]
		}
	}
	return nil
}

// add adds an assertion.
func (c *tally) add(s counted) *counted {
	c.assertions = append(c.assertions, s)
	switch n := len(c.assertions); {
	case c.places != nil:
		c.places[s.of.Value().countedCheck] = n - 1
	case n > maxScan:
		c.places = make(map[countedCheck]int, 2*n)
		for i := range c.assertions {
			c.places[c.assertions[i].of.Value().countedCheck] = i
		}
	}
	return &c.assertions[len(c.assertions)-1]
}

// inOrder are the assertions in the order of reports.
func (c *tally) inOrder() []AssertionStats {
	sorted := slices.Clone(c.assertions)
	sortby.Func(sorted, func(a, b counted) int {
		return cmp.Or(a.of.Value().compare(b.of.Value().countedCheck), cmp.Compare(a.first, b.first))
	})
	all := make([]AssertionStats, 0, len(sorted))
	for i := range sorted {
		s, of := &sorted[i], sorted[i].of.Value()
		stats := AssertionStats{
			Turn: of.turn, Index: of.index, Eval: of.eval, Step: of.step, Type: of.name, PassThreshold: of.threshold,
			Passed: int(s.passed), Failed: int(s.failed), Errors: int(s.errors), Skipped: int(s.skipped),
			Status: s.fold(),
		}
		if v := c.variants.get(of.variant); v != nil {
			stats.Variant = v.values
		}
		all = append(all, stats)
	}
	return all
}

// status is the status of a count. Every assertion must hold in its share of the trials of each variant, and no trial
// may have an error of its own.
func (c *tally) status(trials int) (status Status) {
	for i := range c.assertions {
		status = worse(status, c.assertions[i].fold())
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

func (s *counted) fold() Status {
	passed, _ := rate(int(s.passed), int(s.passed+s.failed))
	switch {
	case s.errors > 0:
		return Errored
	case s.passed+s.failed == 0:
		return Skipped
	case passed >= s.of.Value().threshold:
		return Passed
	}
	return Failed
}

// certain is the status of a count after n trials, if the remaining ones cannot change it; otherwise Unset. It is
// passed only if every assertion of every variant is known, none can still fall below its share, and no trial broke:
// evals may judge later trials at other places.
func (c *tally) certain(spec *GateSpec, n int) Status {
	passed := len(c.assertions) > 0 && !c.evals && c.broken == 0 && c.statuses[Passed]+c.statuses[Failed] == n &&
		c.variants.len() == spec.Block
	for i := range c.assertions {
		s := &c.assertions[i]
		switch s.certain(0, 0, c.left(spec, n, s.of.Value().variant)) {
		case gate.Failed:
			return Failed
		case gate.Passed:
			passed = passed && s.errors == 0
		case gate.Open, gate.Undecided:
			passed = false
		}
	}
	if passed && c.complete() {
		return Passed
	}
	return Unset
}

// left is the number of trials of a variant after the first n.
func (c *tally) left(spec *GateSpec, n int, variant string) int {
	number := 0
	if v := c.variants.get(variant); v != nil {
		number = v.first
	}
	place := (number - 1) % spec.Block // of the variant within a round
	through := func(n int) int { return (n + spec.Block - 1 - place) / spec.Block }
	return through(spec.Max) - through(n)
}

// complete reports whether each variant has the same assertions.
func (c *tally) complete() bool {
	byVariant := map[string]int{}
	for i := range c.assertions {
		byVariant[c.assertions[i].of.Value().variant]++
	}
	for variant := range c.variants.all() {
		if byVariant[variant]*c.variants.len() != len(c.assertions) {
			return false
		}
	}
	return true
}

// soonest is the fewest further trials after which the status of a count may be certain.
func (c *tally) soonest(spec *GateSpec, n int) int {
	if len(c.assertions) == 0 || c.evals || c.variants.len() < spec.Block {
		return 1 // an unknown assertion may fail in the next trial
	}
	failing, passing := spec.Max-n, 1
	for i := range c.assertions {
		s := &c.assertions[i]
		fails, passes := s.soonest(c.left(spec, n, s.of.Value().variant))
		failing, passing = min(failing, fails), max(passing, passes)
	}
	return min(failing, passing)
}

// soonest is how many of the remaining trials must fail for the assertion to fail for certain, and how many must pass
// for it to hold; at most all.
func (s *counted) soonest(left int) (fails, passes int) {
	fails, passes = left, left
	for d := left - 1; d > 0; d-- {
		if s.certain(0, d, left-d) == gate.Failed {
			fails = d
		}
		if s.certain(d, 0, left-d) == gate.Passed {
			passes = d
		}
	}
	return max(fails, 1), passes
}

// certain is the verdict on the assertion after more passed and failed trials, with others left.
func (s *counted) certain(pass, fail, left int) gate.Verdict {
	return gate.Certain(int(s.passed)+pass, int(s.failed)+fail, left, s.of.Value().threshold)
}

// flaky is why trials with one input both passed and failed; "": they did not.
func (c *tally) flaky() string {
	mixed := func(saw uint8) bool { return saw == sawPass|sawFailure }
	for _, saw := range c.inputs.all() {
		if mixed(*saw) {
			for _, said := range c.conversations.all() {
				if mixed(*said) {
					return FlakyJudge
				}
			}
			return FlakyAgent
		}
	}
	return ""
}

// alike reports whether several trials had the same conversation, word for word.
func (c *tally) alike() bool {
	return c.conversations.len() == 1 && c.statuses[Passed]+c.statuses[Failed]+c.statuses[Errored] > 1
}
