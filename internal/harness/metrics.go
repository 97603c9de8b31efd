package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/exposition"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// MetricsOptions configures the metrics of a run.
type MetricsOptions struct {
	File, Push string            // a file, and the URL of a Pushgateway; "": none
	Labels     map[string]string // of every metric
	By         []string          // labels of the metrics of evals
	Namespace  string            // first word of their names
	// Called returns the user's name for an option (namespace, label, by, push), for errors.
	Called func(option string) string
}

// Exporter exports the metrics of one run to Prometheus. A nil exporter does nothing.
type Exporter struct {
	*metrics.Metrics
	file    *Report          // nil: none
	saved   bool             // the file is written
	gateway *metrics.Gateway // nil: none
	client  *http.Client
	err     error // the first error of Observe
}

// Open creates the exporter. It checks everything that can be known before the run, such as names that clash and
// folders that cannot be written. It sends nothing.
func (o *MetricsOptions) Open(plan *runner.Plan, run *result.Run, secrets *Secrets) (x *Exporter, err error) {
	if err := o.checkDimensions(plan); err != nil {
		return nil, err
	}
	names := metrics.Options{
		Namespace: o.Namespace, Const: o.Labels, By: o.By, Evals: plan.EvalMetrics(), Scrub: secrets.Labels,
	}
	x = &Exporter{client: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial.New(false),
	}, CheckRedirect: dial.Stay}}
	if o.Push != "" {
		if x.gateway, err = metrics.ParseGateway(o.Push); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Called("push"), err)
		}
		names.GatewayLabels = x.gateway.Labels()
	}
	if x.Metrics, err = metrics.New(names); err != nil {
		return nil, fmt.Errorf("%s: %w", o.culprit(err), err)
	}
	x.Start(run)
	if o.File != "" {
		if err := WritableFile(o.File); err != nil {
			return nil, err
		}
		write := func(w io.Writer, _ *result.Run) error { return x.Write(w) }
		x.file = &Report{Format: "metrics", Path: o.File, Write: write}
	}
	return x, nil
}

// culprit returns the option that caused an error of the metrics.
func (o *MetricsOptions) culprit(err error) string {
	quotes := func(name string) bool { return strings.HasPrefix(err.Error(), "label "+strconv.Quote(name)) }
	switch {
	case !exposition.ValidName(o.Namespace):
		return o.Called("namespace")
	case slices.ContainsFunc(slices.Collect(maps.Keys(o.Labels)), quotes):
		return o.Called("label")
	case slices.ContainsFunc(o.By, quotes):
		return o.Called("by")
	}
	return "metrics"
}

// checkDimensions returns an error for a label that no trial of the plan has.
func (o *MetricsOptions) checkDimensions(plan *runner.Plan) error {
	var known []string
	for _, d := range metrics.Dimensions() {
		known = append(known, d.Name)
	}
	known = append(known, plan.Labels()...)
	for _, name := range o.By {
		if slices.Contains(known, name) {
			continue
		}
		err := fmt.Errorf("%s cannot be %q; expected %s", o.Called("by"), name, strings.Join(known, ", "))
		if near := diag.Nearest(name, known); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return nil
}

// Recall adds the kept trials of an earlier run, which may be nil.
func (x *Exporter) Recall(earlier *Earlier) error {
	if earlier == nil {
		return nil
	}
	return earlier.Each(x.Keep)
}

// PushStart pushes the metrics at the start of a run. It fails if the gateway does not answer.
func (x *Exporter) PushStart(ctx context.Context) error {
	if x == nil || x.gateway == nil {
		return nil
	}
	return x.Push(ctx, x.gateway, x.client)
}

// Observe handles an event. An error does not end the run; End returns it.
func (x *Exporter) Observe(e result.Event) {
	if x == nil {
		return
	}
	if err := x.Handle(e); err != nil && x.err == nil {
		x.err = err
	}
}

// End exports the metrics of a run that has ended.
func (x *Exporter) End(ctx context.Context, run *result.Run) error {
	if x == nil {
		return nil
	}
	x.Finish(run)
	errs := []error{x.err}
	if x.file != nil {
		if err := x.file.Save(run); err != nil {
			errs = append(errs, err)
		} else {
			x.saved = true
		}
	}
	if x.gateway != nil {
		errs = append(errs, x.Push(context.WithoutCancel(ctx), x.gateway, x.client))
	}
	return errors.Join(errs...)
}

// Written returns the file that End wrote, if any.
func (x *Exporter) Written() []string {
	if x == nil || !x.saved {
		return nil
	}
	return []string{x.file.Path}
}
