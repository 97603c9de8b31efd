package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Evaluator runs the evals of a project over conversations. It is safe for concurrent use.
type Evaluator struct {
	template Trial
	close    func()
}

// NewEvaluator prepares the evals of conversations under a prompt, by its task type; "" is the only one, or none. The
// judges and programs that they ask are opened as for a run. After a problem, which goes to d, it is nil.
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
	(&naming{p: p, tools: run.tools.Registry, lenient: opts.Lenient, diags: d, over: true}).report([]*scenario.Scenario{s},
		func(*scenario.Scenario) []*scenario.Provider { return nil })
	return &Evaluator{
		template: Trial{
			Project: run, Scenario: s, Prompt: under, Endpoint: recordedEndpoint(), Region: defaultRegion, N: 1, Of: 1,
		},
		close: func() {
			m.close()
			_ = run.tools.Close() // nobody is left to be told
		},
	}
}

// Evals are those that may fire, in order.
func (e *Evaluator) Evals() evals.Set { return e.template.Project.stance(e.template.Prompt).evals }

// Evaluate runs the evals that are due at a moment of the conversation. What they measured is in Evals of the trial;
// its Error says why nothing could be. The opts may leave everything out but Now.
func (e *Evaluator) Evaluate(ctx context.Context, s *recording.Session, at Moment, opts Options) *result.Trial {
	t := e.template
	t.Recorded = &Recorded{Load: func() (*recording.Session, error) { return s, nil }, File: s.File, At: at}
	session := newSession(t, &opts, nil)
	session.run(ctx)
	return session.out
}

// Close lets go of idle connections, and ends what tools have started.
func (e *Evaluator) Close() { e.close() }
