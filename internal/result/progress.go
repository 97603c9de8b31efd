package result

import (
	"strconv"

	"github.com/arena-evals/arena/internal/gate"
)

// Progress folds the trials of a group in the order of their numbers, even if they end in another order, and says how
// many more are needed. The verdict depends only on the first trials by number. So it is the same for any number of
// jobs, and whether trials run, resume, replay or are reported again. It belongs to one goroutine.
type Progress struct {
	spec GateSpec
	gate *gate.Gate // nil: a count
	bad  error      // why the rule is invalid

	next     int               // number of the next trial to fold
	waiting  map[int]*Observed // trials after a missing one, by number
	counts   gate.Counts
	rejected int
	tally    tally // of the trials that count

	added    int // number of trials, with any outcome
	verdict  Status
	reason   GateReason
	at       int // number of the deciding trial
	rejects  map[int]bool
	overCost bool // a trial did not run because of the limit
}

// NewProgress starts a group. An invalid rule ends as an error.
func NewProgress(spec GateSpec) *Progress {
	p := &Progress{spec: spec, next: 1, waiting: map[int]*Observed{}}
	if p.gate, p.bad = spec.Gate(); p.bad != nil {
		p.verdict, p.reason = Errored, ReasonErrors
	}
	return p
}

// Add takes a settled trial.
func (p *Progress) Add(t *Trial) { p.Take(Observe(t)) }

// Take is Add for an observed trial.
func (p *Progress) Take(o *Observed) {
	p.added++
	p.overCost = p.overCost || o.overBudget
	if o.missing {
		return
	}
	p.waiting[o.number] = o
	for p.verdict == Unset {
		first := p.waiting[p.next]
		if first == nil {
			return
		}
		delete(p.waiting, p.next)
		p.take(first)
		p.next++
	}
}

// Over reports whether the group needs no more trials.
func (p *Progress) Over() bool { return p.verdict != Unset }

// Verdict is the verdict of a finished group; Unset before.
func (p *Progress) Verdict() Status { return p.verdict }

// Prospects are the probability that further trials bring a verdict, and the expected number of trials for it; 0 for a
// count.
func (p *Progress) Prospects() (verdict, trials float64) {
	if p.gate == nil || p.Over() {
		return 0, 0
	}
	return p.gate.Prospects(p.counts)
}

// Counts are the trials that count so far.
func (p *Progress) Counts() gate.Counts { return p.counts }

// Needed is the highest number of a trial that the verdict needs, whatever the outcomes before it; 0: none.
func (p *Progress) Needed() int {
	if p.Over() {
		return 0
	}
	return min(p.next-1+p.need(), p.spec.Slots())
}

// need is the fewest further trials after which the group may end.
func (p *Progress) need() int {
	if p.spec.Rule == RuleGate {
		need := min(p.gate.Need(p.counts), p.spec.Rejections()+1-p.rejected)
		if p.counts.N() == 0 {
			need = min(need, leastRejections-p.rejected)
		}
		return max(need, 1)
	}
	left := p.spec.Max - p.counts.N()
	switch {
	case p.spec.never():
		return left
	case p.spec.staged() && p.counts.N() < p.spec.Stage.At:
		return p.spec.Stage.At - p.counts.N()
	case p.spec.staged():
		return left
	}
	return max(min(left, p.tally.soonest(&p.spec, p.counts.N())), 1)
}

// take counts a trial, unless it was rejected.
func (p *Progress) take(o *Observed) {
	switch {
	case o.status == Skipped && p.counts.N() == 0:
		p.decide(o, Skipped, ReasonSkipped)
		return
	case o.rejected && p.spec.Rule == RuleGate:
		p.reject(o)
		return
	case o.status == Passed:
		p.counts.Passed++
	case o.status == Failed:
		p.counts.Failed++
	default: // Errored; and Unset, which never passes
		p.counts.Broken++
	}
	p.tally.count(o)
	if p.spec.Rule == RuleGate {
		p.judge(o)
		return
	}
	switch n := p.counts.N(); {
	case n == p.spec.Max:
		p.decide(o, p.tally.status(n), ReasonMax)
	case p.spec.never():
	case p.spec.staged():
		if n == p.spec.Stage.At && !p.spec.Stage.worse(p.counts) {
			p.decide(o, p.spec.Stage.verdict(p.tally.status(n)), ReasonBaseline)
		}
	default:
		if v := p.tally.certain(&p.spec, n); v != Unset {
			p.decide(o, v, ReasonCertain)
		}
	}
}

