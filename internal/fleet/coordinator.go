package fleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/plural"
)

// Coordinator has workers run the trials of a run. It sends a job for each trial, waits for its outcome, and warns when
// no worker can run it. It is safe for concurrent use.
type Coordinator struct {
	Run    string
	Trials int // of the plan
	// Again says that the run was coordinated before, so that outcomes of its trials may be stored already.
	Again bool
	// Ask stores a job for workers. It must not store a job twice that waits already.
	Ask func(ctx context.Context, j *Job) error
	// Halt tells the workers that the run is stopped; the cause of ctx says why. It returns when all earlier messages
	// of the workers have arrived. nil: nothing to tell.
	Halt func(ctx context.Context)
	// Notify shows a line to the user.
	Notify func(string)
	// A trial for which no worker is there is warned of after Warn, and given up after Patience.
	Warn, Patience time.Duration
	Now            func() time.Time // a monotonic clock

	mu      sync.Mutex
	waiting map[int]*ticket
	held    map[int]arrival // results of trials that were not asked for yet
	over    map[int]bool    // trials whose result was taken
	needs   map[string]*need
	workers map[string]*seen
	left    map[string]*seen // workers that ended or went silent
	broken  error            // why no further result can arrive
	copies  int
	again   int // trials that were delivered more than once
	doubted int // tickets in doubt
}

// ticket is a trial whose outcome is awaited.
type ticket struct {
	job     *Job
	started func()
	begin   sync.Once // calls started at most once
	worker  string    // the last worker that began it; "": none
	arrived chan arrival
	// since when the broker may have lost the job; zero: it has it
	doubt time.Time
	again chan struct{} // receives when the job must be sent again
}

type arrival struct {
	outcome *Outcome
	err     error
}

// need is how many trials wait for a need, and whether a worker serves it.
type need struct {
	waiting int       // trials
	lacking time.Time // since when no worker serves it; zero: one does
	warned  bool
}

// seen is a worker and when its last message came.
type seen struct {
	Presence
	last time.Time
}

// Workers send their presence every Heartbeat. A worker that is silent for longer than gone counts as ended.
const (
	Heartbeat = 5 * time.Second
	gone      = 4 * Heartbeat
)

// grace is how long the coordinator of a stopped run waits for trials that workers have begun.
const grace = 10 * time.Second

// Do has a worker run a trial, and returns its outcome. started is called once, when a worker has begun it. When ctx
// ends, Do returns its cause; when a worker has begun the trial, Do waits up to grace for the outcome first.
func (c *Coordinator) Do(ctx context.Context, j *Job, started func()) (*Outcome, error) {
	j.Run, j.Again = c.Run, c.Again
	t := &ticket{job: j, started: started, arrived: make(chan arrival, 1), again: make(chan struct{}, 1)}
	defer t.begin.Do(func() {})
	got, err := c.enter(t)
	if err != nil {
		return nil, err
	}
	if got == nil {
		defer c.leave(t)
		if got, err = c.wait(ctx, t); err != nil {
			return nil, err
		}
	}
	if got.outcome != nil {
		t.begin.Do(t.started)
	}
	return got.outcome, got.err
}

func (a *arrival) worker() string {
	if a.outcome == nil {
		return ""
	}
	return a.outcome.Worker
}

// wait sends the job of a trial, and waits for its outcome.
func (c *Coordinator) wait(ctx context.Context, t *ticket) (*arrival, error) {
	asked := c.ask(ctx, *t.job)
	for {
		select {
		case got := <-t.arrived:
			return &got, nil
		case <-t.again:
			job := *t.job
			job.Again = true
			asked = c.ask(ctx, job)
		case err := <-asked:
			if asked = nil; err != nil && ctx.Err() == nil {
				return nil, err
			}
		case <-ctx.Done():
			if c.Halt != nil {
				c.Halt(ctx)
			}
			if !c.inHands(t) {
				return nil, context.Cause(ctx)
			}
			late := time.NewTimer(grace)
			defer late.Stop()
			select {
			case got := <-t.arrived:
				return &got, nil
			case <-late.C:
				return nil, context.Cause(ctx)
			}
		}
	}
}

func (c *Coordinator) ask(ctx context.Context, j Job) <-chan error {
	asked := make(chan error, 1)
	go func() { asked <- c.Ask(ctx, &j) }()
	return asked
}

