package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
)

// traceFlags say where the traces of a run are sent. Without flags the standard OTEL_* variables decide.
type traceFlags struct {
	endpoint string
	content  bool
}

func (f *traceFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.endpoint, "otlp-endpoint", "", "send traces to the OpenTelemetry collector at this `URL`, such as\n"+
		"http://localhost:4318; none for nowhere (default: as the\nOTEL_EXPORTER_OTLP_ variables say)")
	fl.BoolVar(&f.content, "otlp-content", false, "with what was said in them: messages, tool arguments and results")
}

// config says where traces are sent; nil: nowhere. A wrong flag is an error. A wrong variable, which may be meant for
// other programs, only gives a complaint: the run goes on without traces.
func (f *traceFlags) config(app *App, g givenFlags) (config *otlp.Config, complaint string, err error) {
	if g.has("otlp-endpoint") && strings.TrimSpace(f.endpoint) == "" {
		return nil, "", errors.New("--otlp-endpoint is empty: give it a URL, or leave the flag out")
	}
	config, err = otlp.Read(f.endpoint, f.content, app.Getenv)
	switch {
	case err != nil && f.endpoint == "":
		return nil, "no traces are sent: " + err.Error(), nil
	case err != nil:
		return nil, "", err
	case config == nil && f.content && f.endpoint == "":
		return nil, "", errors.New("--otlp-content sends nothing without --otlp-endpoint or OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	return config, "", nil
}

// openTraces starts to send traces; nil: they are not sent. With -v it prints the destination.
func (a *App) openTraces(ctx context.Context, f *runFlags, run *result.Run) (*harness.Tracer, error) {
	config, complaint, err := f.traces.config(a, f.given)
	if why := f.cassettes.networkBarrier(); config != nil && why != "" {
		config, complaint = nil, "no traces are sent: "+why+" is set"
	}
	switch {
	case complaint != "":
		a.printMessage(complaint)
		return nil, nil
	case err != nil || config == nil:
		return nil, err
	}
	if f.verbose > 0 {
		a.printDestination(config)
	}
	config.Scrub = a.secrets.JSON
	_, repeatable := a.Env["SOURCE_DATE_EPOCH"]
	return harness.NewTracer(ctx, config, run, repeatable), nil
}

func (a *App) printDestination(c *otlp.Config) {
	what := "without what was said"
	if c.Content {
		what = "with what was said"
	}
	_, _ = fmt.Fprintf(a.Err, "traces go to %s, %s (%s)\n", c.Where(), what,
		cmp.Or(c.Source, "--otlp-endpoint")) // a write error on stderr is ignored
}

// finishTraces sends the remaining spans, and reports lost ones. It never changes the exit status. A second call does
// nothing.
func (a *App) finishTraces(t *harness.Tracer) {
	if lost := t.Close(); lost != "" {
		_, _ = fmt.Fprintf(a.Err, "arena: %s\n", lost) // a write error on stderr is ignored
	}
}
