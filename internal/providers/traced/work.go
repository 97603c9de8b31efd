package traced

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans"
	"github.com/arena-evals/arena/internal/spans/receiver"
)

// workKey identifies a program within a trial. Programs of different steps of a composition may run at the same time.
// The simulated user and the agent have processes of their own, even if they are the same program.
type workKey struct {
	p             *Provider
	step, persona string // "": none
}

// work collects the traces of a program in a trial. Its methods are not called concurrently.
type work struct {
	p      *Provider
	failed error // why nothing can be heard
	inbox  *receiver.Inbox
	dir    string // for its files
	folder *spans.Folder
	wrote  bool     // it has written spans into its folder
	read   bool     // a program that was started for one reply has ended, and all that it sent is here
	env    []string // variables that say where to send spans

	parts   spans.Parts
	waiting []chat.Reply // the rest of a turn
	turn    turn         // the running turn, of a program that keeps running
	turns   int          // that have ended
	began   time.Time
	judged  time.Time     // the end of the last turn; zero: none has ended
	before  reportedCalls // reported calls of earlier turns without spans so far

	early    []spans.Span // that were taken for the error of a call, and count like those that come
	earlyErr error        // why there may have been more
}

// begin prepares to receive the traces of a program in a trial.
func (p *Provider) begin(ctx context.Context, trial *providers.Trial, key workKey) *work {
	w := &work{p: p, began: p.now()}
	name := strings.Join(strings.Fields(trial.ID+" "+key.step+" "+key.persona), " ")
	if w.inbox, w.dir, w.failed = p.open(context.WithoutCancel(ctx), name); w.failed != nil {
		return w
	}
	w.folder = spans.NewFolder(w.dir)
	delay := p.waits.send
	if p.stays {
		delay = p.waits.sendLines
	}
	for _, v := range append(w.inbox.Env(delay), "ARENA_TRACE_DIR="+w.dir, "KENSA_TRACE_DIR="+w.dir) {
		if name, _, _ := strings.Cut(v, "="); !p.taken[name] {
			w.env = append(w.env, v)
		}
	}
	return w
}

// setBy returns the tracing variables that the file of a provider sets itself. They take precedence over ours: with any
// of them, the program sends its traces elsewhere.
func setBy(spec *scenario.Provider) map[string]bool {
	taken := map[string]bool{}
	if spec.Program == nil {
		return taken
	}
	for _, entry := range spec.Program.Env {
		name, _, _ := strings.Cut(entry, "=")
		taken[name] = true
		if strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") {
			for _, ours := range []string{"ENDPOINT", "PROTOCOL", "HEADERS"} {
				taken["OTEL_EXPORTER_OTLP_"+ours] = true
			}
		}
	}
	return taken
}

// sends reports whether the program knows where to send spans.
func (w *work) sends() bool { return !w.p.taken["OTEL_EXPORTER_OTLP_ENDPOINT"] }

// nextReply returns the next of the remaining replies of a turn that the program has ended.
func (w *work) nextReply(req *chat.Request) (reply chat.Reply, ok bool) {
	if req.Origin.Reply == 0 {
		w.waiting = nil
	}
	if len(w.waiting) == 0 {
		return reply, false
	}
	reply = w.waiting[0]
	w.waiting = w.waiting[1:]
	return reply, true
}

// collect waits for the traces of the turn that the program ended with a reply, and returns the replies of the turn.
func (w *work) collect(ctx context.Context, reply chat.Reply) ([]chat.Reply, error) {
	replied := w.p.now()
	received, err := w.waitForSpans(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	received, err = w.inTime(received)
	if err != nil {
		return nil, err
	}
	trace := w.parts.Next(received)
	if !w.p.stays {
		if trace = spans.NewTrace(trace.Spans); len(trace.Spans) == 0 { // all parts are there
			return []chat.Reply{reply}, nil
		}
	}
	out := replies(trace, reply, &w.turn, w.p.spec)
	w.turn.settle(out, trace, reply, providers.PriceFor(w.p.spec))
	w.judged = replied
	w.turns++
	w.before.calls = append(w.before.calls, w.turn.reported.calls...)
	return out, nil
}

// waitForSpans waits for the spans of a turn and returns them.
func (w *work) waitForSpans(ctx context.Context) ([]spans.Span, error) {
	if !w.p.stays {
		w.drain(ctx)
		w.read = true
		return w.take(true)
	}
	if !w.sends() {
		return w.take(false)
	}
	received, err := w.take(false)
	before := w.turn.arrivals
	if err != nil || w.wrote && w.inbox.Arrivals() == 0 {
		return received, err // the program writes its spans to the file
	}
	w.inbox.Arrival(ctx, before, w.p.patience())
	some := w.inbox.Arrivals() > before
	if w.p.noteSpans(some); some {
		w.inbox.Silence(ctx, w.p.waits.quiet, nil)
	}
	more, err := w.take(false)
	return append(received, more...), err
}

// drain waits for requests of programs that have ended.
func (w *work) drain(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, w.p.waits.drain)
	defer cancel()
	w.inbox.Drain(limited)
}

