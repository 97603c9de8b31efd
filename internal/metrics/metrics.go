// Package metrics exports a run to Prometheus: what it did, what it took, and what its evals measured. It is fed from
// the events of the run. Nothing of it exists, and nothing of it costs time, until New is called.
package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	names "github.com/prometheus/common/model"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// Options of the metrics of a run.
type Options struct {
	Namespace string            // first part of every name
	Const     map[string]string // labels of every metric
	// By are the dimensions of the metrics of evals: names of Dimensions, or of labels that scenarios have.
	By []string
	// Evals are the metrics that evals declare. One that an event brings along and that is not among them is an error.
	Evals []*result.Metric
	// Taken are labels that whoever collects the metrics sets: a Gateway does. No metric can have them.
	Taken []string
}

// DefaultNamespace is the first part of every name, where no other one is asked for.
const DefaultNamespace = "arena"

// Metrics are the metrics of one run. Start, Handle and Finish belong to one goroutine; what they have said so far can
// be read by others meanwhile.
type Metrics struct {
	source   prometheus.Gatherer
	counters map[*Family]*prometheus.CounterVec
	gauges   map[*Family]*prometheus.GaugeVec
	spreads  map[*Family]*prometheus.HistogramVec
	evals    evalMetrics
	judged   map[string]struct{} // keys of judgements
	tools    map[string]struct{} // names that were called
}

// New registers every metric. An error names the metric or the label that cannot be exported, and where it is declared.
func New(o Options) (*Metrics, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	m := &Metrics{
		source: steady{registry}, judged: map[string]struct{}{}, tools: map[string]struct{}{},
		counters: map[*Family]*prometheus.CounterVec{}, gauges: map[*Family]*prometheus.GaugeVec{},
		spreads: map[*Family]*prometheus.HistogramVec{},
	}
	with := prometheus.WrapRegistererWith(o.Const, registry)
	for _, f := range catalogue {
		if err := with.Register(m.collector(o.Namespace, f)); err != nil {
			return nil, fmt.Errorf("metric %s_%s: %w", o.Namespace, f.Name, err)
		}
	}
	m.evals = newEvalMetrics(&o, with)
	for _, declared := range o.Evals {
		if err := m.evals.register(declared); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Metrics) collector(namespace string, f *Family) prometheus.Collector {
	switch f.Type {
	case gauge:
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: f.Name, Help: f.Help}, f.Labels)
		m.gauges[f] = v
		return v
	case histogram:
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: f.Name, Help: f.Help, Buckets: f.Buckets,
		}, f.Labels)
		m.spreads[f] = v
		return v
	}
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: f.Name, Help: f.Help}, f.Labels)
	m.counters[f] = v
	return v
}

// check refuses names that Prometheus would refuse, or overwrite.
func (o *Options) check() error {
	if !validName(o.Namespace) {
		return fmt.Errorf("namespace %q is no name for metrics: letters, digits, _ and :, no digit first", o.Namespace)
	}
	own := ownLabels()
	fixed := slices.Sorted(maps.Keys(o.Const))
	for i, name := range slices.Concat(fixed, o.By) {
		switch err := checkLabel(name); {
		case err != nil:
			return err
		case i < len(fixed) && slices.Contains(own, name):
			return fmt.Errorf("label %q is one that arena sets itself", name)
		case slices.Contains(o.Taken, name):
			return fmt.Errorf("label %q is one that the Pushgateway sets", name)
		case slices.Contains(slices.Concat(fixed, o.By)[:i], name):
			return fmt.Errorf("label %q is asked for twice", name)
		}
	}
	for _, name := range own {
		if slices.Contains(o.Taken, name) {
			return fmt.Errorf("label %q of the Pushgateway's group is one that arena sets itself", name)
		}
	}
	return nil
}

// checkLabel refuses a name that no label can have, or that Prometheus gives to what it scrapes.
func checkLabel(name string) error {
	switch {
	case !validLabel(name):
		return fmt.Errorf("label %q is no name for a label: letters, digits and _, no digit and not __ first", name)
	case name == "job" || name == "instance" || name == "le":
		return fmt.Errorf("label %q belongs to Prometheus", name)
	}
	return nil
}

// validName and validLabel hold names against the rules of Prometheus before version 3, which every reader knows.
func validName(name string) bool { return names.LegacyValidation.IsValidMetricName(name) }

func validLabel(name string) bool {
	return names.LegacyValidation.IsValidLabelName(name) && !strings.HasPrefix(name, names.ReservedLabelPrefix)
}

// Start tells of a run that begins.
func (m *Metrics) Start(run *result.Run) {
	m.set(&runInfo, 1, run.Arena, run.Name)
	m.set(&runStart, seconds(run.Started))
	m.set(&trialsPlanned, float64(run.Planned))
	m.set(&trialsRunning, 0)
}

// Finish tells of a run that has ended.
func (m *Metrics) Finish(run *result.Run) {
	m.set(&runEnd, seconds(run.Started.Add(time.Duration(run.DurationMS*float64(time.Millisecond)))))
	for _, s := range result.Statuses() {
		value := 0.0
		if s == run.Status {
			value = 1
		}
		m.set(&runStatus, value, s.String())
	}
}

// Handle takes an event of the run.
func (m *Metrics) Handle(e result.Event) error {
	switch e := e.(type) {
	case result.TrialStarted:
		m.gauges[&trialsRunning].WithLabelValues().Inc()
	case result.TrialDone:
		return m.trial(e.Trial)
	}
	return nil
}

func (m *Metrics) set(f *Family, value float64, labels ...string) {
	m.gauges[f].WithLabelValues(valid(labels)...).Set(value)
}

// add moves a counter. A number that a provider made up cannot turn it back.
func (m *Metrics) add(f *Family, n float64, labels ...string) {
	if !(n > 0) { // nor can what is no number
		n = 0
	}
	m.counters[f].WithLabelValues(valid(labels)...).Add(n)
}

func (m *Metrics) observe(f *Family, value float64, labels ...string) {
	m.spreads[f].WithLabelValues(valid(labels)...).Observe(value)
}

// valid makes label values that Prometheus takes out of any bytes.
func valid(labels []string) []string {
	for i, l := range labels {
		labels[i] = strings.ToValidUTF8(l, "\uFFFD")
	}
	return labels
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// at is a position for the end of an error, or nothing.
func at(pos diag.Pos) string {
	if pos == (diag.Pos{}) {
		return ""
	}
	return " (" + pos.String() + ")"
}
