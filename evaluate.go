package arena

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/report/otlp"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// EvaluatorOptions say which evals to run over conversations, and how.
type EvaluatorOptions struct {
	Paths  []string          // one pack or one arena config with the evals
	Config string            // the same
	Dir    string            // working directory, for relative paths; "": that of the process
	Files  map[string][]byte // files that are not on disk, such as an embedded pack; as in Options

	// Evals to run, by groups and by types of checks; empty is all of them.
	EvalGroups, EvalTypes []string
	AllowEmpty            bool // that there is no eval to run is no error

	Strict  bool // warnings are errors
	Lenient bool // unknown fields and parameters are warnings, for files that were written for other tools

	Jobs    int  // conversations at once, for which connections to judges are kept; 0: as the files say
	Retries *int // of a call of a judge that failed; nil: as the files say

	Checks *Registry        // checks in Go; nil: none
	Judges map[string]Judge // as in Options
	Judge  string           // as in Options
	Hooks  []ProviderHook   // around the calls of judges

	OnEvent func(Event) // called for every eval that ran, with EventEvalCompleted or EventEvalFailed

	Getenv func(name string) (value string, set bool) // for keys and variables; nil: the environment of the process
	Now    func() time.Time                           // nil: time.Now

	// Prompt is the task type of a prompt whose evals run too; "" is the only prompt, or none. It is required if
	// several prompts have evals of their own.
	Prompt string
	// Namespace is the first part of the names of metrics; "" is arena. Labels are on every one of them.
	Namespace string
	Labels    map[string]string
	// Traces is the URL of an OpenTelemetry collector (OTLP over HTTP); "": no traces. It is sent a span for each
	// evaluation, with its results. TraceContent adds explanations, which may quote the conversation. Headers and other
	// settings come from the OTEL_EXPORTER_OTLP_ variables; the endpoint does not.
	Traces       string
	TraceContent bool
}

// options returns the options that a run has too.
func (o *EvaluatorOptions) options() Options {
	return Options{
		Paths: o.Paths, Config: o.Config, Dir: o.Dir, Files: o.Files, EvalGroups: o.EvalGroups, EvalTypes: o.EvalTypes,
		AllowEmpty: o.AllowEmpty, Strict: o.Strict, Lenient: o.Lenient, Jobs: o.Jobs, Retries: o.Retries,
		Checks: o.Checks, Judges: o.Judges, Judge: o.Judge, Hooks: o.Hooks, OnEvent: o.OnEvent,
		Getenv: o.Getenv, Now: o.Now,
	}
}

// Conversation is a conversation to evaluate.
type Conversation struct {
	Session  string    // id, which decides whether a sampled eval runs; conversations with "" share one id
	Messages []Message // from the beginning
	At       Moment    // which evals are due; the zero value is all of them, each at its own moment
	// Metadata is data about the conversation for evals that need it: retrieved chunks (context_field names their key),
	// an embedding, input of a program. It must be encodable as JSON.
	Metadata map[string]any
	// Steps are the compositions that answered, by the index of the turn, from 0, whose last message is their reply. For a
	// turn without an entry, checks assume that a model answered.
	Steps map[int]Composed
}

// Moment is a point of a conversation at which evals are due. The zero value is all moments.
type Moment struct{ at runner.Moment }

// AfterTurn is the end of the turn with that index, from 0. Evals with the triggers every_turn, sample_turns and
// on_workflow_step are due. Evaluate fails if the conversation has no such turn.
func AfterTurn(turn int) Moment { return Moment{runner.AfterTurn(turn)} }

// AtEnd is the end of the session and the conversation.
func AtEnd() Moment { return Moment{runner.AtEnd()} }

// Evaluation contains the results of evals.
type Evaluation struct {
	// Status follows from the evals that have a threshold: passed, failed, error or cancelled. An eval without a threshold
	// only measures.
	Status       Status
	Evals        []EvalResult // in the order in which they ran
	Notices      []string
	JudgeCostUSD *float64 // nil: no judge was asked, or the price is not known
}

// Evaluate runs the evals of a pack over one conversation. See [Evaluator.Evaluate].
func Evaluate(ctx context.Context, opts EvaluatorOptions, c Conversation) (*Evaluation, error) {
	e, err := NewEvaluator(opts) //nolint:contextcheck // traces end with Close, and are sent also when ctx has ended
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Evaluate(ctx, c)
}

