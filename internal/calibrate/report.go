package calibrate

import (
	"slices"

	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Report is the result of a calibration. Scripts read its JSON.
type Report struct {
	Arena    string   `json:"arena"` // version
	Labels   string   `json:"labels"`
	Check    string   `json:"check"`
	Position diag.Pos `json:"position"` // of the check; empty when only criteria were given
	Judge    string   `json:"judge,omitempty"`
	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model,omitempty"`
	MinScore *float64 `json:"min_score,omitempty"` // without min_score and max_score only a score of 1 passes
	MaxScore *float64 `json:"max_score,omitempty"`

	Total     int `json:"total"`  // number of labels in the file
	N         int `json:"n"`      // number of judgements that are compared
	Errors    int `json:"errors"` // number of judgements without a decision; they agree with no label
	Cancelled int `json:"cancelled,omitempty"`

	Table     agreement.Table `json:"table"`
	Agreement *float64        `json:"agreement"` // null: nothing to compare
	Kappa     *float64        `json:"kappa"`     // null: undefined, see KappaNote
	// AgreementInterval and KappaInterval hold the true values with a confidence of 95%; absent where there is no value.
	AgreementInterval *agreement.Interval `json:"agreement_interval,omitempty"`
	KappaInterval     *agreement.Interval `json:"kappa_interval,omitempty"`

	KappaNote string   `json:"kappa_note,omitempty"`
	TPR       *float64 `json:"tpr"` // null: no label is pass
	TNR       *float64 `json:"tnr"` // null: no label is fail
	Best      *Best    `json:"best,omitempty"`
	MinKappa  *float64 `json:"min_kappa,omitempty"`

	Judges *result.SideCost `json:"judges,omitempty"`
	// Warnings say why replies of the judge may be incomplete, Notices that another model answered.
	Warnings []string `json:"warnings,omitempty"`
	Notices  []string `json:"notices,omitempty"`

	Items []Item `json:"items"` // in the order of the file, without those that were not judged
}

// Best is the threshold at which the same scores agree best with the labels.
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
	Judge    string         `json:"judge,omitempty"` // pass or fail; absent after an error
	Label    *float64       `json:"label_score,omitempty"`
	Input    string         `json:"input,omitempty"`
	Text     string         `json:"text"`
	Critique string         `json:"critique,omitempty"`
	Verdict  result.Verdict `json:"verdict"`
}

// NewReport computes the report. labels names the file.
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
	all.JudgeRemarks(once(&r.Warnings, "a "), once(&r.Notices, ""))
	r.measure(scores)
	r.setJudge(outcomes)
	return r
}

// once adds each text to a list the first time.
func once(list *[]string, before string) func(text string) {
	return func(text string) {
		if text = before + text; !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
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
	r.AgreementInterval, r.KappaInterval = t.AgreementInterval(), t.KappaInterval()
	switch {
	case r.Kappa != nil:
	case r.N == 0:
		r.KappaNote = "undefined: nothing could be compared"
	case t.Passes() == 0:
		r.KappaNote = "undefined: every label is fail; some must be pass"
	default:
		r.KappaNote = "undefined: every label is pass; some must be fail"
	}
	if at, kappa := agreement.Best(scores); kappa != nil && r.MaxScore == nil && *kappa > *r.Kappa {
		r.Best = &Best{at, *kappa}
	}
}

// setJudge sets the judge of the first judgement; all judgements have the same judge.
func (r *Report) setJudge(outcomes []Outcome) {
	for i := range outcomes {
		for k := range outcomes[i].Verdict.Judgements {
			j := &outcomes[i].Verdict.Judgements[k]
			r.Judge, r.Provider, r.Model = j.Judge, j.Provider, j.Model
			return
		}
	}
}

// Reached reports whether kappa reaches its required minimum. Without a kappa it does not.
func (r *Report) Reached() bool {
	return r.MinKappa == nil || r.Kappa != nil && *r.Kappa >= *r.MinKappa-tolerance
}

// tolerance is the rounding error that a kappa may have at its limit.
const tolerance = 1e-9
