package traced

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans"
	"github.com/arena-evals/arena/internal/spans/receiver"
)

// work is what the program of a trial tells.
type work struct {
	p      *Provider
	failed error // why nothing can be heard
	inbox  *receiver.Inbox
	file   tail

	mu      sync.Mutex
	seen    map[string]bool         // spans of earlier replies
	said    map[string]int          // calls that the program told of in another way, by what they are
	waiting map[string][]chat.Reply // the rest of a turn, by the step that asked
}

// begin makes a place for what the program of a trial tells, and lets it know.
func (p *Provider) begin(ctx context.Context, trial *providers.Trial) *work {
	w := &work{p: p, seen: map[string]bool{}, said: map[string]int{}, waiting: map[string][]chat.Reply{}}
	dir, err := os.MkdirTemp("", "arena-traces-")
	if err != nil {
		w.failed = fmt.Errorf("no folder for its traces: %w", err)
		return w
	}
	_, inbox, err := p.open(context.WithoutCancel(ctx), trial.ID)
	if err != nil {
		w.failed = errors.Join(err, os.RemoveAll(dir))
		return w
	}
	w.inbox, w.file.path = inbox, filepath.Join(dir, "spans.jsonl")
	for _, v := range append(inbox.Env(), "ARENA_TRACE_DIR="+dir, "KENSA_TRACE_DIR="+dir) {
		if name, _, _ := strings.Cut(v, "="); !p.taken[name] {
			trial.Env = append(trial.Env, v)
		}
	}
	return w
}

// setBy are the variables of ours that the file of a provider sets: they win. Who sends traces elsewhere says so by any
// of those for that.
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

// nextReply is what comes next of a turn whose program has ended it.
func (w *work) nextReply(req *chat.Request) (reply chat.Reply, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	step := req.Origin.Step
	if req.Origin.Reply == 0 {
		delete(w.waiting, step)
	}
	list := w.waiting[step]
	if len(list) == 0 {
		return reply, false
	}
	w.waiting[step] = list[1:]
	return list[0], true
}

func (w *work) wait(req *chat.Request, rest []chat.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[req.Origin.Step] = rest
}

// told notes calls that the program told of itself.
func (w *work) told(calls []chat.ToolCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range calls {
		w.said[exactly(&calls[i])]++
	}
}

// collect waits for what the program told of the turn that it ended with a reply, and makes the replies of it.
func (w *work) collect(ctx context.Context, reply chat.Reply) ([]chat.Reply, error) {
	if w.p.stays {
		w.inbox.Silence(ctx, quiet, nil)
	} else {
		w.drain(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	trace, err := w.take(!w.p.stays)
	if err != nil || len(trace.Spans) == 0 {
		return []chat.Reply{reply}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return replies(trace, reply, w.said), nil
}

// drain waits for what programs left behind that have ended.
func (w *work) drain(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	w.inbox.Drain(limited)
}

// take is what came since the last time. ended says that no more will come.
func (w *work) take(ended bool) (*spans.Trace, error) {
	came, lost := w.inbox.Take()
	if err := lost.Err(); err != nil {
		return nil, err
	}
	written, err := w.file.read(ended)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh := make([]spans.Span, 0, len(came)+len(written))
	added := map[string]bool{}
	for _, s := range append(came, written...) {
		key := s.ID + "\x00" + s.Name + "\x00" + s.Start.String()
		if s.ID == "" || !w.seen[key] {
			fresh = append(fresh, s)
			added[key] = true
		}
	}
	for key := range added {
		w.seen[key] = true
	}
	return spans.NewTrace(fresh), nil
}

// End implements providers.TrialPart: the program has ended. What it did behind its last reply was seen by no check.
func (w *work) End(ctx context.Context) (notices []string, err error) {
	if w.failed != nil {
		return nil, nil // the call was an error
	}
	w.drain(ctx)
	trace, err := w.take(true)
	if err == nil {
		if n := len(trace.Calls()); n > 0 {
			err = fmt.Errorf("provider %s: its traces tell of %s after its last reply, which no check has seen: %s",
				w.p.spec.ID, plural.Count(n, "tool call"), trace.Calls()[0].Name)
		} else if n := trace.ModelCalls(); n > 0 {
			notices = append(notices, fmt.Sprintf("its traces tell of %s after its last reply, which do not count",
				plural.Count(n, "model call")))
		}
	}
	counts, closed := w.p.close(w.inbox)
	if counts.Refused > 0 {
		notices = append(notices, fmt.Sprintf("%s with traces had no secret or no trial and did not count: a program that "+
			"sends traces must send the headers of OTEL_EXPORTER_OTLP_HEADERS", plural.Count(counts.Refused, "request")))
	}
	if counts.Late > 0 {
		notices = append(notices, fmt.Sprintf("%s came for trials that had ended, and did not count",
			plural.Count(counts.Late, "span")))
	}
	return notices, errors.Join(err, closed, os.RemoveAll(filepath.Dir(w.file.path)))
}