// take returns the spans since the last call. ended says that the program has ended.
func (w *work) take(ended bool) ([]spans.Span, error) {
	early, err := w.early, w.earlyErr
	w.early, w.earlyErr = nil, nil
	received, lost := w.inbox.Take()
	if err = cmp.Or(err, lost.Err()); err != nil {
		return early, err
	}
	written, err := w.folder.Read(ended)
	w.wrote = w.wrote || len(written) > 0
	return slices.Concat(early, received, written), err
}

// addPartial adds to the error of a call the tool calls that the program had traced by then. An error of reading them
// is ignored: the call has failed already.
func (w *work) addPartial(err error) {
	failed, ok := errors.AsType[*providers.Error](err)
	if !ok {
		return
	}
	w.early, w.earlyErr = w.take(!w.p.stays)
	reply := chat.Reply{}
	if failed.Partial != nil {
		reply = *failed.Partial
	}
	for _, c := range spans.NewTrace(w.early).Calls() {
		call := toolCall(&c)
		reply.ToolCalls = append(slices.Clip(reply.ToolCalls), call)
		reply.ToolResults = append(slices.Clip(reply.ToolResults), resultOf(&c, call))
	}
	failed.Partial = &reply
}

// margin is the tolerated difference between a program's clock and ours.
const margin = 10 * time.Millisecond

// inTime drops the spans of calls that began before the end of the previous turn. It is an error if the program had not
// reported one of these: the previous turn was judged without it. Times before the start of the trial are ignored,
// because they come from no real clock.
func (w *work) inTime(received []spans.Span) (current []spans.Span, err error) {
	if w.judged.IsZero() {
		return received, nil
	}
	var late []spans.Span
	for i := range received {
		s := &received[i]
		acts := s.Kind == spans.Model || s.Kind == spans.ToolRun
		if acts && s.Start.After(w.began.Add(-margin)) && s.Start.Before(w.judged.Add(-margin)) {
			late = append(late, *s)
		} else {
			current = append(current, *s)
		}
	}
	trace := w.parts.Next(late)
	calls, _ := w.before.without(trace.Calls())
	if what := acts(calls, trace); what != "" {
		return nil, fmt.Errorf("its traces report %s of turn %d or before, and came when that was judged: a program has to "+
			"send its spans before it replies (force_flush)", what, w.turns)
	}
	return current, nil
}

// acts describes the actions of a program that it had not reported before; "": none.
func acts(calls []spans.Call, trace *spans.Trace) string {
	var what []string
	if len(calls) > 0 {
		what = append(what, fmt.Sprintf("%s (%s)", plural.Count(len(calls), "tool call"), calls[0].Name))
	}
	if n := trace.ModelCalls(); n > 0 {
		what = append(what, plural.Count(n, "model call"))
	}
	return strings.Join(what, " and ")
}

// End implements providers.TrialPart: the program has ended. It reports what the program did after its last reply,
// which no check has seen.
func (w *work) End(ctx context.Context) (notices []string, err error) {
	if w.failed != nil {
		return nil, nil // the call was an error
	}
	if !w.read {
		w.drain(ctx)
	}
	received, err := w.take(true)
	if err == nil && w.p.stays {
		received, err = w.inTime(received)
	}
	if err == nil {
		trace := w.parts.Next(received)
		calls, _ := w.before.without(trace.Calls())
		if len(calls) > 0 {
			err = fmt.Errorf("its traces report %s after its last reply, which no check has seen: %s",
				plural.Count(len(calls), "tool call"), calls[0].Name)
		} else if n := trace.ModelCalls(); n > 0 {
			notices = append(notices, fmt.Sprintf("its traces report %s after its last reply, which do not count",
				plural.Count(n, "model call")))
		}
		if n := w.parts.Missing(); n > 0 && w.p.stays {
			notices = append(notices, fmt.Sprintf("the parents of %s did not come", plural.Count(n, "span")))
		}
	}
	if other := w.folder.Unread(); other != "" {
		notices = append(notices, fmt.Sprintf("provider %s: %s", w.p.spec.ID, other))
	}
	if err != nil {
		err = fmt.Errorf("provider %s: %w", w.p.spec.ID, err)
	}
	return notices, errors.Join(err, w.p.close(w.inbox, w.dir))
}
