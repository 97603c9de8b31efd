package runner

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// emitter sends the events of one trial. It is nil when there is no sink for them: its methods do nothing then, and
// cost nothing. Model calls may be reported from several goroutines, while the goroutine of the trial waits for them;
// everything else is sent by that goroutine.
type emitter struct {
	events  chan<- result.Event
	started time.Time // of the run
	clock   *clock
	trial   *Trial
	id      string
	turn    int    // present turn; result.NoTurn between turns
	step    string // of a composition, present; "": none
	calls   atomic.Int64
	redact  func(result.Event) result.Event
	// buffering keeps the events until the end of the trial: secrets to redact may become known during it.
	buffering bool
	buffered  []result.Event
	mu        sync.Mutex // of buffered
}

// send sends an event after redaction, or buffers it.
func (t *emitter) send(e result.Event) {
	if t.buffering {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.buffered = append(t.buffered, e)
		return
	}
	if t.redact != nil {
		e = t.redact(e)
	}
	t.events <- e
}

// flush sends the buffered events at the end of the trial.
func (t *emitter) flush() {
	if t == nil || !t.buffering {
		return
	}
	buffered := t.buffered
	t.buffering, t.buffered = false, nil
	for _, e := range buffered {
		t.send(e)
	}
}

// relay sends the events of a trial that ran elsewhere. began is its start here.
func (t *emitter) relay(story *result.Story, began result.At) {
	if t == nil || story == nil {
		return
	}
	for _, e := range story.Of(began, t.clock.now()) {
		t.send(e)
	}
	if story.Simulated {
		t.clock.simulated, t.clock.virtual = true, story.Ended.Sub(t.started)
	}
}

// at is the present position in the run.
func (t *emitter) at() result.At {
	if t == nil {
		return result.At{Turn: result.NoTurn}
	}
	at := result.At{
		Trial: t.id, Scenario: t.trial.Scenario.ID, Provider: t.trial.Endpoint.Spec.ID, Turn: t.turn, Step: t.step,
	}
	if t.clock.simulated {
		at.Time = t.started.Add(t.clock.virtual)
	} else {
		at.Time = t.clock.now()
	}
	return at
}

// nextCall numbers the calls of the trial.
func (t *emitter) nextCall() int { return int(t.calls.Add(1)) }

// trialStarted returns the event of the start. It is complete only if there is a sink.
func (t *emitter) trialStarted(trial *Trial) result.TrialStarted {
	e := result.TrialStarted{At: t.at(), Index: trial.Index, ID: trial.ID()}
	if t != nil {
		spec := trial.Endpoint.Spec
		e.Type, e.Model, e.Region, e.Number, e.Of = spec.Type, spec.Model, trial.Region, trial.N, trial.Of
		e.Row = trial.RowID()
		e.Variant, e.Tags, e.Position = trial.Variant.label(), trial.Scenario.Tags, trial.Scenario.Pos
	}
	return e
}

func (t *emitter) turnStarted(turn *result.Turn) {
	if t == nil {
		return
	}
	t.turn = turn.Index
	t.send(result.TurnStarted{At: t.at(), User: turn.User, Persona: turn.Persona})
}

// generating says for which turn a user message is being generated. The turn has not begun, and there may be no
// message.
func (t *emitter) generating(turn int) {
	if t != nil {
		t.turn = turn
	}
}

// transition sends a transition of the workflow.
func (t *emitter) transition(step *result.Transition) {
	if t == nil {
		return
	}
	t.send(result.StateChanged{
		At: t.at(), From: step.From, To: step.To, Event: step.Event, Redirected: step.Redirected,
	})
}

// turnCompleted sends the verdicts of a turn and its end.
func (t *emitter) turnCompleted(turn *result.Turn) {
	if t == nil {
		return
	}
	t.verdicts(turn.Index, turn.Assertions)
	t.send(result.TurnCompleted{
		At: t.at(), LatencyMS: turn.LatencyMS, ToolCalls: len(turn.ToolCalls), Error: turn.Error,
	})
	t.turn = result.NoTurn
}