// enter registers a trial whose outcome is awaited. It returns the outcome when that has arrived already.
func (c *Coordinator) enter(t *ticket) (*arrival, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := t.job.Index
	if got, ok := c.held[i]; ok {
		delete(c.held, i)
		c.over = marked(c.over, i)
		return fits(t, got), nil
	}
	if c.broken != nil {
		return nil, c.broken
	}
	if c.waiting == nil {
		c.waiting, c.needs = map[int]*ticket{}, map[string]*need{}
	}
	if c.waiting[i] != nil {
		return nil, fmt.Errorf("the trial number %d is asked for twice", i)
	}
	c.waiting[i] = t
	n := c.needs[t.job.Needs]
	if n == nil {
		n = &need{}
		c.needs[t.job.Needs] = n
	}
	n.waiting++
	return nil, nil
}

func (c *Coordinator) leave(t *ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[t.job.Index] == t {
		delete(c.waiting, t.job.Index)
		c.over = marked(c.over, t.job.Index)
	}
	if n := c.needs[t.job.Needs]; n != nil {
		if n.waiting--; n.waiting == 0 {
			delete(c.needs, t.job.Needs)
		}
	}
}

func marked(m map[int]bool, i int) map[int]bool {
	if m == nil {
		m = map[int]bool{}
	}
	m[i] = true
	return m
}

func (c *Coordinator) inHands(t *ticket) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.worker != ""
}

// begun notes that a worker has begun a trial.
func (c *Coordinator) begun(index int, worker string) {
	c.mu.Lock()
	t := c.waiting[index]
	if t != nil {
		t.worker = cmp.Or(worker, t.worker)
	}
	c.mu.Unlock()
	if t != nil {
		t.begin.Do(t.started)
	}
}

