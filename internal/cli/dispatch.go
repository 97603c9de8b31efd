package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// dispatchFlags say where the evals of a run are evaluated.
type dispatchFlags struct {
	brokerFlags

	wait     time.Duration
	patience time.Duration // how long to wait for a broker that is away, at the start and for each request
}

func (f *dispatchFlags) register(fl *pflag.FlagSet) {
	f.brokerFlags.register(fl, "dispatch", "publish the evals at the NATS broker with this `URL` instead of\n"+
		"running them, such as nats://localhost:4222; arena worker runs them")
	fl.DurationVar(&f.wait, "dispatch-wait", 0, "wait for the results of dispatched evals up to this `time` at the end\n"+
		"of each conversation, such as 5m (default: do not wait)")
	fl.DurationVar(&f.patience, "dispatch-timeout", 30*time.Second,
		"give up on a broker that does not answer after this `time`")
}

func (f *dispatchFlags) validate(g givenFlags, offline bool) error {
	if !g.has("dispatch") && !g.has("workers") { // --workers has the same broker
		for _, flag := range []string{
			"dispatch-wait", "dispatch-timeout", "stream", "nats-creds", "nats-ca", "nats-cert", "nats-key",
		} {
			if g.has(flag) {
				return fmt.Errorf("--%s does nothing without --dispatch URL", flag)
			}
		}
		return nil
	}
	if !g.has("dispatch") {
		return nil
	}
	errs := []error{f.brokerFlags.complete("dispatch")}
	if g.has("dispatch-wait") && f.wait <= 0 {
		errs = append(errs, fmt.Errorf("--dispatch-wait must be above 0, found %s", f.wait))
	}
	if offline {
		errs = append(errs, errors.New("--dispatch needs the network, and --offline is set"))
	}
	if f.patience <= 0 {
		errs = append(errs, fmt.Errorf("--dispatch-timeout must be above 0, found %s", f.patience))
	}
	return errors.Join(errs...)
}

// mode says where the plan has its evals evaluated.
func (f *dispatchFlags) mode() runner.DispatchMode {
	switch {
	case f.url == "":
		return runner.InProcess
	case f.wait > 0:
		return runner.DispatchAwait
	}
	return runner.Dispatched
}

// dispatcher publishes the evals of a run. It implements runner.EvalDispatcher.
type dispatcher struct {
	client *nats.Client
	run    string
	wait   time.Duration
	inbox  *nats.Inbox // nil: the run does not wait for results
	stop   func()      // ends the collecting of results
}

// open connects to the broker and prepares its streams. Without --dispatch it returns nil.
func (f *dispatchFlags) open(ctx context.Context, tell func(string), secrets *harness.Secrets) (*dispatcher, error) {
	if f.url == "" {
		return nil, nil
	}
	o := f.options("arena run", f.patience, tell)
	o.Scrub = secrets.JSON
	client, err := nats.Connect(ctx, o)
	if err != nil {
		return nil, broken(fmt.Errorf("--dispatch: %w", err))
	}
	if err := client.Prepare(ctx); err != nil {
		client.Close()
		return nil, broken(fmt.Errorf("--dispatch: %w", err))
	}
	d := &dispatcher{client: client, run: rand.Text(), wait: f.wait, stop: func() {}}
	if f.wait > 0 {
		d.inbox = nats.NewInbox(d.run)
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var collecting sync.WaitGroup
		collecting.Go(func() { d.inbox.Collect(ctx, client) })
		d.stop = func() { cancel(); collecting.Wait() }
	}
	return d, nil
}

// close lets go of the broker. A nil dispatcher has none.
func (d *dispatcher) close() {
	if d != nil {
		d.stop()
		d.client.Close()
	}
}

// orNil returns a nil interface for a nil dispatcher.
func (d *dispatcher) orNil() runner.EvalDispatcher {
	if d == nil {
		return nil
	}
	return d
}

// Send implements runner.EvalDispatcher.
func (d *dispatcher) Send(ctx context.Context, h *runner.EvalRequest) error {
	r, err := d.request(h)
	if err != nil {
		return err
	}
	if d.inbox != nil {
		d.inbox.Expect(r.ID)
	}
	return d.client.Publish(ctx, r)
}

// Await implements runner.EvalDispatcher.
func (d *dispatcher) Await(ctx context.Context, h *runner.EvalRequest) ([]result.EvalResult, bool, error) {
	if d.inbox == nil {
		return nil, false, nil
	}
	list, err := d.inbox.Await(ctx, d.id(h), d.wait)
	measured := make([]result.EvalResult, len(list))
	for i := range list {
		measured[i] = list[i].EvalResult
	}
	return measured, true, err
}

func (d *dispatcher) id(h *runner.EvalRequest) string {
	id := d.run + "/" + h.Trial.ID
	if h.Turn == result.NoTurn {
		id += "/end"
	} else {
		id += fmt.Sprintf("/turn-%d", h.Turn+1)
	}
	if h.Workflow != nil { // states may have different prompts
		id += "/" + h.Prompt
	}
	return id
}

func (d *dispatcher) request(h *runner.EvalRequest) (*dispatch.Request, error) {
	t := h.Trial
	r := &dispatch.Request{
		Version: dispatch.Version, ID: d.id(h), Run: d.run, Session: h.Session, Prompt: h.Prompt,
		Scenario: t.Scenario, Provider: t.Provider, Model: t.Model, Region: t.Region, Tags: t.Tags, Labels: t.Labels,
		Metadata: t.Metadata, Workflow: h.Workflow, States: h.States,
		Started: h.Started.UTC(), Moment: dispatch.End, Evals: h.Evals, Digests: h.Digests,
	}
	if h.Turn != result.NoTurn {
		r.Moment, r.Turn = dispatch.Turn, h.Turn
	}
	for i := range h.Messages {
		whole, err := h.Messages[i].WithData()
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, dispatch.Message{Message: whole})
	}
	return r, nil
}

// reportNothing warns of a run that has nothing to dispatch.
func (f *dispatchFlags) reportNothing(plan *runner.Plan, d *diag.List) {
	if f.url != "" && plan.Len() > 0 && len(plan.EvalMetrics()) == 0 {
		d.Warnf(diag.Pos{}, 0, "nothing-dispatched", "--dispatch: the run has no evals to publish")
	}
}
