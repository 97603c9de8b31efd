package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

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

// tracer sends the traces of one run. A nil tracer sends nothing.
type tracer struct {
	exporter *otlp.Exporter
	config   *otlp.Config
	finished bool
}

// openTraces starts the sending of traces; nil when they go nowhere. With -v it says where they go.
func (a *App) openTraces(ctx context.Context, f *runFlags, run *result.Run) (*tracer, error) {
	config, complaint, err := f.traces.config(a, f.given)
	if why := f.cassettes.networkBarrier(); config != nil && why != "" {
		config, complaint = nil, "no traces are sent: "+why+" is set"
	}
	switch {
	case complaint != "" && !f.quiet:
		a.say(complaint)
		return nil, nil
	case err != nil || config == nil:
		return nil, err
	}
	if f.verbose > 0 {
		a.sayWhere(config)
	}
	config.Scrub = a.secrets.JSON
	return &tracer{exporter: otlp.New(ctx, config, run.Arena, a.traceID(run)), config: config}, nil
}

func (a *App) sayWhere(c *otlp.Config) {
	what := "without what was said"
	if c.Content {
		what = "with what was said"
	}
	_, _ = fmt.Fprintf(a.Err, "traces go to %s, %s (%s)\n", c.Where(), what,
		cmp.Or(c.Source, "--otlp-endpoint")) // a broken stderr takes nothing from the run
}

// traceID is different in every run, unless the clock stands still: then it follows from what is run.
func (a *App) traceID(run *result.Run) (id [16]byte) {
	var salt [16]byte
	if _, fixed := a.Env["SOURCE_DATE_EPOCH"]; !fixed {
		_, _ = rand.Read(salt[:]) // never fails
	}
	words, err := json.Marshal([]any{run.Started, run.Name, run.Command, salt})
	if err != nil { // texts, which JSON always holds
		return salt
	}
	sum := sha256.Sum256(words)
	copy(id[:], sum[:])
	return id
}

// handle takes an event. It waits for nobody.
func (t *tracer) handle(e result.Event) {
	if t != nil {
		t.exporter.Handle(e)
	}
}

// finish sends what is left, and says what was lost. That never changes how the run ends. A second one does nothing.
func (t *tracer) finish(a *App) {
	if t == nil || t.finished {
		return
	}
	t.finished = true
	d := t.exporter.Close()
	if d.Lost == 0 {
		return
	}
	why := "the collector was too slow"
	if d.Err != nil {
		why = d.Err.Error()
	}
	_, _ = fmt.Fprintf(a.Err, "arena: %d of %d spans were not delivered to %s: %s\n",
		d.Lost, d.Lost+d.Sent, t.config.Where(), why) // nothing is left to report a broken stderr to
}
