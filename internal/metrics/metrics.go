// Package metrics exports a run to Prometheus: its trials, their cost, and the scores of its evals. It reads the events
// of the run. It costs nothing until New is called.
package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/exposition"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Options of the metrics of a run.
type Options struct {
	Namespace string            // first part of every name
	Const     map[string]string // labels of every metric
	// By are the dimensions of the metrics of evals: names of Dimensions, or of labels that scenarios have.
	By []string
	// Evals are the metrics that evals declare. An event with a metric that is not among them is an error.
	Evals []*result.Metric
	// GatewayLabels are labels that the collector of the metrics sets, such as a Gateway. No metric can have them.
	GatewayLabels []string
	// Scrub removes secrets from the metrics; nil: the metrics are written as they are.
	Scrub func(text []byte) []byte
}

// DefaultNamespace is the first part of every name, where no other one is asked for.
const DefaultNamespace = "arena"

// DefaultBy is what metrics of evals of a run are told apart by, where nothing else is asked for.
func DefaultBy() []string { return []string{"scenario", "provider"} }

// Metrics are the metrics of one run. Start, Handle and Finish belong to one goroutine. Other goroutines may read the
// metrics meanwhile.
type Metrics struct {
	scrub    func([]byte) []byte
	mu       sync.Mutex // held while an event is handled, so that readers see all of its effects or none
	registry *exposition.Registry
	families map[*Family]*exposition.Vec
	evals    evalMetrics
	judged   map[string]struct{} // keys of the judgements that were counted
	tools    map[string]struct{} // names of tools that were called
}

// New registers every metric. An error names the metric or the label that cannot be exported, and where it is declared.
func New(o Options) (*Metrics, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &Metrics{scrub: o.Scrub,
		registry: exposition.NewRegistry(fixedLabels(o.Const)), families: map[*Family]*exposition.Vec{},
		judged: map[string]struct{}{}, tools: map[string]struct{}{},
	}
	for _, f := range catalogue {
		full := *f
		full.Name = o.Namespace + "_" + f.Name
		var err error
		if m.families[f], err = m.registry.Register(full); err != nil {
			return nil, fmt.Errorf("metric %s: %w", full.Name, err)
		}
	}
	m.evals = newEvalMetrics(&o, m.registry)
	for _, declared := range o.Evals {
		if err := m.evals.register(declared); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// check refuses names that Prometheus would refuse or overwrite.
func (o *Options) check() error {
	if !exposition.ValidName(o.Namespace) {
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
		case slices.Contains(o.GatewayLabels, name):
			return fmt.Errorf("label %q is one that the Pushgateway sets", name)
		case slices.Contains(slices.Concat(fixed, o.By)[:i], name):
			return fmt.Errorf("label %q is asked for twice", name)
		}
	}
	for _, name := range own {
		if slices.Contains(o.GatewayLabels, name) {
			return fmt.Errorf("label %q of the Pushgateway's group is one that arena sets itself", name)
		}
	}
	return nil
}

// checkLabel refuses a name that cannot be a label, or that Prometheus itself sets.
func checkLabel(name string) error {
	switch {
	case !validLabel(name):
		return fmt.Errorf("label %q is no name for a label: letters, digits and _, no digit and not __ first", name)
	case name == "job" || name == "instance" || name == "le":
		return fmt.Errorf("label %q belongs to Prometheus", name)
	}
	return nil
}

// validLabel also refuses names that Prometheus reserves.
func validLabel(name string) bool {
	return exposition.ValidLabel(name) && !strings.HasPrefix(name, "__")
}

// Start records the start of a run.
func (m *Metrics) Start(run *result.Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(&runInfo, 1, run.Arena, run.Name)
	m.set(&runStart, seconds(run.Started))
	m.set(&trialsPlanned, float64(run.Planned))
	m.set(&trialsRunning, 0)
	m.set(&trialsKept, 0)
}

// Finish records the end of a run.
func (m *Metrics) Finish(run *result.Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(&runEnd, seconds(run.Started.Add(time.Duration(run.DurationMS*float64(time.Millisecond)))))
	for _, s := range result.Statuses() {
		value := 0.0
		if s == run.Status {
			value = 1
		}
		m.set(&runStatus, value, s.String())
	}
	m.groups(run)
}

// Keep counts a trial that was kept when the run was resumed. It leaves out metrics of evals whose declaration has
// changed since.
func (m *Metrics) Keep(t *result.Trial) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.families[&trialsKept].With().Add(1)
	m.trial(t)
	for i := range t.Evals {
		_ = m.evals.record(t, &t.Evals[i])
	}
}

// Handle takes an event of the run.
func (m *Metrics) Handle(e result.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch e := e.(type) {
	case result.TrialStarted:
		m.families[&trialsRunning].With().Add(1)
	case result.TrialDone:
		if started(e.Trial) {
			m.families[&trialsRunning].With().Add(-1)
		}
		m.trial(e.Trial)
		for i := range e.Trial.Evals {
			if err := m.evals.record(e.Trial, &e.Trial.Evals[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// shown puts signs in the place of characters that a terminal would obey or nobody sees: models and servers name
// tools. What is equal then is one series.
func shown(values []string) []string {
	clean := make([]string, len(values))
	for i, value := range values {
		clean[i] = show.Clean(value)
	}
	return clean
}

func fixedLabels(given map[string]string) map[string]string {
	clean := make(map[string]string, len(given))
	for name, value := range given {
		clean[name] = show.Clean(value)
	}
	return clean
}

func (m *Metrics) set(f *Family, value float64, labels ...string) {
	m.families[f].With(shown(labels)...).Set(value)
}

// add increases a counter. A negative number, which a provider may report, does not decrease it.
func (m *Metrics) add(f *Family, n float64, labels ...string) {
	if !(n > 0) { // NaN is not greater either
		n = 0
	}
	m.families[f].With(shown(labels)...).Add(n)
}

func (m *Metrics) observe(f *Family, value float64, labels ...string) {
	m.families[f].With(shown(labels)...).Observe(value)
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// at returns a position in parentheses for an error; "" when the position is not known.
func at(pos diag.Pos) string {
	if pos == (diag.Pos{}) {
		return ""
	}
	return " (" + pos.String() + ")"
}
