package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// packEvals evaluates the evals that requests ask for. It implements nats.Evaluator.
type packEvals struct {
	evaluators      map[string]*runner.Evaluator // by task type of the prompt; "": the only prompt, or none
	notUnderDefault string                       // evals that need a prompt to be named
	now             func() time.Time
	crash           func(string, any, []byte)
}

// newPackEvals prepares the evals for every prompt of a project. d gets the problems.
func newPackEvals(p *scenario.Project, opts runner.PlanOptions, d *diag.List) *packEvals {
	w := &packEvals{evaluators: map[string]*runner.Evaluator{}, notUnderDefault: inventory.LostWithoutPrompt(p)}
	tasks := []string{""}
	for _, prompt := range p.Prompts {
		tasks = append(tasks, prompt.TaskType)
	}
	for _, task := range tasks {
		if d.Errors() > 0 {
			break // other prompts would report the same
		}
		if e := runner.NewEvaluator(p, task, opts, d); e != nil {
			w.evaluators[task] = e
		}
	}
	if d.Errors() == 0 && len(w.ids()) == 0 {
		d.Errorf(diag.Pos{File: p.File}, 1, "no-evals", "there are no evals to run").Hint =
			"name a pack that has evals with --pack, and loosen --eval-groups and --eval-types"
	}
	return w
}

// ids are the ids of all evals, sorted.
func (w *packEvals) ids() []string {
	known := map[string]bool{}
	for _, e := range w.evaluators {
		for _, eval := range e.Evals() {
			known[eval.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// prompts are the task types of the prompts, sorted.
func (w *packEvals) prompts() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.evaluators)), func(task string) bool { return task == "" })
}

func (w *packEvals) close() {
	for _, e := range w.evaluators {
		e.Close()
	}
}

// Evaluate implements nats.Evaluator.
func (w *packEvals) Evaluate(ctx context.Context, r *dispatch.Request) ([]result.EvalResult, error) {
	e, err := w.evaluator(r)
	if err != nil {
		return nil, err
	}
	at := runner.Moment{}
	switch r.Moment {
	case dispatch.Turn:
		at = runner.AfterTurn(r.Turn)
	case dispatch.End:
		at = runner.AtEnd()
	case dispatch.Whole:
	}
	t := e.Evaluate(ctx, session(r), at, runner.Options{Now: w.now, Only: r.Evals, Crash: w.crash})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if t.Error != "" {
		return nil, errors.New(t.Error)
	}
	return t.Evals, nil
}

// evaluator finds the evaluator for a request.
func (w *packEvals) evaluator(r *dispatch.Request) (*runner.Evaluator, error) {
	e := w.evaluators[r.Prompt]
	if e == nil {
		return nil, &dispatch.RefusedError{Why: dispatch.UnknownPrompt, OtherWorker: true, Reason: fmt.Sprintf(
			"this worker has no prompt %q; known: %s", r.Prompt, strings.Join(w.prompts(), ", "))}
	}
	for _, id := range r.Evals {
		if slices.ContainsFunc(w.ids(), func(known string) bool { return known == id }) {
			continue
		}
		reason := fmt.Sprintf("this worker has no eval %q", id)
		if near := diag.DidYouMean(id, w.ids()); near != "" {
			reason += "; " + near
		}
		return nil, &dispatch.RefusedError{Why: dispatch.UnknownEval, OtherWorker: true, Reason: reason}
	}
	if r.Prompt == "" && w.notUnderDefault != "" && !hasEvals(r.Evals, e) {
		return nil, &dispatch.RefusedError{
			Why: dispatch.UnknownPrompt, OtherWorker: true,
			Reason: "the request names no prompt: " + w.notUnderDefault + " at this worker",
		}
	}
	for _, eval := range e.Evals() {
		if asked, ok := r.Digests[eval.ID]; ok && asked != eval.Digest {
			return nil, &dispatch.RefusedError{Why: dispatch.OtherEval, OtherWorker: true, Reason: fmt.Sprintf(
				"the eval %q of this worker has another check, other params or another condition than the one that is asked for; "+
					"give both the same pack", eval.ID)}
		}
	}
	return e, nil
}

// hasEvals reports whether ids are given, and an evaluator has all of them.
func hasEvals(ids []string, e *runner.Evaluator) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(e.Evals(), func(eval *evals.Eval) bool { return eval.ID == id })
	})
}

// session is the conversation of a request.
func session(r *dispatch.Request) *recording.Session {
	s := &recording.Session{
		ID: r.Session, Scenario: r.Scenario, Provider: r.Provider, Model: r.Model, Region: r.Region, Tags: r.Tags,
		Labels: r.Labels, Started: r.Started, Metadata: r.Metadata, Workflow: r.Workflow,
		SpeakingStates: r.States,
	}
	for i := range r.Messages {
		m := recording.Message{Message: r.Messages[i].Message, At: r.Messages[i].At, Offset: -1}
		if !m.At.IsZero() && !r.Started.IsZero() && !m.At.Before(r.Started) {
			m.Offset = m.At.Sub(r.Started)
		}
		s.Messages = append(s.Messages, m)
	}
	return s
}
