package result

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// EvalResult is what an eval measured at one moment of a conversation. An eval measures; it decides nothing unless it
// has a threshold.
type EvalResult struct {
	ID      string `json:"eval_id"`
	Type    string `json:"type"` // of the check, as its author wrote it
	Trigger string `json:"trigger"`
	Turn    int    `json:"turn"`           // index of the turn after which it ran; -1: at the end
	Step    string `json:"step,omitempty"` // step of a composition whose output was judged

	// Status follows from the threshold. An eval without a threshold has none.
	Status      Status           `json:"status,omitzero"`
	Score       *float64         `json:"score"`                  // 0..1; null when it was skipped or could not judge
	MetricValue *float64         `json:"metric_value,omitempty"` // the measured value, when it differs from the score
	Skipped     bool             `json:"skipped,omitempty"`
	SkipReason  string           `json:"skip_reason,omitempty"`
	Error       string           `json:"error,omitempty"` // why it could not judge
	Message     string           `json:"message,omitempty"`
	Explanation string           `json:"explanation,omitempty"`
	Details     jsonvalue.Object `json:"details,omitempty"`
	MinScore    *float64         `json:"min_score,omitempty"`
	MaxScore    *float64         `json:"max_score,omitempty"`
	Position    diag.Pos         `json:"position"`
	DurationMS  float64          `json:"duration_ms"`
	Judgements  []Judgement      `json:"judgements,omitempty"`

	Metric *Metric `json:"-"` // how it is exported; nil: as a gauge with the name of the eval
}

// Gates reports whether the result can make the trial fail. A check with its own rule gives a status without
// thresholds.
func (e *EvalResult) Gates() bool { return e.MinScore != nil || e.MaxScore != nil || e.Status != Unset }

// Unjudged reports whether an eval without a threshold could not judge. It does not change the status of the trial.
func (e *EvalResult) Unjudged() bool { return e.Error != "" && !e.Gates() }

// Metric says how the results of an eval are exported to Prometheus.
type Metric struct {
	Name    string // as its author wrote it
	Type    MetricType
	Help    string // "": none
	Labels  map[string]string
	Low     *float64  // lower end of the expected values; nil: open
	High    *float64  // upper end
	Buckets []float64 // upper bounds of a histogram; nil: derived from the range
	Pos     diag.Pos
}

// MetricType is the kind of a metric, as files spell it.
type MetricType string

// The kinds of metrics.
const (
	Gauge     MetricType = "gauge"     // the latest score
	Counter   MetricType = "counter"   // how often the eval ran
	Histogram MetricType = "histogram" // how the scores are spread
	Boolean   MetricType = "boolean"   // 1 for a full score, else 0
)

// DefaultMetric is the metric of an eval that declares none. Its name is the id, with an underscore for every character
// that a metric's name cannot have.
func DefaultMetric(id string, pos diag.Pos) *Metric {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == ':' {
			return r
		}
		return '_'
	}, id)
	return &Metric{Name: name, Type: Gauge, Pos: pos}
}

// LabelNames returns the names of the labels, sorted.
func (m *Metric) LabelNames() []string { return slices.Sorted(maps.Keys(m.Labels)) }

// Bounds returns the upper bounds of a histogram's buckets: ten equal steps over the range when none are declared. It
// is nil for other metrics.
func (m *Metric) Bounds() []float64 {
	if m.Type != Histogram {
		return nil
	}
	if m.Buckets != nil {
		return m.Buckets
	}
	low, high := 0.0, 1.0
	if m.Low != nil && m.High != nil {
		low, high = *m.Low, *m.High
	}
	if low == high {
		return []float64{high}
	}
	const steps = 10
	bounds := make([]float64, steps)
	for i := range bounds {
		bounds[i] = low + (high-low)*float64(i+1)/steps
	}
	return bounds
}

// EvalCount counts results of evals by status.
type EvalCount struct {
	Total   int `json:"total"`
	Scored  int `json:"scored"`
	Errors  int `json:"errors"`
	Skipped int `json:"skipped"`
	// Failed counts those of Total that missed their threshold, Broken those with a threshold that could not judge.
	Failed int `json:"failed"`
	Broken int `json:"gate_errors"`
}

// EvalsOf counts the results of evals in a trial; nil when there are none.
func EvalsOf(t *Trial) *EvalCount {
	if len(t.Evals) == 0 {
		return nil
	}
	n := &EvalCount{Total: len(t.Evals)}
	for i := range t.Evals {
		e := &t.Evals[i]
		switch {
		case e.Error != "":
			n.Errors++
		case e.Score == nil:
			n.Skipped++
		default:
			n.Scored++
		}
		switch e.Status {
		case Failed:
			n.Failed++
		case Errored:
			n.Broken++
		case Unset, Passed, Skipped, Cancelled, Undecided:
		}
	}
	return n
}

// plus returns the sum of two counts, either of which may be nil. It may change and return n.
func (n *EvalCount) plus(m *EvalCount) *EvalCount {
	switch {
	case m == nil:
		return n
	case n == nil:
		n = &EvalCount{}
	}
	n.Total += m.Total
	n.Scored += m.Scored
	n.Errors += m.Errors
	n.Skipped += m.Skipped
	n.Failed += m.Failed
	n.Broken += m.Broken
	return n
}
