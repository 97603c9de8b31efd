package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// metricsFlags say where the metrics of a run go, and how they are labelled.
type metricsFlags struct {
	harness.MetricsOptions
	listen string
	linger time.Duration
}

func (f *metricsFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.File, "metrics-file", "", "write Prometheus metrics to this `file`, as node-exporter reads them")
	fl.StringVar(&f.Push, "metrics-push", "", "push the metrics to the Pushgateway at this `URL`")
	fl.StringVar(&f.listen, "metrics-listen", "", "serve the metrics on this `address` while the run lasts: :9464 for\n"+
		"this machine, 0.0.0.0:9464 for all who can reach it")
	fl.DurationVar(&f.linger, "metrics-linger", 0, "serve them for this `time` after the run, such as 30s")
	fl.StringToStringVar(&f.Labels, "metrics-label", nil, "label of every metric, a `name=value`")
	fl.StringSliceVar(&f.By, "metrics-by", metrics.DefaultBy(),
		"tell metrics of evals apart by a `list` of scenario, provider, model,\n"+
			"region, trial and names of scenarios' labels")
	fl.StringVar(&f.Namespace, "metrics-namespace", metrics.DefaultNamespace, "first `word` of the names of metrics")
}

// validate refuses values that make no sense.
func (f *metricsFlags) validate(g givenFlags) error {
	var errs []error
	for _, given := range []struct{ flag, value string }{
		{"metrics-file", f.File}, {"metrics-push", f.Push}, {"metrics-listen", f.listen},
		{"metrics-namespace", f.Namespace},
	} {
		errs = append(errs, g.notEmpty(given.flag, "give it a value", given.value))
	}
	if f.Push != "" {
		if _, err := metrics.ParseGateway(f.Push); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-push: %w", err))
		}
	}
	if f.listen != "" {
		if _, _, err := net.SplitHostPort(f.listen); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-listen cannot be %q; expected [host]:port, such as :9464", f.listen))
		}
	}
	if f.File == "" && f.Push == "" && f.listen == "" {
		for _, flag := range []string{"metrics-by", "metrics-label", "metrics-namespace"} {
			if g.typed(flag) { // a setting may be meant for other runs
				errs = append(errs, fmt.Errorf("--%s changes nothing, as no metrics are asked for: "+
					"add --metrics-file, --metrics-push or --metrics-listen", flag))
			}
		}
	}
	switch {
	case f.linger < 0:
		errs = append(errs, fmt.Errorf("--metrics-linger must be at least 0, found %s", f.linger))
	case f.linger > 0 && f.listen == "":
		errs = append(errs, errors.New("--metrics-linger needs --metrics-listen, which says where the metrics are served"))
	}
	return errors.Join(errs...)
}

// exporter exports the metrics of one run to Prometheus, and serves them meanwhile. A nil exporter does nothing.
type exporter struct {
	*harness.Exporter
	server  *http.Server // nil: none
	address string       // of the server
	linger  time.Duration
}

// open prepares what the flags ask for. It reports every problem that can be known before the run: clashing names, a
// port in use, a read-only folder, a gateway that does not answer.
func (f *metricsFlags) open(
	ctx context.Context, plan *runner.Plan, run *result.Run, earlier *harness.Earlier, secrets *harness.Secrets,
) (*exporter, error) {
	if f.File == "" && f.Push == "" && f.listen == "" {
		return nil, nil
	}
	f.Called = func(option string) string { return "--metrics-" + option }
	inner, err := f.Open(plan, run, secrets)
	if err != nil {
		return nil, err
	}
	if err := inner.Recall(earlier); err != nil { // before the first scrape
		return nil, broken(err)
	}
	x := &exporter{Exporter: inner, linger: f.linger}
	if f.listen != "" {
		if err := x.serve(ctx, f.listen); err != nil {
			return nil, err
		}
	}
	if err := x.PushStart(ctx); err != nil {
		return nil, errors.Join(broken(fmt.Errorf("%w\nnothing was run", err)), x.close())
	}
	return x, nil
}

// names adds the names and labels of the metrics.
func (f *metricsFlags) names(to *nameList) {
	if f.Namespace != metrics.DefaultNamespace {
		to.add("--metrics-namespace", f.Namespace)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		to.add("the label of --metrics-label", name)
		to.add("the value of --metrics-label", f.Labels[name])
	}
	to.add("--metrics-by", f.By...)
}

// A client has this long to send its request, and as long to read the answer.
const scrapeTimeout = 10 * time.Second

func (x *exporter) serve(ctx context.Context, address string) error {
	if strings.HasPrefix(address, ":") { // without a host, only this machine may connect
		address = "127.0.0.1" + address
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err
		}
		return fmt.Errorf("--metrics-listen: cannot listen on %s: %w", address, err)
	}
	x.address = ln.Addr().String()
	x.server = &http.Server{Handler: x.Handler(), ReadTimeout: scrapeTimeout, WriteTimeout: scrapeTimeout}
	go func() { _ = x.server.Serve(ln) }() // until close; after an error of the listener there are no scrapes
	return nil
}

// handle takes an event.
func (x *exporter) handle(e result.Event) {
	if x != nil {
		x.Observe(e)
	}
}

// finish exports the metrics of a run that has ended.
func (x *exporter) finish(ctx context.Context, run *result.Run) error {
	if x == nil {
		return nil
	}
	return x.End(ctx, run)
}

// written is the file that finish wrote.
func (x *exporter) written() []string {
	if x == nil {
		return nil
	}
	return x.Written()
}

// keepServing listens for interrupts from now on. The returned function serves the metrics until --metrics-linger is
// over or an interrupt comes, so that a last scrape sees the end of the run. hurry: it returns at once.
func (x *exporter) keepServing(ctx context.Context, app *App, quiet bool) (wait func(hurry bool)) {
	if x == nil || x.linger == 0 {
		return func(bool) {}
	}
	ctx, interrupted := app.interruptible(ctx, context.Canceled, func() {})
	return func(hurry bool) {
		defer interrupted()
		if hurry || ctx.Err() != nil {
			return
		}
		if !quiet {
			_, _ = fmt.Fprintf(app.Err, "serving the metrics on %s for %s; interrupt to end\n", x.address, x.linger)
		}
		_ = pause.For(ctx, x.linger) // an interrupt ends it
	}
}

// close ends the serving of metrics.
func (x *exporter) close() error {
	if x == nil || x.server == nil {
		return nil
	}
	return x.server.Close()
}
