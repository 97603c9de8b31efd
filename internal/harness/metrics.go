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

// MetricsOptions say where the metrics of a run go, and how they are labelled.
type MetricsOptions struct {
	File, Push string            // a file, and the URL of a Pushgateway; "": none
	Labels     map[string]string // of every metric
	By         []string          // what metrics of evals are told apart by
	Namespace  string            // first word of their names
	// Called is what the user calls an option: namespace, labels, by, push. Errors begin with it.
	Called func(option string) string
}

// Exporter brings the metrics of one run to Prometheus. A nil exporter does nothing.
type Exporter struct {
	*metrics.Metrics
	file    *Report          // nil: none
	saved   bool             // the file is written
	gateway *metrics.Gateway // nil: none
	client  *http.Client
	err     error // the first that Hear met
}

// Open prepares the metrics, and fails for everything that can be known before the run: names that clash, a folder that
// cannot be written. It sends nothing.
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

// culprit is the option of which the metrics complain.
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

// checkDimensions refuses dimensions that no conversation of the plan has.
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

// Recall takes the trials that stay of an earlier run; nil: there are none.
func (x *Exporter) Recall(earlier *Earlier) error {
	if earlier == nil {
		return nil
	}
	return earlier.Each(x.Keep)
}

// Greet pushes the metrics of a run that begins, which tells whether the gateway answers.
func (x *Exporter) Greet(ctx context.Context) error {
	if x == nil || x.gateway == nil {
		return nil
	}
	return x.Push(ctx, x.gateway, x.client)
}

// Hear takes an event. What goes wrong does not end the run, and is told when it is over.
func (x *Exporter) Hear(e result.Event) {
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

// Written is the file that End wrote.
func (x *Exporter) Written() []string {
	if x == nil || !x.saved {
		return nil
	}
	return []string{x.file.Path}
}
