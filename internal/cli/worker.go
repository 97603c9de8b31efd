package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

const workerLong = `Worker takes requests for evals from a stream of a NATS broker (JetStream), runs the evals of its
packs over the conversation in each, and publishes what they measured. Any number of workers share
a stream. Who publishes requests: arena run --dispatch, arena worker --listen, your own program
(arena schema eval-request).

Streams and subjects, made when they are missing:
  ARENA_EVALS           arena.evals.requests    until they are done
  ARENA_EVALS_RESULTS   arena.evals.results.>   one message for each eval
  ARENA_EVALS_DEAD      arena.evals.dead.>      requests that were given up, with the reason
--stream SHOP has SHOP, SHOP_RESULTS and SHOP_DEAD with shop.requests and so on.

A request is confirmed when its results are stored. When a worker dies, the broker gives what it had
in hand to another after the ack wait. Each result has an id made of the request, the eval and the
moment, and is stored once, however often it is made. What cannot be measured is tried again, and
after --max-deliver tries given up; what is no request at once. A request that asks for a prompt or an
eval that the packs do not have is given back, so that a worker that has it takes it, as while a new
pack is rolled out; when none does within --give-back, it is given up.
arena worker dead shows what was given up, asks for it again, or drops it.

With --listen the worker also follows message.created events on a subject, grows sessions out of them,
and asks for the evals of each final reply, and of the whole when the session ends (session.ended,
conversation.completed, or silence). Where a stream holds the events, none is lost by a restart.

With --trials the worker runs whole trials instead, of runs with --workers: their files come with
them, and it needs no more than its own keys in its environment. It takes the trials that it can run,
of one run at a time; a trial that lasts keeps its place by signs of life. arena docs workers.

A broker that is away is waited for, for ever; with --idle, for that time. The first interrupt (Ctrl-C,
SIGTERM) lets the worker finish what it has in hand, the second ends it at once.

Exit status: 0 told to stop, or idle · 2 a file or flag is wrong · 3 the broker refuses the work, is
away for the time of --idle, or a file cannot be written · 130 stopped at once.`

// workerFlags is the command line of `arena worker`.
type workerFlags struct {
	brokerFlags

	trials     string // URL of the broker for trials
	packs      []string
	config     string
	judge      string
	filter     evals.Filter
	lenient    bool
	jobs       int
	retries    int
	durable    string
	maxDeliver int
	giveBack   time.Duration
	ackWait    time.Duration
	idle       time.Duration
	noCreate   bool
	output     string
	listen     listenFlags

	given givenFlags
}

func newWorkerCmd(app *App) *cobra.Command {
	f := &workerFlags{}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run evals or trials that others ask for, from a NATS broker",
		Long:  workerLong,
		Example: `  arena worker --nats nats://localhost:4222 --pack support.pack.json
  arena worker --nats tls://broker:4222 --nats-creds worker.creds -c config.arena.yaml -j 16
  arena worker --nats nats://localhost:4222 --pack support.pack.json --output results.jsonl --idle 10s
  arena worker --trials nats://localhost:4222 -j 50`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			if err := f.complete(c); err != nil {
				return err
			}
			if f.given.has("trials") {
				return f.runTrials(c.Context(), app)
			}
			return f.run(c.Context(), app)
		},
	}
	f.register(cmd.Flags())
	cmd.AddCommand(newWorkerDeadCmd(app))
	return cmd
}

func (f *workerFlags) register(fl *pflag.FlagSet) {
	begin(fl)
	f.brokerFlags.register(fl, "nats", "`URL` of the broker, such as nats://localhost:4222 (required,\nbut for --trials)")
	fl.StringVar(&f.trials, "trials", "", "run the trials of runs with --workers, instead of evals: `URL` of their broker")
	fl.Lookup("trials").Annotations = map[string][]string{notASetting: {"it is the broker of a worker"}}
	fl.BoolVar(&f.noCreate, "no-create", false, "make no streams and consumers: those that are missing are an error")
	fl.StringSliceVar(&f.packs, "pack", nil, "run the evals of this pack `file`; repeat the flag or use commas")
	fl.StringVarP(&f.config, "config", "c", "", "arena config `file` with evals, judges and providers")
	fl.StringVar(&f.judge, "judge", "", "the judge of checks that name none: a `judge`, a provider, or type/model")
	fl.StringSliceVar(&f.filter.Groups, "eval-groups", nil, "only evals in one of these groups, a `list`")
	fl.StringSliceVar(&f.filter.Types, "eval-types", nil, "only evals by one of these checks, a `list`")
	fl.BoolVar(&f.lenient, "lenient", false, "unknown fields and parameters are warnings: for other tools' files")
	fl.IntVarP(&f.jobs, "jobs", "j", 4, "evaluate `n` requests at once")
	fl.IntVar(&f.retries, "retries", 0, "try a failed model call up to `n` more times (default 3)")
	fl.StringVar(&f.durable, "durable", nats.DefaultDurable, "`name` of the consumer that the workers share")
	fl.IntVar(&f.maxDeliver, "max-deliver", nats.DefaultMaxDeliver, "give a request up after `n` tries")
	fl.DurationVar(&f.giveBack, "give-back", nats.DefaultGiveBack, "leave requests that do not fit the packs to other\n"+
		"workers for this `time`, then give them up (0: at once)")
	fl.DurationVar(&f.ackWait, "ack-wait", 0, "a worker without a sign of life for this `time` has lost its requests\n"+
		"(default: what the consumer has, else 30s)")
	fl.DurationVar(&f.idle, "idle", 0, "end when nothing has been left to do for this `time`, and as an error\n"+
		"when the broker has been away for it (default: never)")
	fl.StringVar(&f.output, "output", "", "copy all results of the stream into this `file`, a JSON line each, or into\n"+
		"a folder, dead letters too; a file goes on where it ended")
	f.listen.register(fl)
}

