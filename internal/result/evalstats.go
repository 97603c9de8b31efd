package result

import (
	"cmp"
	"math"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/sortby"
)

// EvalStats is one eval over all trials of a run.
type EvalStats struct {
	ID       string   `json:"eval_id"`
	Type     string   `json:"type"`
	Results  int      `json:"results"`
	Scored   int      `json:"scored"`
	Mean     *float64 `json:"mean_score"` // of the results with a score; null when there are none
	Low      *float64 `json:"lowest_score"`
	High     *float64 `json:"highest_score"`
	Skipped  int      `json:"skipped"`
	Errors   int      `json:"errors"`
	Error    string   `json:"error,omitempty"` // the first one, in plan order
	Gates    bool     `json:"gates"`           // it has a threshold
	Failed   int      `json:"failed"`          // missed it
	Position diag.Pos `json:"position"`
}

// evalSum adds up the results of evals. The sum does not depend on the order: scores are counted in billionths.
type evalSum struct{ all map[evalKey]*evalCount }

// evalKey distinguishes evals of different prompts with the same id.
type evalKey struct {
	id string
	at diag.Pos
}

type evalCount struct {
	EvalStats
	sum     int64
	errorAt int // index of the trial that has Error
}

const nano = 1e9

func (s *evalSum) add(t *Trial) {
	if s.all == nil && len(t.Evals) > 0 {
		s.all = map[evalKey]*evalCount{}
	}
	for i := range t.Evals {
		e := &t.Evals[i]
		key := evalKey{e.ID, e.Position}
		if s.all[key] == nil {
			s.all[key] = &evalCount{EvalStats: EvalStats{ID: e.ID, Type: e.Type, Gates: e.Gates(), Position: e.Position}}
		}
		s.all[key].add(e, t.Index)
	}
}

func (c *evalCount) add(e *EvalResult, trial int) {
	c.Results++
	if e.Status == Failed {
		c.Failed++
	}
	switch {
	case e.Error != "":
		c.Errors++
		if c.Error == "" || trial < c.errorAt {
			c.Error, c.errorAt = e.Error, trial
		}
	case e.Score == nil:
		c.Skipped++
	default:
		c.Scored++
		c.sum += int64(math.Round(*e.Score * nano))
		if c.Low == nil || *e.Score < *c.Low {
			c.Low = e.Score
		}
		if c.High == nil || *e.Score > *c.High {
			c.High = e.Score
		}
	}
}

// stats returns the statistics sorted by id and then by position.
func (s *evalSum) stats() []EvalStats {
	var list []EvalStats
	for _, c := range s.all {
		if c.Scored > 0 {
			c.Mean = new(math.Round(float64(c.sum)/float64(c.Scored)) / nano)
		}
		list = append(list, c.EvalStats)
	}
	sortby.Func(list, func(a, b EvalStats) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Col, b.Position.Col))
	})
	return list
}
