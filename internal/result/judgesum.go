package result

import (
	"crypto/sha256"
	"encoding/hex"
	"math"

	"github.com/arena-evals/arena/internal/chat"
)

// JudgesOf returns the cost of a trial's judgements, identical ones counted once; nil when there are none.
func JudgesOf(t *Trial) *SideCost {
	var s JudgeSum
	s.Add(t)
	return s.Total()
}

// JudgeSum sums judgements, each key once as paid and once as cached. It needs 17 bytes for each key. The sum does not
// depend on the order: costs are counted in trillionths of a dollar.
type JudgeSum struct {
	seen     map[[16]byte]byte // paidNow, paidBefore
	sum      SideCost
	pico     int64
	mocked   int64 // the simulated part of pico
	unpriced bool
}

const picoPerUSD = 1e12

// Which judgements with a key were counted.
const (
	paidNow byte = 1 << iota
	paidBefore
)

// Add counts the judgements of a trial.
func (s *JudgeSum) Add(t *Trial) { t.Judged(s.one) }

// Own counts the judgements of a trial, and returns the cost of those that no earlier trial had; nil: none. The costs
// of all trials add up to Total.
func (s *JudgeSum) Own(t *Trial) *SideCost {
	before := *s
	s.sum, s.pico, s.mocked, s.unpriced = SideCost{}, 0, 0, false
	s.Add(t)
	own := s.Total()
	s.sum.Calls += before.sum.Calls
	s.sum.Usage = before.sum.Usage.Add(s.sum.Usage)
	s.pico, s.mocked, s.unpriced = s.pico+before.pico, s.mocked+before.mocked, s.unpriced || before.unpriced
	return own
}

// Judged calls f for every judgement of the trial.
func (t *Trial) Judged(f func(j *Judgement)) {
	all := func(list []Judgement) {
		for i := range list {
			f(&list[i])
		}
	}
	t.Checks(func(_, _ int, v *Verdict) { all(v.Judgements) })
	for i := range t.Turns {
		all(t.Turns[i].GuardJudgements)
		for j := range t.Turns[i].Guardrails {
			all(t.Turns[i].Guardrails[j].Verdict.Judgements)
		}
	}
	for i := range t.Evals {
		all(t.Evals[i].Judgements)
	}
}

// Took reports whether the judgement used tokens, of a known or unknown number. A failed call usually used none, and
// the same call may have succeeded for another check.
func (j *Judgement) Took() bool { return j.Usage != chat.Usage{} || j.CostUSD != nil }

// Skip ignores the judgements of a trial, now and in later trials.
func (s *JudgeSum) Skip(t *Trial) { t.Judged(func(j *Judgement) { s.note(j) }) }

// note records that a judgement was counted, and reports whether it was counted before.
func (s *JudgeSum) note(j *Judgement) (known bool) {
	if j.Key == "" || !j.Took() {
		return false
	}
	paid := paidNow
	if j.Cached {
		paid = paidBefore
	}
	key := shortKey(j.Key)
	known = s.seen[key]&paid != 0
	if s.seen == nil {
		s.seen = map[[16]byte]byte{}
	}
	s.seen[key] |= paid
	return known
}

// one counts a judgement.
func (s *JudgeSum) one(j *Judgement) {
	if !j.Took() {
		return
	}
	if s.note(j) {
		return
	}
	s.sum.Calls++
	s.sum.Usage = s.sum.Usage.Add(j.Usage)
	if j.Cached {
		return
	}
	if j.CostUSD == nil {
		s.unpriced = true
		return
	}
	pico := int64(math.Round(*j.CostUSD * picoPerUSD))
	s.pico += pico
	if j.Simulated {
		s.mocked += pico
	}
}

// shortKey returns the bytes of a key that arena wrote, and a hash of any other text.
func shortKey(text string) (key [16]byte) {
	if len(text) == hex.EncodedLen(len(key)) {
		if _, err := hex.Decode(key[:], []byte(text)); err == nil {
			return key
		}
	}
	sum := sha256.Sum256([]byte(text))
	copy(key[:], sum[:])
	return key
}

// Total returns the sum; nil when nothing was counted. The cost is nil when a price is not known.
func (s *JudgeSum) Total() *SideCost {
	if s.sum.Calls == 0 {
		return nil
	}
	sum := s.sum
	sum.SimulatedUSD = float64(s.mocked) / picoPerUSD
	if !s.unpriced {
		usd := float64(s.pico) / picoPerUSD
		sum.CostUSD = &usd
	}
	return &sum
}