// reject handles a trial that the provider refused: it does not count. Too many of them mean that the provider is down.
func (p *Progress) reject(o *Observed) {
	p.rejected++
	if p.rejects == nil {
		p.rejects = map[int]bool{}
	}
	p.rejects[o.number] = true
	if p.rejected > p.spec.Rejections() || p.counts.N() == 0 && p.rejected == leastRejections {
		p.decide(o, Errored, ReasonErrors)
	}
}

// judge asks the gate for a verdict.
func (p *Progress) judge(o *Observed) {
	switch p.gate.At(p.counts) {
	case gate.Passed:
		p.decide(o, Passed, ReasonLine)
	case gate.Failed:
		p.decide(o, Failed, ReasonLine)
	case gate.Undecided:
		switch {
		case p.gate.Clouded(p.counts):
			p.decide(o, Errored, ReasonErrors)
		case p.counts.N() == p.spec.Max:
			p.decide(o, Undecided, ReasonMax)
		default:
			p.decide(o, Undecided, ReasonCertain)
		}
	case gate.Open:
	}
}

func (p *Progress) decide(o *Observed, v Status, why GateReason) {
	p.verdict, p.reason, p.at = v, why, o.number
}

// counted reports whether the verdict includes the trial with a number.
func (p *Progress) counted(number int) bool { return number < p.next && !p.rejects[number] }

// end is the verdict without further trials. recorded: none can be run.
func (p *Progress) end(recorded bool) (v Status, why GateReason) {
	switch {
	case p.Over():
		return p.verdict, p.reason
	case recorded:
		why = ReasonRecording
	case p.overCost:
		why = ReasonBudget
	default:
		why = ReasonStopped
	}
	if p.spec.Rule == RuleCount || p.counts.N() == 0 { // a count decides only at its end
		return Cancelled, why
	}
	return Undecided, why
}

// result is the result of the group.
func (p *Progress) result(recorded bool) *Gate {
	g := &Gate{
		GateSpec: p.spec, DecidedAt: p.at, Counted: p.counts.N(), Passed: p.counts.Passed, Failed: p.counts.Failed,
		Broken: p.counts.Broken, Replaced: p.rejected, Flaky: p.tally.flaky(), Alike: p.tally.alike(),
	}
	g.Verdict, g.Reason = p.end(recorded)
	g.Beyond = max(p.added-g.Counted-g.Replaced, 0)
	if !recorded && p.Over() && g.Verdict != Skipped && g.Reason != ReasonErrors {
		g.Saved = max(p.spec.Max-g.Counted-g.Beyond, 0)
	}
	if p.bad != nil {
		g.High, g.Bar = 1, BarRepeated
		return g
	}
	p.rate(g)
	return g
}

// rate sets the rate and its error bar.
func (p *Progress) rate(g *Gate) {
	var bar gate.Bar
	switch {
	case p.gate != nil:
		bar = p.gate.Shown(p.counts)
		if g.Verdict == Errored { // an error says nothing about the rate
			bar = gate.Repeated(p.counts, max(p.spec.Max, 1), p.spec.Confidence)
		}
	case p.counts.N() == p.spec.Max:
		bar = gate.FixedBar(p.counts, p.spec.Confidence)
	default:
		bar = gate.Repeated(p.counts, p.spec.Max, p.spec.Confidence)
	}
	g.Low, g.High, g.Bar = tidy(bar.Low), tidy(bar.High), BarRepeated
	if bar.Exact {
		g.Bar = BarExact
	}
	if g.Counted == 0 {
		return
	}
	estimate := float64(g.Passed) / float64(g.Counted)
	if p.gate != nil {
		estimate = p.gate.Estimate(p.counts)
	}
	g.Estimate = new(tidy(estimate))
	p.powers(g)
}

// powers sets PassPow and PassAt for 3, 5 and all trials, if they can be estimated without bias.
func (p *Progress) powers(g *Gate) {
	if g.Broken > 0 {
		return
	}
	for _, k := range []int{3, 5, g.Counted} {
		var all, any float64
		var ok bool
		switch {
		case p.gate != nil && !p.spec.never():
			all, ok = p.gate.AllOf(k, p.counts)
			any, _ = p.gate.AnyOf(k, p.counts)
		case g.Counted == p.spec.Max:
			all, ok = gate.AllOf(k, g.Counted, g.Passed)
			any, _ = gate.AnyOf(k, g.Counted, g.Passed)
		}
		if !ok || k < 2 {
			continue
		}
		if g.PassPow == nil {
			g.PassPow, g.PassAt = map[string]float64{}, map[string]float64{}
		}
		name := strconv.Itoa(k)
		g.PassPow[name], g.PassAt[name] = tidy(all), tidy(any)
	}
}