// Evaluator runs the evals of one pack over many conversations. It is safe for concurrent use.
type Evaluator struct {
	opts    Options
	evals   *runner.Evaluator
	metrics *metrics.Metrics
	run     runner.Options

	mu      sync.Mutex          // for the fields below; held while OnEvent runs
	count   int                 // evaluations that ended
	trace   *harness.EvalTracer // nil: no traces are sent
	lost    int                 // number of spans that were not delivered
	lostErr error               // the same
}

// NewEvaluator reads the pack and opens the judges of its evals. It returns a [*ProblemsError] for problems in the
// files, and for a pack in which no eval is left to run. Close releases the evaluator's connections.
func NewEvaluator(options EvaluatorOptions) (*Evaluator, error) {
	opts := options.options()
	own := opts.Getenv == nil
	hooks, err := opts.complete()
	if err != nil {
		return nil, err
	}
	source := opts.source()
	source.Bare, source.Recorded = true, true
	suite, diags := checks.LoadWith(source, opts.Checks.checks())
	known := secrets(suite, own, diags)
	e := &Evaluator{opts: opts, run: opts.run(1)}
	e.run.Started = opts.Now()
	switch {
	case diags.Errors() > 0:
	case len(suite.Projects) != 1:
		diags.Errorf(diag.Pos{}, 0, "several-projects", "evals come from one pack or one config, found %d projects",
			len(suite.Projects)).Hint = "name one in Paths"
	default:
		p := suite.Projects[0]
		registerJudges(p, opts.Judges)
		opts.filter().Apply(suite, diags)
		if lost := inventory.LostWithoutPrompt(p); options.Prompt == "" && lost != "" {
			diags.Errorf(diag.Pos{}, 0, "no-prompt", "Prompt is empty: %s", lost).Hint = "name the prompt of the conversations"
		}
		jobs := harness.Jobs(opts.Jobs, suite)
		e.evals = runner.NewEvaluator(p, options.Prompt, opts.plan(jobs, newClients(&opts, jobs, hooks)), diags)
		e.check(diags)
	}
	if opts.Strict {
		diags.Promote()
	}
	if diags.Errors() > 0 {
		e.Close()
		return nil, newProblemsError(diags, suite.Files, &opts)
	}
	if err := e.openMetrics(&options); err != nil {
		e.Close()
		return nil, err
	}
	if err := e.sendTraces(&options, known); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// check reports an evaluator without evals.
func (e *Evaluator) check(d *diag.List) {
	if e.evals != nil && len(e.evals.Evals()) == 0 && d.Errors() == 0 && !e.opts.AllowEmpty {
		d.Errorf(diag.Pos{}, 0, "no-evals", "there is no eval to run").Hint =
			"name a pack or a config that has evals, and groups and types in which there are any"
	}
}

// openMetrics creates the metrics.
func (e *Evaluator) openMetrics(opts *EvaluatorOptions) (err error) {
	o := metrics.Options{Namespace: opts.Namespace, Const: opts.Labels}
	if o.Namespace == "" {
		o.Namespace = metrics.DefaultNamespace
	}
	for _, eval := range e.evals.Evals() {
		o.Evals = append(o.Evals, eval.Metric)
	}
	if e.metrics, err = metrics.New(o); err != nil {
		return fmt.Errorf("arena: metrics: %w", err)
	}
	return nil
}

// sendTraces starts sending traces if there is an endpoint.
func (e *Evaluator) sendTraces(opts *EvaluatorOptions, known *harness.Secrets) error {
	if opts.Traces == "" {
		return nil
	}
	config, err := otlp.Read(opts.Traces, opts.TraceContent, e.opts.Getenv)
	if err != nil {
		return fmt.Errorf("arena: Traces: %w", err)
	}
	if config != nil {
		config.Scrub = known.Bytes
	}
	e.trace = harness.NewEvalTracer(config, version(), e.opts.Now())
	return nil
}

// Evaluate runs the evals that are due at a moment of a conversation. The error of a single eval is in its result.
// Evaluate returns an error without an evaluation when the conversation is impossible or ctx has ended already, and an
// error with the evaluation when OnEvent or the metrics failed.
//
// When ctx ends meanwhile, running judges, programs and checks are abandoned. The evals that have no score yet, and the
// evaluation, are cancelled.
func (e *Evaluator) Evaluate(ctx context.Context, c Conversation) (*Evaluation, error) {
	session, err := c.session()
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("arena: nothing was measured: %w", context.Cause(ctx))
	}
	stoppable, stop := stopWith(ctx)
	defer stop()
	began := e.opts.Now()
	t := e.evals.Evaluate(stoppable, session, c.At.at, e.run)
	if t.Error != "" && len(t.Evals) == 0 {
		return nil, errors.New("arena: " + t.Error)
	}
	out := &Evaluation{Status: statusFrom(t.Status), Notices: t.Notices}
	for i := range t.Evals {
		out.Evals = append(out.Evals, evalFrom(&t.Evals[i]))
	}
	if t.Judges != nil {
		out.JudgeCostUSD = clone(t.Judges.CostUSD)
	}
	if err := e.record(ctx, t, c.Session, began); err != nil {
		return out, fmt.Errorf("arena: %w", err)
	}
	if t.Error != "" {
		return out, errors.New("arena: " + t.Error)
	}
	return out, nil
}

