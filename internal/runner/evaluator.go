package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Evaluator runs the evals of a project over conversations. It is safe for concurrent use.
type Evaluator struct {
	template Trial
	close    func()
}

// NewEvaluator prepares the evals of a project for conversations under a prompt, named by its task type; "" is the only
// prompt, or none. Judges and programs are opened as for a run. It returns nil after errors, which it adds to d.
func NewEvaluator(p *scenario.Project, prompt string, opts PlanOptions, d *diag.List) *Evaluator {
	m := newMatrix(opts, d)
	e := &scenario.RecordingEval{Meta: scenario.Meta{ID: evalProvider, Pos: diag.Pos{File: p.File}}, TaskType: prompt}
	s := e.Scenario()
	m.checkJudge(&scenario.Suite{Projects: []*scenario.Project{p}})
	run := m.prepare(p, []*scenario.Scenario{s}, nil)
	under, ok := m.prompt(p, s)
	if run == nil || !ok || d.Errors() > 0 {
		return nil
	}
	(&names.Checker{Project: p, Tools: run.tools.Registry, Lenient: opts.Lenient, Diags: d, Recorded: true}).
		Report([]*scenario.Scenario{s}, func(*scenario.Scenario) []*scenario.Provider { return nil })
	return &Evaluator{
		template: Trial{
			Project: run, Scenario: s, Prompt: under, Endpoint: recordedEndpoint(), Region: scenario.DefaultRegion, N: 1, Of: 1,
		},
		close: func() {
			m.close()
			_ = run.tools.Close() // no caller is left to get an error
		},
	}
}

// Evals returns the evals that can run, in order.
func (e *Evaluator) Evals() evals.Set { return e.template.Project.stance(e.template.Prompt).evals }

// Evaluate runs the evals that are due at a moment of the conversation. The trial that it returns holds their results
// in Evals, or the reason why there are none in Error. Only Now is required in opts.
func (e *Evaluator) Evaluate(ctx context.Context, s *recording.Session, at Moment, opts Options) *result.Trial {
	t := e.template
	t.Recorded = &Recorded{Load: func() (*recording.Session, error) { return s, nil }, File: s.File, At: at}
	session := newSession(t, &opts, nil)
	session.run(ctx)
	return session.out
}

// Close closes idle connections, and stops what tools have started.
func (e *Evaluator) Close() { e.close() }
