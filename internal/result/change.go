package result

import (
	"cmp"
	"path"
)

// Change is a check whose verdict differs between two judgements of one conversation.
type Change struct {
	Trial   string   `json:"trial"` // id
	Turn    int      `json:"turn"`  // -1: the conversation
	Type    string   `json:"type"`  // of the check, or the id of an eval
	Eval    bool     `json:"eval,omitempty"`
	Message string   `json:"message,omitempty"` // the author's label
	Was     *Opinion `json:"was"`               // null: the check is new
	Now     *Opinion `json:"now"`               // null: the check is gone
}

// Opinion is a verdict in short.
type Opinion struct {
	Status Status   `json:"status"`
	Score  *float64 `json:"score"`
	Reason string   `json:"reason,omitempty"`
}

// checkKey identifies a check in both judgements: by its turn, its name, its label, the name of its file, and its
// number among the checks that have all of these in common. Lines and folders do not count, because they may change.
type checkKey struct {
	turn                int
	name, message, file string
	eval                bool
	nth                 int
}

// Changes compares the verdicts on one conversation, in the order of now; verdicts that are gone come last. Evals count
// if they have a threshold.
func Changes(was, now *Trial) []Change {
	before, old := opinions(was)
	after, keys := opinions(now)
	var out []Change
	add := func(k checkKey) {
		out = append(out, Change{
			Trial: now.ID, Turn: k.turn, Type: k.name, Eval: k.eval, Message: k.message, Was: before[k], Now: after[k],
		})
	}
	for _, k := range keys {
		if b := before[k]; b == nil || b.Status != after[k].Status {
			add(k)
		}
	}
	for _, k := range old {
		if after[k] == nil {
			add(k)
		}
	}
	return out
}

func opinions(t *Trial) (byKey map[checkKey]*Opinion, order []checkKey) {
	byKey = map[checkKey]*Opinion{}
	put := func(k checkKey, o *Opinion) {
		for byKey[k] != nil {
			k.nth++
		}
		byKey[k] = o
		order = append(order, k)
	}
	t.Checks(func(turn, _ int, v *Verdict) {
		put(checkKey{turn: turn, name: v.Name(), message: v.Message, file: path.Base(v.Position.File)}, &Opinion{
			Status: v.Status, Score: v.Score, Reason: cmp.Or(v.Error, v.SkipReason, v.Explanation),
		})
	})
	for i := range t.Evals {
		e := &t.Evals[i]
		if e.Gates() {
			put(checkKey{turn: e.Turn, name: e.ID, message: e.Step, eval: true}, &Opinion{
				Status: e.Status, Score: e.Score, Reason: cmp.Or(e.Error, e.SkipReason, e.Explanation),
			})
		}
	}
	return byKey, order
}
