package cli

import (
	"math/rand/v2"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// opener makes the clients of a plan's providers. A model may be tested and judge at once, and connections serve both.
func opener(app *App, f *runFlags, jobs int) runner.Opener {
	return func(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
		client, err := open.New(spec, open.Options{
			Getenv: p.Getenv, Jobs: jobs + max(jobs, runner.JudgesAtOnce), Retries: given(f, "retries", f.retries),
			Random: rand.Float64, // spreads retries in time and shows in no result
			Now:    app.Now, MockFile: p.Mock, Inline: inlineReplies(p), Lenient: f.lenient,
		})
		return client, spec.Type == "mock", err
	}
}

// embedderOpener makes the embedding models of a plan.
func embedderOpener(app *App, f *runFlags, jobs int) runner.EmbedderOpener {
	return func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
		return open.NewEmbedder(spec, open.Options{
			Getenv: p.Getenv, Jobs: jobs, Retries: given(f, "retries", f.retries), Random: rand.Float64, Now: app.Now,
		})
	}
}

// inlineReplies finds the replies that a turn brings along.
func inlineReplies(p *scenario.Project) func(id string, turn int) []scenario.MockReply {
	byID := make(map[string]*scenario.Scenario, len(p.Scenarios))
	for _, s := range p.Scenarios {
		byID[s.ID] = s
	}
	return func(id string, turn int) []scenario.MockReply {
		if s := byID[id]; s != nil && turn < len(s.Turns) {
			return s.Turns[turn].Mock
		}
		return nil
	}
}
