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

// traceFlags say where the traces of a run go. Without flags the standard variables do.
type traceFlags struct {
	endpoint string
	content  bool
}

func (f *traceFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.endpoint, "otlp-endpoint", "", "send traces to the OpenTelemetry collector at this `URL`, such as\n"+
		"http://localhost:4318; none for nowhere (default: as the\nOTEL_EXPORTER_OTLP_ variables say)")
	fl.BoolVar(&f.content, "otlp-content", false, "with what was said in them: messages, tool arguments and results")
}

// config is where traces go; nil is nowhere. A flag that makes no sense is an error. A variable, which may be there
// for others, is only complained about: the traces are off then, and the run goes on.
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

// openTraces starts the sending of traces; nil when they go nowhere. With -v it says where they go.
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
		cmp.Or(c.Source, "--otlp-endpoint")) // a broken stderr takes nothing from the run
}

// finishTraces sends what is left, and says what was lost. That never changes how the run ends. A second one does
// nothing.
func (a *App) finishTraces(t *harness.Tracer) {
	if lost := t.Close(); lost != "" {
		_, _ = fmt.Fprintf(a.Err, "arena: %s\n", lost) // nothing is left to report a broken stderr to
	}
}
