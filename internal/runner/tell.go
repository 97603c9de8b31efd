package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// teller tells of what happens within one trial. Of a run to which nobody listens it is nil: its methods do nothing
// then, and cost nothing. Calls of models may be told by several goroutines at once, while the trial's own waits for
// them; everything else by the trial's own.
type teller struct {
	events  chan<- result.Event
	started time.Time // of the run
	clock   *clock
	trial   *Trial
	id      string
	turn    int // that is played; result.NoTurn before, between and after
	calls   atomic.Int64
	// clean takes out of an event what may not be written; nil: there is nothing.
	clean func(result.Event) result.Event
	// holds says that the events wait for the end of the trial: what comes later shows what may not be written.
	holds bool
	held  []result.Event
	mu    sync.Mutex // of the held ones
}

// send hands an event over as it may be written.
func (t *teller) send(e result.Event) {
	if t.holds {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.held = append(t.held, e)
		return
	}
	if t.clean != nil {
		e = t.clean(e)
	}
	t.events <- e
}

// release hands over the events that waited, when the trial is over.
func (t *teller) release() {
	if t == nil || !t.holds {
		return
	}
	held := t.held
	t.holds, t.held = false, nil
	for _, e := range held {
		t.send(e)
	}
}

// at is the present place.
func (t *teller) at() result.At {
	if t == nil {
		return result.At{Turn: result.NoTurn}
	}
	at := result.At{
		Trial: t.id, Scenario: t.trial.Scenario.ID, Provider: t.trial.Endpoint.Spec.ID, Turn: t.turn,
	}
	if t.clock.simulated {
		at.Time = t.started.Add(t.clock.virtual)
	} else {
		at.Time = t.clock.now()
	}
	return at
}

// number is the next one for a call of the trial.
func (t *teller) number() int { return int(t.calls.Add(1)) }

// trialStarted is complete only when somebody listens.
func (t *teller) trialStarted(trial *Trial) result.TrialStarted {
	e := result.TrialStarted{At: t.at(), Index: trial.Index, ID: trial.ID()}
	if t != nil {
		spec := trial.Endpoint.Spec
		e.Type, e.Model, e.Region, e.Number, e.Of = spec.Type, spec.Model, trial.Region, trial.N, trial.Of
		e.Variant, e.Tags, e.Position = trial.Variant.label(), trial.Scenario.Tags, trial.Scenario.Pos
	}
	return e
}

func (t *teller) turnStarted(turn int, user string) {
	if t == nil {
		return
	}
	t.turn = turn
	t.send(result.TurnStarted{At: t.at(), User: user})
}

// turnCompleted tells of the assertions of a turn and of its end.
func (t *teller) turnCompleted(turn *result.Turn) {
	if t == nil {
		return
	}
	t.verdicts(turn.Index, turn.Assertions)
	t.send(result.TurnCompleted{
		At: t.at(), LatencyMS: turn.LatencyMS, ToolCalls: len(turn.ToolCalls), Error: turn.Error,
	})
	t.turn = result.NoTurn
}

// verdicts tells of the assertions of a turn, which need not have been played, or of the conversation.
func (t *teller) verdicts(turn int, list []result.Verdict) {
	if t == nil {
		return
	}
	at := t.at()
	at.Turn = turn
	for i := range list {
		t.send(result.VerdictGivenOf(&list[i], at, i))
	}
}

// message tells of a message at an index of the transcript.
func (t *teller) message(m *chat.Message, index int) {
	if t != nil {
		t.send(result.MessageCreatedOf(m, t.at(), index))
	}
}

func (t *teller) fired(f *result.Firing, index int) {
	if t != nil {
		t.send(result.ValidationFailedOf(f, t.at(), index))
	}
}

func (t *teller) eval(r *result.EvalResult) {
	if t != nil {
		t.send(result.EvalEvent(r, t.at()))
	}
}

// call tells that a model is called. The returned function, which is nil when nobody listens, tells how that ended.
func (t *teller) call(spec *scenario.Provider, req *chat.Request) func(*chat.Reply, error) {
	if t == nil {
		return nil
	}
	call := result.Call{
		Number: t.number(), Provider: spec.ID, Type: spec.Type, Model: spec.Model, Judge: req.Origin.Judge,
	}
	sent := *req
	began := t.clock.now()
	t.send(result.CallStarted{
		At: t.at(), Call: call, Reply: req.Origin.Reply, Messages: len(req.Messages), Tools: len(req.Tools),
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

func (t *teller) failure(call result.Call, err error, began time.Time) result.CallFailed {
	e := result.CallFailed{At: t.at(), Call: call, Error: err.Error(), ErrorKind: "other"}
	if !t.clock.simulated {
		e.LatencyMS = milliseconds(t.clock.now().Sub(began))
	}
	failed, known := errors.AsType[*providers.Error](err)
	_, timeout := errors.AsType[timeoutError](err)
	switch {
	case timeout || errors.Is(err, context.DeadlineExceeded):
		e.ErrorKind = string(providers.Timeout)
	case errors.Is(err, errStopped) || errors.Is(err, errFailFast) || errors.Is(err, context.Canceled):
		e.ErrorKind = "cancelled"
	case known:
		e.ErrorKind, e.Status = string(failed.Kind), failed.Status
		if failed.Attempts > 1 {
			e.Attempts = failed.Attempts
		}
	}
	return e
}
