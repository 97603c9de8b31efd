package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/exposition"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// metricsFlags say where the metrics of a run go, and how they are labelled.
type metricsFlags struct {
	file, push, listen string
	labels             map[string]string
	by                 []string
	namespace          string
	linger             time.Duration
}

func (f *metricsFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.file, "metrics-file", "", "write Prometheus metrics to this `file`, as node-exporter reads them")
	fl.StringVar(&f.push, "metrics-push", "", "push the metrics to the Pushgateway at this `URL`")
	fl.StringVar(&f.listen, "metrics-listen", "", "serve the metrics on this `address` while the run lasts: :9464 for\n"+
		"this machine, 0.0.0.0:9464 for all who can reach it")
	fl.DurationVar(&f.linger, "metrics-linger", 0, "serve them for this `time` after the run, such as 30s")
	fl.StringToStringVar(&f.labels, "metrics-label", nil, "label of every metric, a `name=value`")
	fl.StringSliceVar(&f.by, "metrics-by", []string{"scenario", "provider"},
		"tell metrics of evals apart by a `list` of scenario, provider, model,\n"+
			"region, trial and names of scenarios' labels")
	fl.StringVar(&f.namespace, "metrics-namespace", metrics.DefaultNamespace, "first `word` of the names of metrics")
}

// validate refuses values that make no sense.
func (f *metricsFlags) validate(g givenFlags) error {
	var errs []error
	for _, given := range []struct{ flag, value string }{
		{"metrics-file", f.file}, {"metrics-push", f.push}, {"metrics-listen", f.listen},
		{"metrics-namespace", f.namespace},
	} {
		errs = append(errs, g.notEmpty(given.flag, "give it a value", given.value))
	}
	if f.push != "" {
		if _, err := metrics.ParseGateway(f.push); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-push: %w", err))
		}
	}
	if f.listen != "" {
		if _, _, err := net.SplitHostPort(f.listen); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-listen cannot be %q; expected [host]:port, such as :9464", f.listen))
		}
	}
	if f.file == "" && f.push == "" && f.listen == "" {
		for _, flag := range []string{"metrics-by", "metrics-label", "metrics-namespace"} {
			if g.typed(flag) { // one that stands in the settings may be meant for other runs
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

// exporter brings the metrics of one run to Prometheus. A nil exporter does nothing.
type exporter struct {
	*metrics.Metrics
	file    *harness.Report  // nil: none
	saved   bool             // the file is written
	gateway *metrics.Gateway // nil: none
	client  *http.Client
	server  *http.Server // nil: none
	address string       // of the server
	linger  time.Duration
	err     error // the first that Handle met
}

// open prepares what the flags ask for, and fails for everything that can be known before the run: names that clash, a
// port in use, a folder that cannot be written, a gateway that does not answer.
func (f *metricsFlags) open(
	ctx context.Context, plan *runner.Plan, run *result.Run, earlier *harness.Earlier, secrets *harness.Secrets,
) (*exporter, error) {
	if f.file == "" && f.push == "" && f.listen == "" {
		return nil, nil
	}
	if err := checkDimensions(f.by, plan); err != nil {
		return nil, err
	}
	o := metrics.Options{
		Namespace: f.namespace, Const: f.labels, By: f.by, Evals: plan.EvalMetrics(), Scrub: secrets.Labels,
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dial.New(false)},
		CheckRedirect: dial.Stay}
	x := &exporter{client: client, linger: f.linger}
	var err error
	if f.push != "" {
		if x.gateway, err = metrics.ParseGateway(f.push); err != nil {
			return nil, err
		}
		o.GatewayLabels = x.gateway.Labels()
	}
	if x.Metrics, err = metrics.New(o); err != nil {
		return nil, fmt.Errorf("%s: %w", f.culprit(err), err)
	}
	x.Start(run)
	if earlier != nil { // before anybody looks
		if err := earlier.Each(x.Keep); err != nil {
			return nil, broken(err)
		}
	}
	if f.file != "" {
		if err := harness.WritableFile(f.file); err != nil {
			return nil, err
		}
		write := func(w io.Writer, _ *result.Run) error { return x.Write(w) }
		x.file = &harness.Report{Format: "metrics", Path: f.file, Write: write}
	}
	if f.listen != "" {
		if err := x.serve(ctx, f.listen); err != nil {
			return nil, err
		}
	}
	if x.gateway != nil {
		if err := x.Push(ctx, x.gateway, x.client); err != nil {
			return nil, errors.Join(broken(fmt.Errorf("%w\nnothing was run", err)), x.close())
		}
	}
	return x, nil
}

// names adds what metrics are called, and what they are found by.
func (f *metricsFlags) names(to *nameList) {
	if f.namespace != metrics.DefaultNamespace {
		to.add("--metrics-namespace", f.namespace)
	}
	for _, name := range slices.Sorted(maps.Keys(f.labels)) {
		to.add("the label of --metrics-label", name)
		to.add("the value of --metrics-label", f.labels[name])
	}
	to.add("--metrics-by", f.by...)
}

// culprit is the flag of which the metrics complain.
func (f *metricsFlags) culprit(err error) string {
	quotes := func(name string) bool { return strings.HasPrefix(err.Error(), "label "+strconv.Quote(name)) }
	switch {
	case !exposition.ValidName(f.namespace):
		return "--metrics-namespace"
	case slices.ContainsFunc(slices.Collect(maps.Keys(f.labels)), quotes):
		return "--metrics-label"
	case slices.ContainsFunc(f.by, quotes):
		return "--metrics-by"
	}
	return "metrics"
}

// checkDimensions refuses dimensions that no conversation of the plan has.
func checkDimensions(by []string, plan *runner.Plan) error {
	var known []string
	for _, d := range metrics.Dimensions() {
		known = append(known, d.Name)
	}
	known = append(known, plan.Labels()...)
	for _, name := range by {
		if slices.Contains(known, name) {
			continue
		}
		err := fmt.Errorf("--metrics-by cannot be %q; expected %s", name, strings.Join(known, ", "))
		if near := diag.Nearest(name, known); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return nil
}

// A client of the metrics has this long to say what it wants, and then to take the answer.
const scrapeTimeout = 10 * time.Second

func (x *exporter) serve(ctx context.Context, address string) error {
	if strings.HasPrefix(address, ":") { // nobody was invited
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
	go func() { _ = x.server.Serve(ln) }() // until close; a listener that breaks has no scrapes to lose
	return nil
}

// handle takes an event. What goes wrong does not end the run, and is told when it is over.
func (x *exporter) handle(e result.Event) {
	if x == nil {
		return
	}
	if err := x.Handle(e); err != nil && x.err == nil {
		x.err = err
	}
}

// finish exports the metrics of a run that has ended.
func (x *exporter) finish(ctx context.Context, run *result.Run) error {
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

// written is the file that finish wrote.
func (x *exporter) written() []string {
	if x == nil || !x.saved {
		return nil
	}
	return []string{x.file.Path}
}

// lingering listens for interrupts from now on. The function that it returns keeps serving the metrics, for scrapers to
// see the end of the run, until the time for that is up or an interrupt came; it returns at once when told to hurry.
func (x *exporter) lingering(ctx context.Context, app *App, quiet bool) (wait func(hurry bool)) {
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
