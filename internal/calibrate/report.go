package calibrate

import (
	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Report is what a calibration found out. Its JSON is what scripts read.
type Report struct {
	Arena    string   `json:"arena"` // version
	Labels   string   `json:"labels"`
	Check    string   `json:"check"`
	Position diag.Pos `json:"position"` // of the check; empty when only criteria were given
	Judge    string   `json:"judge,omitempty"`
	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model,omitempty"`
	MinScore *float64 `json:"min_score,omitempty"` // without it and max_score only a score of 1 passes
	MaxScore *float64 `json:"max_score,omitempty"`

	Total     int `json:"total"`  // labels in the file
	N         int `json:"n"`      // judgements that are compared
	Errors    int `json:"errors"` // judgements that came to no decision; they agree with nobody
	Cancelled int `json:"cancelled,omitempty"`

	Table     agreement.Table `json:"table"`
	Agreement *float64        `json:"agreement"` // null: nothing could be compared
	Kappa     *float64        `json:"kappa"`     // null: undefined, see KappaNote
	KappaNote string          `json:"kappa_note,omitempty"`
	TPR       *float64        `json:"tpr"` // null: people pass nothing
	TNR       *float64        `json:"tnr"` // null: people fail nothing
	Best      *Best           `json:"best,omitempty"`
	MinKappa  *float64        `json:"min_kappa,omitempty"`

	Judges *result.JudgeCost `json:"judges,omitempty"`
	Items  []Item            `json:"items"` // in the order of the file, without those that were stopped
}

// Best is the threshold at which the same scores agree best.
type Best struct {
	MinScore float64 `json:"min_score"`
	Kappa    float64 `json:"kappa"`
}

// Item is one label and its judgement.
type Item struct {
	Position diag.Pos       `json:"position"`
	ID       string         `json:"id,omitempty"`
	Status   Status         `json:"status"`
	Human    string         `json:"human"`           // pass or fail
	Judge    string         `json:"judge,omitempty"` // the same; absent after an error
	Label    *float64       `json:"label_score,omitempty"`
	Input    string         `json:"input,omitempty"`
	Text     string         `json:"text"`
	Critique string         `json:"critique,omitempty"`
	Verdict  result.Verdict `json:"verdict"`
}

// NewReport sums up. labels names the file.
func NewReport(labels string, check *checks.Compiled, outcomes []Outcome) *Report {
	r := &Report{
		Labels: labels, Check: check.Type, Position: check.Pos, MinScore: check.MinScore, MaxScore: check.MaxScore,
		Total: len(outcomes), Items: []Item{},
	}
	var scores []agreement.Score
	all := &result.Trial{}
	for i := range outcomes {
		o := &outcomes[i]
		all.Conversation = append(all.Conversation, o.Verdict)
		switch o.Status {
		case Stopped:
			r.Cancelled++
			continue
		case Broken:
			r.Errors++
		default:
			r.Table.Add(o.Pass, o.Judged())
			scores = append(scores, agreement.Score{Human: o.Pass, Judge: *o.Verdict.Score})
		}
		r.Items = append(r.Items, itemOf(o))
	}
	r.Judges = result.JudgesOf(all)
	r.measure(scores)
	r.setJudge(outcomes)
	return r
}

func itemOf(o *Outcome) Item {
	out := Item{
		Position: o.Pos, ID: o.ID, Status: o.Status, Human: Word(o.Pass), Label: o.Score, Input: o.Input, Text: o.Text,
		Critique: o.Critique, Verdict: o.Verdict,
	}
	if o.Status != Broken {
		out.Judge = Word(o.Judged())
	}
	return out
}

func (r *Report) measure(scores []agreement.Score) {
	t := r.Table
	r.N, r.Agreement, r.Kappa, r.TPR, r.TNR = t.N(), t.Agreement(), t.Kappa(), t.TPR(), t.TNR()
	switch {
	case r.Kappa != nil:
	case r.N == 0:
		r.KappaNote = "undefined: nothing could be compared"
	case t.Passes() == 0:
		r.KappaNote = "undefined: every label is fail; it takes some that pass"
	default:
		r.KappaNote = "undefined: every label is pass; it takes some that fail"
	}
	if at, kappa := agreement.Best(scores); kappa != nil && r.MaxScore == nil && *kappa > *r.Kappa {
		r.Best = &Best{at, *kappa}
	}
}

// setJudge is the judge of the first judgement; they all have the same.
func (r *Report) setJudge(outcomes []Outcome) {
	for i := range outcomes {
		for k := range outcomes[i].Verdict.Judgements {
			j := &outcomes[i].Verdict.Judgements[k]
			r.Judge, r.Provider, r.Model = j.Judge, j.Provider, j.Model
			return
		}
	}
}

// Reached reports whether the gate of a least kappa lets the judge through. Without a kappa none does.
func (r *Report) Reached() bool {
	return r.MinKappa == nil || r.Kappa != nil && *r.Kappa >= *r.MinKappa-tolerance
}

// tolerance is by how much a kappa may miss its limit through rounding.
const tolerance = 1e-9