// verdicts sends the verdicts of a turn or of the conversation. The turn may not have run.
func (t *emitter) verdicts(turn int, list []result.Verdict) {
	if t == nil {
		return
	}
	at := t.at()
	at.Turn = turn
	for i := range list {
		t.send(result.VerdictGivenOf(&list[i], at, i))
	}
}

// message sends the message at an index of the transcript.
func (t *emitter) message(m *chat.Message, index int) {
	if t != nil {
		t.send(result.MessageCreatedOf(m, t.at(), index))
	}
}

func (t *emitter) guardrailFired(f *result.Firing, index int) {
	if t != nil {
		t.send(result.ValidationFailedOf(f, t.at(), index))
	}
}

func (t *emitter) eval(r *result.EvalResult) {
	if t != nil {
		t.send(result.EvalEvent(r, t.at()))
	}
}

// call sends the start of a model call, for which left of the conversation is not sent. The function that it returns
// sends the end; it is nil when there is no sink.
func (t *emitter) call(
	spec *scenario.Provider, req *chat.Request, left *chat.LeftOut,
) func(*chat.Reply, error) {
	if t == nil {
		return nil
	}
	call := result.Call{
		Number: t.nextCall(), Provider: spec.ID, Type: spec.Type, Model: spec.Model, Judge: req.Origin.Judge,
		Persona: req.Origin.Persona, Summary: req.Origin.Summary > 0,
	}
	sent := *req
	began := t.clock.now()
	host, port := "", 0
	if !t.clock.simulated { // otherwise no server is called
		host, port = serverOf(spec)
	}
	t.send(result.CallStarted{
		At: t.at(), Call: call, Host: host, Port: port,
		Reply: req.Origin.Reply, Messages: len(req.Messages), Tools: len(req.Tools), LeftOut: left,
		Stream: req.Stream, Temperature: req.Temperature, TopP: req.TopP, MaxTokens: req.MaxTokens, Seed: req.Seed,
		Stop: req.Stop, Effort: req.ReasoningEffort, Parallel: req.ParallelToolCalls, Format: req.ReplyFormat(),
		Request: &sent,
	})
	return func(r *chat.Reply, err error) {
		if err != nil {
			t.send(t.failure(call, err, began))
			return
		}
		answer := *r
		t.send(result.CallCompleted{
			At: t.at(), Call: call, ResponseModel: r.Model, FinishReason: r.FinishReason, ToolCalls: len(r.ToolCalls),
			Usage: result.TokensOf(r.Usage), CostUSD: r.CostUSD, LatencyMS: r.LatencyMS, Retries: r.Retries,
			Answer: &answer,
		})
	}
}

// otherCall is call for a model other than the agent, which is sent the whole request.
func (t *emitter) otherCall(spec *scenario.Provider, req *chat.Request) func(*chat.Reply, error) {
	return t.call(spec, req, nil)
}

// serverOf is the host and port of a provider with a base_url. The rest of the address is left out, because it may hold
// secrets.
func serverOf(spec *scenario.Provider) (host string, port int) {
	u, err := url.Parse(spec.BaseURL)
	if err != nil {
		return "", 0
	}
	port, _ = strconv.Atoi(u.Port()) // 0 when there is none
	return u.Hostname(), port
}

func (t *emitter) failure(call result.Call, err error, began time.Time) result.CallFailed {
	e := result.CallFailed{At: t.at(), Call: call, Error: err.Error(), ErrorKind: "other"}
	if !t.clock.simulated {
		e.LatencyMS = milliseconds(t.clock.now().Sub(began))
	}
	failed, known := errors.AsType[*providers.Error](err)
	_, timeout := errors.AsType[timeoutError](err)
	switch {
	case timeout || errors.Is(err, context.DeadlineExceeded):
		e.ErrorKind = string(providers.Timeout)
	case endsRun(err) || errors.Is(err, context.Canceled):
		e.ErrorKind = "cancelled"
	case known:
		e.ErrorKind, e.Status = string(failed.Kind), failed.Status
		if failed.Attempts > 1 {
			e.Attempts = failed.Attempts
		}
	}
	return e
}
