package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/exposition"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// evalMetrics are the metrics that evals declare.
type evalMetrics struct {
	prefix   string // of every metric name
	by       []string
	fixed    []string // labels that every metric gets
	with     *exposition.Registry
	families map[string]*evalFamily     // by full metric name
	latest   map[*exposition.Series]int // gauges: plan index of the trial that set the value
}

// evalFamily is the metrics with one name.
type evalFamily struct {
	first  *result.Metric // the first declaration
	labels []string       // own labels, which come after the dimensions
	vec    *exposition.Vec
}

func newEvalMetrics(o *Options, with *exposition.Registry) evalMetrics {
	return evalMetrics{
		prefix: o.Namespace + "_eval_", by: o.By, with: with,
		families: map[string]*evalFamily{}, latest: map[*exposition.Series]int{},
		fixed: slices.Concat(slices.Collect(maps.Keys(o.Const)), o.By, o.GatewayLabels),
	}
}

// name returns the full name of a metric. A name that has the prefix already stays as it is.
func (m *evalMetrics) name(declared *result.Metric) string {
	return m.prefix + strings.TrimPrefix(declared.Name, m.prefix)
}

// register makes the family of a metric, or finds it.
func (m *evalMetrics) register(declared *result.Metric) error {
	name := m.name(declared)
	if f := m.families[name]; f != nil {
		return f.mismatch(name, declared)
	}
	if err := m.histogramClash(name, declared); err != nil {
		return err
	}
	f := &evalFamily{first: declared, labels: declared.LabelNames()}
	if !exposition.ValidName(name) {
		return fmt.Errorf("metric %s%s: %q is no name for a metric", name, at(declared.Pos), declared.Name)
	}
	for _, label := range f.labels {
		switch {
		case !validLabel(label):
			return fmt.Errorf("metric %s%s: %q is no name for a label", name, at(declared.Pos), label)
		case slices.Contains(m.fixed, label):
			return fmt.Errorf("metric %s%s: its label %q is also one of the labels of every metric", name, at(declared.Pos),
				label)
		}
	}
	var err error
	if f.vec, err = m.with.Register(f.family(name, slices.Concat(m.by, f.labels))); err != nil {
		return fmt.Errorf("metric %s%s: %w", name, at(declared.Pos), err)
	}
	m.families[name] = f
	return nil
}

// histogramClash returns an error when a metric has the name of a part of a histogram, or is a histogram with a part
// that has another metric's name.
func (m *evalMetrics) histogramClash(name string, declared *result.Metric) error {
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		var other *evalFamily
		if whole, is := strings.CutSuffix(name, part); is {
			other = m.families[whole]
		}
		if other != nil && other.first.Type != result.Histogram {
			other = nil
		}
		if other == nil && declared.Type == result.Histogram {
			other = m.families[name+part]
		}
		if other != nil {
			return fmt.Errorf("metric %s%s: a histogram has parts called _bucket, _sum and _count; one of them and another "+
				"metric%s have the same name", name, at(declared.Pos), at(other.first.Pos))
		}
	}
	return nil
}

// mismatch returns an error when a metric differs in type, labels or buckets from the first one of its name.
func (f *evalFamily) mismatch(name string, declared *result.Metric) error {
	if f.first.Type == declared.Type && slices.Equal(f.labels, declared.LabelNames()) &&
		slices.Equal(f.first.Bounds(), declared.Bounds()) {
		return nil
	}
	return fmt.Errorf("metric %s%s: it is declared%s with another type, other labels or other buckets", name,
		at(declared.Pos), strings.Replace(at(f.first.Pos), "(", "(at ", 1))
}

func (f *evalFamily) family(name string, labels []string) exposition.Family {
	d := exposition.Family{
		Name: name, Type: gauge, Labels: labels, Help: show.Clean(f.first.Help), Buckets: f.first.Bounds(),
	}
	switch f.first.Type {
	case result.Counter:
		d.Type, d.Help = counter, cmp.Or(d.Help, "How often the eval gave a score.")
	case result.Histogram:
		d.Type, d.Help = histogram, cmp.Or(d.Help, "The scores of the eval.")
	case result.Boolean:
		d.Help = cmp.Or(d.Help, "1 when the eval gave its full score, else 0.")
	case result.Gauge:
		d.Help = cmp.Or(d.Help, "The latest score of the eval.")
	}
	return d
}

func outcomeOf(e *result.EvalResult) string {
	switch {
	case e.Error != "":
		return "failed"
	case e.Skipped:
		return "skipped"
	}
	return "scored"
}

// fullScore is the least score that counts as 1. It leaves room for rounding.
const fullScore = 1 - 1e-9

// record records the result of an eval, as 0 where it has no score. A result that is skipped or an error changes
// nothing.
func (m *evalMetrics) record(t *result.Trial, e *result.EvalResult) error {
	if e.Error != "" || e.Skipped {
		return nil
	}
	declared := e.Metric
	if declared == nil {
		declared = result.DefaultMetric(e.ID, e.Position)
	}
	name := m.name(declared)
	f := m.families[name]
	if f == nil {
		return fmt.Errorf("metric %s%s: no eval of the plan declares it", name, at(declared.Pos))
	}
	series := f.vec.With(shown(m.labels(t, f, declared))...)
	value, full := 0.0, 0.0
	if e.Score != nil {
		value = *e.Score
	}
	if value >= fullScore {
		full = 1
	}
	if e.MetricValue != nil {
		value = *e.MetricValue
	}
	switch declared.Type {
	case result.Counter:
		series.Add(1)
	case result.Histogram:
		series.Observe(value)
	case result.Boolean:
		m.set(series, full, t.Index)
	case result.Gauge:
		m.set(series, value, t.Index)
	}
	return nil
}

// set sets a gauge, unless a trial that is later in the plan has set it: trials end in no fixed order.
func (m *evalMetrics) set(series *exposition.Series, value float64, trial int) {
	if before, moved := m.latest[series]; moved && before > trial {
		return
	}
	m.latest[series] = trial
	series.Set(value)
}

// labels are the values of the dimensions and of the metric's own labels.
func (m *evalMetrics) labels(t *result.Trial, f *evalFamily, declared *result.Metric) []string {
	values := make([]string, 0, len(m.by)+len(f.labels))
	for _, name := range m.by {
		values = append(values, dimension(t, name))
	}
	for _, name := range f.labels {
		values = append(values, declared.Labels[name])
	}
	return values
}

// dimension returns the value of a dimension for a trial; "" for a label that its scenario does not have.
func dimension(t *result.Trial, name string) string {
	switch name {
	case "scenario":
		return t.Scenario
	case provider:
		return t.Provider
	case model:
		return t.Model
	case "region":
		return t.Region
	case "trial":
		return strconv.Itoa(t.Trial)
	}
	return t.Labels[name]
}
