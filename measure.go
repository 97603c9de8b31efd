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

// Metrics configures the Prometheus metrics of a run. The zero value writes and pushes none, but [Suite.Metrics] serves
// them. docs/metrics.md lists them all.
type Metrics struct {
	File string // written at the end of the run, for the textfile collector of node-exporter; "": none
	Push string // URL of a Pushgateway, which gets them at the start and at the end of the run; "": none

	Namespace string            // first word of their names; "" is arena
	Labels    map[string]string // added to every metric
	// By lists the labels of eval metrics: scenario, provider, model, region, trial and labels of scenarios; nil is
	// scenario and provider.
	By []string
}

// options converts m to options of the harness.
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

// targets returns the files that a run writes in addition to its reports.
func (o *Options) targets() []harness.Target {
	if o.Metrics == nil || o.Metrics.File == "" {
		return nil
	}
	return []harness.Target{{What: "metrics", Path: o.path(o.Metrics.File), Recognizes: metrics.Wrote, ReadsAll: true}}
}

// Metrics serves the metrics of the latest run of the suite, during the run and afterwards, under whatever path it is
// mounted. The status is 404 before the first run, and if [Options.Metrics] is nil.
func (s *Suite) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if x := s.exporter.Load(); x != nil {
			x.Page().ServeHTTP(w, r)
			return
		}
		http.Error(w, "no run has been measured yet", http.StatusNotFound)
	})
}

// exporters send the events of a run to Prometheus and OpenTelemetry.
type exporters struct {
	metrics *harness.Exporter // nil: none
	traces  *harness.Tracer   // nil: none
}

// openExporters opens the exporters that the options name. It checks everything that can be known before the run.
func (s *Suite) openExporters(ctx context.Context, x *harness.Execution) (*exporters, error) {
	in := &exporters{}
	if s.opts.Metrics != nil {
		var err error
		if in.metrics, err = s.opts.Metrics.options(&s.opts).Open(x.Plan, x.Run, s.secrets); err != nil {
			return nil, err
		}
		if err := in.metrics.PushStart(ctx); err != nil {
			return nil, err
		}
		s.exporter.Store(in.metrics)
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

func (in *exporters) handle(e result.Event) {
	in.metrics.Observe(e)
	in.traces.Handle(e)
}

// close sends the remaining traces. It returns a warning if spans were lost.
func (in *exporters) close() []Problem {
	if lost := in.traces.Close(); lost != "" {
		return problemsFrom([]diag.Diagnostic{{Severity: diag.Warning, Code: "lost-spans", Msg: lost}})
	}
	return nil
}