// Outcome takes the outcome of the job of a trial, or the error for which it was refused. A second outcome of a trial
// is dropped.
func (c *Coordinator) Outcome(index int, o *Outcome, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if index < 0 || index >= c.Trials {
		c.Notify(fmt.Sprintf("a result was refused: the plan has no trial number %d%s", index, reason(err)))
		return
	}
	if o != nil && o.Tries > 1 {
		c.again++
	}
	got := arrival{o, err}
	t := c.waiting[index]
	switch {
	case t != nil:
		delete(c.waiting, index)
		c.over = marked(c.over, index)
		t.worker = cmp.Or(got.worker(), t.worker)
		fit := fits(t, got)
		if fit.err != nil {
			c.Notify(fmt.Sprintf("a result of the trial %s was refused: %v", t.job.Trial, fit.err))
		}
		t.arrived <- *fit
	case c.over[index]:
		c.copies++
	default:
		if c.held == nil {
			c.held = map[int]arrival{}
		}
		if _, had := c.held[index]; had {
			c.copies++
			return
		}
		c.held[index] = got
	}
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// fits refuses an outcome of another trial than was asked for.
func fits(t *ticket, got arrival) *arrival {
	j, o := t.job, got.outcome
	switch {
	case got.err != nil:
	case o.Trial != j.Trial:
		got.err = fmt.Errorf("the result is of the trial %s, and %s was asked for", quoted(o.Trial), j.Trial)
	case o.Fingerprint != j.Fingerprint:
		got.err = fmt.Errorf("the result has the fingerprint %s, and %s was asked for", quoted(o.Fingerprint), j.Fingerprint)
	}
	if got.err != nil {
		return &arrival{err: got.err}
	}
	return &got
}

// Presence takes the presence of a worker.
func (c *Coordinator) Presence(p *Presence, err error) {
	if err != nil {
		return // the worker sends it again soon
	}
	if p.Started != nil {
		c.begun(*p.Started, p.Worker)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers == nil {
		c.workers = map[string]*seen{}
	}
	was := c.workers[p.Worker]
	const most = 10_000 // further workers are ignored
	if was == nil && len(c.workers) >= most {
		return
	}
	if before := cmp.Or(was, c.left[p.Worker]); p.Refuses != "" && (before == nil || before.Refuses != p.Refuses) {
		c.Notify(fmt.Sprintf("worker %s takes no trial of this run: %s", p.Worker, p.Refuses))
	}
	if p.Leaves {
		if was == nil {
			c.workers[p.Worker] = &seen{Presence: *p, last: c.Now()}
		}
		c.part(p.Worker)
		return
	}
	now := &seen{Presence: *p, last: c.Now()}
	if p.Started != nil && was != nil { // which says only that
		now.Presence = was.Presence
	}
	c.workers[p.Worker] = now
	delete(c.left, p.Worker)
	for name, n := range c.needs {
		if n.warned && slices.Contains(now.Serves, name) {
			n.warned, n.lacking = false, time.Time{}
			c.Notify(fmt.Sprintf("worker %s runs the trials of %s now", p.Worker, name))
		}
	}
}

// part notes that a worker has ended. Its reasons are still shown when no worker serves a need.
func (c *Coordinator) part(worker string) {
	const most = 100 // further workers are forgotten
	if was := c.workers[worker]; was != nil && len(c.left) < most {
		if c.left == nil {
			c.left = map[string]*seen{}
		}
		c.left[worker] = was
	}
	delete(c.workers, worker)
}

// Look notices workers that went silent, and warns of or gives up trials that no worker can run. Call it about once a
// second.
func (c *Coordinator) Look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for name, w := range c.workers {
		if now.Sub(w.last) > gone {
			c.part(name)
		}
	}
	c.settleDoubts(now)
	for _, name := range slices.Sorted(maps.Keys(c.needs)) {
		n := c.needs[name]
		if c.served(name) {
			n.lacking, n.warned = time.Time{}, false
			continue
		}
		if n.lacking.IsZero() {
			n.lacking = now
		}
		switch lacks := now.Sub(n.lacking); {
		case c.Patience > 0 && lacks >= c.Patience:
			c.giveUp(name, fmt.Errorf("no worker could run it for %s: %s", c.Patience, c.whyNobody(name)))
		case lacks >= c.Warn && !n.warned:
			n.warned = true
			c.Notify(fmt.Sprintf("warning: no worker can run the trials of %s, and %s: %s", name,
				plural.Of(n.waiting, "trial waits", "trials wait"), c.whyNobody(name)))
		}
	}
}

func (c *Coordinator) served(name string) bool {
	for _, w := range c.workers {
		if slices.Contains(w.Serves, name) {
			return true
		}
	}
	return false
}

// whyNobody says, for each worker that is there or was, why it does not serve a need.
func (c *Coordinator) whyNobody(name string) string {
	var why []string
	for _, worker := range slices.Sorted(maps.Keys(c.workers)) {
		why = append(why, worker+": "+c.workers[worker].why(name))
	}
	for _, worker := range slices.Sorted(maps.Keys(c.left)) {
		if w := c.left[worker]; slices.Contains(w.Serves, name) {
			why = append(why, worker+": it is gone")
		} else {
			why = append(why, worker+", which is gone: "+w.why(name))
		}
	}
	const shown = 5
	if len(why) > shown {
		why = append(why[:shown], fmt.Sprintf("and %d more", len(why)-shown))
	}
	if len(c.workers) == 0 {
		why = append([]string{"there is no worker; start some with arena worker --trials URL"}, why...)
	}
	return strings.Join(why, "; ")
}

// why says why a worker does not run the trials of a need.
func (w *seen) why(name string) string {
	if w.Busy {
		return "it runs the trials of another run"
	}
	return cmp.Or(w.Refuses, w.Lacks[name], "it does not know them")
}

// giveUp ends all trials that have a need with an error.
func (c *Coordinator) giveUp(name string, err error) {
	for i, t := range c.waiting {
		if t.job.Needs == name {
			delete(c.waiting, i)
			c.over = marked(c.over, i)
			t.arrived <- arrival{err: err}
		}
	}
}

// Break ends all trials with an error: no further results can arrive.
func (c *Coordinator) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil || c.broken != nil {
		return
	}
	c.broken = err
	for i, t := range c.waiting {
		delete(c.waiting, i)
		t.arrived <- arrival{err: err}
	}
}

// DeliveryNote is a remark about deliveries for the end of the run; "": none.
func (c *Coordinator) DeliveryNote() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	if c.again > 0 {
		parts = append(parts, plural.Of(c.again, "trial was", "trials were")+
			" given to workers more than once: what tries without a result have cost is not known, and in no sum")
	}
	if c.copies > 0 {
		parts = append(parts, plural.Of(c.copies, "result", "results")+" came twice, and counted once")
	}
	return strings.Join(parts, "; ")
}
