package result

import (
	"crypto/sha256"
	"encoding/hex"
	"math"

	"github.com/arena-evals/arena/internal/chat"
)

// JudgesOf is what the judgements of a trial took, each of those that are identical once; nil when none were made.
func JudgesOf(t *Trial) *JudgeCost {
	var s judgeSum
	s.add(t)
	return s.total()
}

// judgeSum adds up judgements, every key once. Per key it keeps 16 bytes. What it comes to depends on no order:
// money is counted in whole millionths of a millionth of a dollar.
type judgeSum struct {
	seen     map[[16]byte]struct{}
	sum      JudgeCost
	pico     int64
	unpriced bool
}

const picoPerUSD = 1e12

func (s *judgeSum) add(t *Trial) { t.Judged(s.one) }

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

// Took reports whether the judgement took anything, be it not known how much. A call that failed took nothing for the
// most part, and may have worked for another check.
func (j *Judgement) Took() bool { return j.Usage != chat.Usage{} || j.CostUSD != nil }

// one counts a judgement.
func (s *judgeSum) one(j *Judgement) {
	if !j.Took() {
		return
	}
	if j.Key != "" {
		key := shortKey(j.Key)
		if _, known := s.seen[key]; known {
			return
		}
		if s.seen == nil {
			s.seen = map[[16]byte]struct{}{}
		}
		s.seen[key] = struct{}{}
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
	s.pico += int64(math.Round(*j.CostUSD * picoPerUSD))
}

// shortKey is the bytes of a key as arena writes it, and of any other text a hash.
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

// total is nil when nothing was counted; its cost is nil when a price is not known.
func (s *judgeSum) total() *JudgeCost {
	if s.sum.Calls == 0 {
		return nil
	}
	sum := s.sum
	if !s.unpriced {
		usd := float64(s.pico) / picoPerUSD
		sum.CostUSD = &usd
	}
	return &sum
}