// record adds an evaluation to metrics and traces, and calls OnEvent.
func (e *Evaluator) record(ctx context.Context, t *result.Trial, session string, began time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
	place := result.At{Time: began, Scenario: t.Scenario, Provider: t.Provider, Turn: result.NoTurn}
	ended := place
	ended.Time = e.opts.Now()
	e.trace.Evaluated(session, place, ended, t)
	measured := &result.Trial{Index: e.count, Scenario: t.Scenario, Provider: t.Provider, Status: t.Status, Evals: t.Evals}
	errs := []error{
		e.metrics.Handle(result.TrialStarted{Index: e.count}), e.metrics.Handle(result.TrialDone{Trial: measured}),
	}
	if e.opts.OnEvent == nil {
		return errors.Join(errs...)
	}
	for i := range t.Evals {
		r := &t.Evals[i]
		at := result.At{Time: e.opts.Now(), Trial: t.ID, Scenario: t.Scenario, Provider: t.Provider, Turn: r.Turn}
		errs = append(errs, callOnEvent(ctx, e.opts.OnEvent, eventFrom(result.EvalEvent(r, at))))
	}
	return errors.Join(errs...)
}

// Metrics serves the results so far to Prometheus, under whatever path it is mounted: for every eval the metric that
// its pack declares, else a gauge named by its id.
func (e *Evaluator) Metrics() http.Handler { return e.metrics.Page() }

// Close sends the remaining traces, for a few seconds at most, and closes connections. The evaluator can still be used,
// but sends no more traces.
func (e *Evaluator) Close() {
	if e.evals != nil {
		e.evals.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.trace != nil {
		e.lost, e.lostErr = e.trace.Close(result.At{Time: e.opts.Now(), Turn: result.NoTurn})
		e.trace = nil
	}
}

// LostSpans returns, after Close, how many spans were not delivered, and the latest error. Without an error there were
// more spans than the collector could take in time.
func (e *Evaluator) LostSpans() (n int, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lost, e.lostErr
}

var errNoMessages = errors.New("arena: the conversation has no messages")

// session converts the conversation to a recording. It fails for an impossible one: an unknown role, or a tool result
// without a call.
func (c *Conversation) session() (*recording.Session, error) {
	if len(c.Messages) == 0 {
		return nil, errNoMessages
	}
	metadata, err := plain(c.Metadata)
	if err != nil {
		return nil, fmt.Errorf("arena: the metadata of the conversation cannot be written as JSON: %w", err)
	}
	out := &recording.Session{ID: c.Session, Metadata: metadata, MissingInfo: recording.Format("").MissingInfo()}
	var calls chat.Pairing
	for i := range c.Messages {
		m := recording.Message{Message: chatMessage(&c.Messages[i]), Offset: -1}
		if err := calls.Add(&m.Message); err != nil {
			return nil, fmt.Errorf("arena: message %d: %w", i+1, err)
		}
		out.Messages = append(out.Messages, m)
	}
	if err := c.addSteps(out.Messages); err != nil {
		return nil, err
	}
	return out, nil
}

func chatMessage(m *Message) chat.Message {
	var none knownParts
	out := none.message(*m)
	if m.Usage != nil {
		out.Usage = new(usageTo(*m.Usage))
	}
	out.CostUSD, out.LatencyMS = clone(m.CostUSD), milliseconds(m.Latency)
	return out
}
