package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// missingModels replaces models that cannot be opened here, most likely for lack of a key, so that the trials of other
// models can run. On nil, its methods return their arguments. It is safe for concurrent use.
type missingModels struct {
	mu      sync.Mutex
	reasons map[*scenario.Provider]error
	called  error // the error of a missing model that was called all the same, such as a judge
}

// missingModel stands in for a model that cannot be opened. Each call fails.
type missingModel struct {
	models *missingModels
	err    error
}

func (m *missingModel) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	return chat.Reply{}, m.called()
}

func (m *missingModel) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, m.called()
}

func (m *missingModel) called() error {
	m.models.mu.Lock()
	defer m.models.mu.Unlock()
	m.models.called = m.err
	return m.err
}

func (l *missingModels) standIn(spec *scenario.Provider, err error) (*missingModel, error) {
	if bad := open.Supported(spec); bad != nil {
		return nil, bad // a mistake in the files, the same on every machine
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reasons == nil {
		l.reasons = map[*scenario.Provider]error{}
	}
	err = errors.New(strings.TrimPrefix(err.Error(), "provider "+spec.ID+": "))
	l.reasons[spec] = err
	return &missingModel{l, fmt.Errorf("this worker lacks %s: %w", spec.ID, err)}, nil
}

// opener opens models, and returns a stand-in for each one that cannot be opened.
func (l *missingModels) opener(with runner.Opener) runner.Opener {
	if l == nil {
		return with
	}
	return func(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
		client, simulated, err := with(p, spec)
		if err == nil {
			return client, simulated, nil
		}
		m, bad := l.standIn(spec, err)
		return m, open.Simulated(spec.Type), bad
	}
}

func (l *missingModels) embedders(with runner.EmbedderOpener) runner.EmbedderOpener {
	if l == nil {
		return with
	}
	return func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
		e, err := with(p, spec)
		if err == nil {
			return e, nil
		}
		return l.standIn(spec, err)
	}
}

// calledMissing is an error if a missing model was called: then the result of the trial says nothing about the agent.
func (l *missingModels) calledMissing() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.called
}

// reason says why a provider cannot be opened; nil: it can.
func (l *missingModels) reason(spec *scenario.Provider) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reasons[spec]
}
