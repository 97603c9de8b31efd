package arena

import (
	"context"
	"fmt"
	"net/http"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
)

// Metrics say where the metrics of a run go, in the text format of Prometheus, and how they are labelled. The zero
// value sends them nowhere; [Suite.Metrics] serves them. docs/metrics.md has all of them.
type Metrics struct {
	File string // is written when the run has ended, for the textfile collector of node-exporter; "": none
	Push string // URL of a Pushgateway, which is told at the beginning and at the end; "": none

	Namespace string            // first word of their names; "" is arena
	Labels    map[string]string // are on every one of them
	// By is what metrics of evals are told apart by: scenario, provider, model, region, trial and the labels of scenarios;
	// nil is scenario and provider.
	By []string
}

// options are those of a run.
func (m *Metrics) options(o *Options) *harness.MetricsOptions {
	out := &harness.MetricsOptions{
		File: o.path(m.File), Push: m.Push, Labels: m.Labels, By: m.By, Namespace: m.Namespace,
		Called: func(option string) string {
			return map[string]string{
				"namespace": "Metrics.Namespace", "label": "Metrics.Labels", "by": "Metrics.By", "push": "Metrics.Push",
			}[option]
		},
	}
	if out.Namespace == "" {
		out.Namespace = metrics.DefaultNamespace
	}
	if out.By == nil {
		out.By = metrics.DefaultBy()
	}
	return out
}

// targets are the files that a run writes beside its reports.
func (o *Options) targets() []harness.Target {
	if o.Metrics == nil || o.Metrics.File == "" {
		return nil
	}
	return []harness.Target{{What: "metrics", Path: o.path(o.Metrics.File), Ours: metrics.Wrote, Whole: true}}
}

// Metrics serves the metrics of the run of the suite that began last, while it goes on and afterwards, under whatever
// path it is mounted. Where [Options.Metrics] is nil, and before the first run, there are none: the status is 404.
func (s *Suite) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if x := s.measured.Load(); x != nil {
			x.Page().ServeHTTP(w, r)
			return
		}
		http.Error(w, "no run has been measured yet", http.StatusNotFound)
	})
}

// instruments hear of everything that happens in a run, and show it elsewhere.
type instruments struct {
	metrics *harness.Exporter // nil: none
	traces  *harness.Tracer   // nil: none
}

// instruments opens what the options ask for, and fails for everything that can be known before the run.
func (s *Suite) instruments(ctx context.Context, x *harness.Execution) (*instruments, error) {
	in := &instruments{}
	if s.opts.Metrics != nil {
		var err error
		if in.metrics, err = s.opts.Metrics.options(&s.opts).Open(x.Plan, x.Run, s.secrets); err != nil {
			return nil, err
		}
		if err := in.metrics.Greet(ctx); err != nil {
			return nil, err
		}
		s.measured.Store(in.metrics)
	}
	if s.opts.Traces != "" {
		config, err := otlp.Read(s.opts.Traces, s.opts.TraceContent, s.opts.Getenv)
		if err != nil {
			return nil, fmt.Errorf("Traces: %w", err) //nolint:staticcheck // the name of a field
		}
		if config != nil {
			config.Scrub = s.secrets.JSON
		}
		in.traces = harness.NewTracer(ctx, config, x.Run, false)
	}
	return in, nil
}

func (in *instruments) hear(e result.Event) {
	in.metrics.Hear(e)
	in.traces.Handle(e)
}

// close sends what is left of the traces. What was lost is a warning.
func (in *instruments) close() []Problem {
	if lost := in.traces.Close(); lost != "" {
		return problemsFrom([]diag.Diagnostic{{Severity: diag.Warning, Code: "lost-spans", Msg: lost}})
	}
	return nil
}
