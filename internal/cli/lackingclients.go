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

// lackingClients stand for models that cannot be opened here, for lack of a key most likely, so that the trials of
// others can be run. Its methods return what they are given on nil. It is safe for concurrent use.
type lackingClients struct {
	mu    sync.Mutex
	why   map[*scenario.Provider]error
	asked error // a model that is not there was called all the same, such as a judge
}

// lackingModel stands for a model that cannot be opened.
type lackingModel struct {
	of  *lackingClients
	err error
}

func (m *lackingModel) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	return chat.Reply{}, m.called()
}

func (m *lackingModel) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, m.called()
}

func (m *lackingModel) called() error {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.of.asked = m.err
	return m.err
}

func (l *lackingClients) lack(spec *scenario.Provider, err error) (*lackingModel, error) {
	if bad := open.Supported(spec); bad != nil {
		return nil, bad // a mistake in the files, wherever they are run
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		l.why = map[*scenario.Provider]error{}
	}
	err = errors.New(strings.TrimPrefix(err.Error(), "provider "+spec.ID+": "))
	l.why[spec] = err
	return &lackingModel{l, fmt.Errorf("this worker lacks %s: %w", spec.ID, err)}, nil
}

// opener opens what can be opened, and lets something stand for the rest.
func (l *lackingClients) opener(with runner.Opener) runner.Opener {
	if l == nil {
		return with
	}
	return func(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
		client, simulated, err := with(p, spec)
		if err == nil {
			return client, simulated, nil
		}
		m, bad := l.lack(spec, err)
		return m, open.Simulated(spec.Type), bad
	}
}

func (l *lackingClients) embedders(with runner.EmbedderOpener) runner.EmbedderOpener {
	if l == nil {
		return with
	}
	return func(p *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
		e, err := with(p, spec)
		if err == nil {
			return e, nil
		}
		return l.lack(spec, err)
	}
}

// wasAsked is an error when a model was called that is not there: what came of the trial says nothing about the agent.
func (l *lackingClients) wasAsked() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// of is why a provider cannot be opened; nil: it can.
func (l *lackingClients) of(spec *scenario.Provider) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why[spec]
}
