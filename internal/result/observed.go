package result

import (
	"encoding/json"
	"hash/maphash"
)

// Observed is what a group stores of a trial until it is counted.
type Observed struct {
	index, number int
	status        Status
	broke         bool // it has an error of its own
	missing       bool // it has no final verdict
	rejected      bool
	overBudget    bool
	variant       map[string]string
	input         string // equal for trials of a group with the same input
	words         uint64 // hash; equal for conversations with the same words
	evals         bool   // evals with thresholds judged it
	checks        []observedCheck
}

// observedCheck is the verdict of one assertion, or of one eval with a threshold.
type observedCheck struct {
	at        countedCheck
	name      string
	threshold float64
	status    Status
}

// Observe extracts what the group needs of a settled trial.
func Observe(t *Trial) *Observed {
	o := &Observed{
		index: t.Index, number: t.Trial, status: t.Status, broke: t.Error != "", missing: t.CutShort(),
		rejected: t.Rejected, overBudget: t.OverBudget, variant: t.Variant, words: wordsOf(t),
	}
	variant := variantKey(t.Variant)
	o.input = variant + "\x00" + t.RowID()
	t.decided(func(script, i int, v *Verdict) {
		threshold := 1.0
		if v.PassThreshold != nil {
			threshold = *v.PassThreshold
		}
		o.checks = append(o.checks, observedCheck{
			countedCheck{turn: script, index: i, variant: variant}, v.Name(), threshold, v.Status,
		})
	})
	t.evalPlaces(variant, (*EvalResult).Gates, func(at countedCheck, e *EvalResult) {
		o.evals = true
		o.checks = append(o.checks, observedCheck{at, e.Type, 1, e.Status})
	})
	return o
}

// wordsSeed is the seed of hashes in this process.
var wordsSeed = maphash.MakeSeed()

// wordsOf is a hash of all messages and calls.
func wordsOf(t *Trial) uint64 {
	var h maphash.Hash
	h.SetSeed(wordsSeed)
	say := func(text string) {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0)
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		say(turn.User)
		say(turn.Assistant)
		for k := range turn.Messages {
			say(string(turn.Messages[k].Role))
			say(turn.Messages[k].Content)
			if parts := turn.Messages[k].Parts; len(parts) > 0 {
				told, _ := json.Marshal(parts) // invalid values are left out
				_, _ = h.Write(told)
			}
		}
		for k := range turn.ToolCalls {
			c := &turn.ToolCalls[k]
			say(c.Name)
			if len(c.Args) > 0 {
				args, _ := json.Marshal(c.Args) // invalid values are left out
				_, _ = h.Write(args)
			}
			say(c.Result)
		}
	}
	return h.Sum64()
}