// complete sets derived values, and checks the flags.
func (f *workerFlags) complete(cmd *cobra.Command) error {
	f.given = givenFlags{}
	f.given.note(cmd.Flags(), byUser)
	if f.given.has("trials") {
		return f.completeTrials()
	}
	if !f.given.has("nats") {
		return errors.New("name the broker with --nats URL, such as --nats nats://localhost:4222")
	}
	errs := []error{f.brokerFlags.complete("nats")}
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(f.packs) == 0 && f.config == "" {
		bad("name the evals to run with --pack FILE or --config FILE")
	}
	for _, c := range []struct {
		flag     string
		n, least int
	}{{"jobs", f.jobs, 1}, {"max-deliver", f.maxDeliver, 1}, {"retries", f.retries, 0}} {
		if c.n < c.least {
			bad("--%s must be at least %d, found %d", c.flag, c.least, c.n)
		}
	}
	if f.given.has("ack-wait") && f.ackWait < time.Second {
		bad("--ack-wait must be at least 1s, found %s", f.ackWait)
	}
	if f.giveBack < 0 {
		bad("--give-back must be at least 0, found %s", f.giveBack)
	}
	if f.given.has("idle") && f.idle <= 0 {
		bad("--idle must be above 0, found %s", f.idle)
	}
	if _, err := nats.NamesOf(f.durable); err != nil {
		bad("--durable: a consumer cannot be called %q; expected letters, digits, _ and -", f.durable)
	}
	for _, given := range []struct{ flag, value string }{{"judge", f.judge}, {"output", f.output}} {
		errs = append(errs, f.given.notEmpty(given.flag, "give it a value", given.value))
	}
	return errors.Join(append(errs, f.listen.validate(f.given))...)
}

func (f *workerFlags) run(ctx context.Context, app *App) error {
	e, err := f.load(app)
	if err != nil {
		return err
	}
	defer e.close()
	if f.listen.subject != "" {
		err = f.listen.validatePrompt(e)
	}
	if err != nil {
		return err
	}
	tell := newNotifier(app)
	soft, stopped := app.interruptible(ctx, runner.Stop(), func() {
		tell("stopping: what is in hand is finished; interrupt again to quit at once")
	})
	defer stopped()
	o := f.options("arena worker", 0, tell)
	o.NoCreate, o.Scrub, o.MaxAway = f.noCreate, app.secrets.JSON, f.idle
	client, err := nats.Connect(soft, o)
	if soft.Err() != nil {
		return nil
	}
	if err != nil {
		return broken(err)
	}
	defer client.Close()
	if err := client.Prepare(soft); err != nil {
		return ifBroken(unlessStopped(soft, err))
	}
	e.now, e.crash = app.Now, func(string, any, []byte) {}
	w := &nats.Worker{
		Client: client, Evaluator: e, Name: workerName(), Durable: f.durable, Jobs: f.jobs, MaxDeliver: f.maxDeliver,
		GiveBack: f.giveBack, AckWait: f.ackWait, Idle: f.idle, Now: app.Now, Notify: tell,
	}
	tell(fmt.Sprintf("%s: taking %s, %d at once; evals: %s", client.Address(), client.Requests(), f.jobs,
		strings.Join(e.ids(), ", ")))
	l := f.listen.listener(client, e, w, tell)
	if l != nil {
		w.Behind = l.Behind
	}
	err = f.work(ctx, soft, client, w, l)
	if l != nil {
		tell(l.Summary())
	}
	tell(workDone(w.Stats()))
	return ifBroken(err)
}

// unlessStopped drops an error that only says that the user stopped the command.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// load loads packs and config, and prepares their evals.
func (f *workerFlags) load(app *App) (*packEvals, error) {
	suite, diags := checks.Load(scenario.Options{
		Paths: f.packs, Packs: f.packs, Config: f.config, Lenient: f.lenient, Getenv: app.Getenv, Bare: true, Recorded: true,
	})
	app.learnSecrets(suite, diags)
	var e *packEvals
	if diags.Errors() == 0 {
		f.filter.Apply(suite, diags)
		clients := &harness.Clients{Jobs: f.jobs, Random: rand.Float64, Now: app.Now, Lenient: f.lenient}
		clients.Retries = pointerTo(f.given, "retries", f.retries)
		if len(suite.Projects) != 1 {
			return nil, fmt.Errorf("the packs and the config make %d projects; a worker takes one", len(suite.Projects))
		}
		e = newPackEvals(suite.Projects[0], runner.PlanOptions{
			Lenient: f.lenient, Judge: f.judge, Jobs: f.jobs, Open: clients.Open, OpenEmbedder: clients.OpenEmbedder,
		}, diags)
	}
	app.showDiags(app.Err, diags.Sorted(), suite.Files, app.useColor("auto", app.ErrTTY), "nothing was run")
	if diags.Errors() > 0 {
		return nil, exit(result.ExitUsage)
	}
	return e, nil
}

// newNotifier prints lines to stderr. Any goroutine may call the function.
func newNotifier(app *App) func(string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		app.printMessage(text)
	}
}

func workDone(s nats.Stats) string {
	parts := []string{
		plural.Count(int(s.Requests), "request") + " done", plural.Count(int(s.Results), "result") + " stored",
	}
	for _, c := range []struct {
		n    int64
		what string
	}{
		{s.Redelivered, "redelivered"}, {s.Duplicates, "suppressed as copies"}, {s.GivenBack, "given back"},
		{s.Dead, "given up"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
