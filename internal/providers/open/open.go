// Package open makes the provider that a file describes, with its wrappers around it. It is the one place that knows
// every provider.
package open

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/traced"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Options are the options of a provider besides its file. The zero value works.
type Options struct {
	Getenv func(string) (string, bool) // for keys; nil: an empty environment
	Jobs   int                         // calls that are made at once, and so connections at most; 0: no limit
	// Retries is how often a failed call is repeated, and overrides the file. nil: as in the file, or three times.
	Retries *int
	Random  func() float64   // spreads the waits of retries, in [0,1); safe for concurrent use; nil: nothing is spread
	Now     func() time.Time // nil: time.Now
	// Offline makes every connection fail that a provider would open.
	Offline bool
	// OnStderr receives the lines that the programs of providers write to their stderr, with the provider, from any
	// goroutine; nil: they are dropped.
	OnStderr func(who, line string)
	// Shared is the state that a provider shares with other processes; nil: none.
	Shared func(p *scenario.Provider) providers.Shared
	// NoTraces starts programs of agents without a place for their traces.
	NoTraces bool

	transport http.RoundTripper // takes the requests, which nobody is sent; nil: they are sent

	// MockFile takes the place of the provider's own mock file.
	MockFile *scenario.MockFile
	// Inline returns the replies that a turn brings along; see mock.Config.
	Inline func(scenarioID string, turn int) []scenario.MockReply
	// Lenient lets a mock answer with a generic text, and a notice, where its file has no reply.
	Lenient bool
	// Regions is for how many regions trials run. Of several each needs a recorded conversation of its own.
	Regions int
	// Strict makes what is odd about a replayed reply an error: that it answers other words, say.
	Strict bool
}

// Supported returns nil if New can make this provider; otherwise it says what this version lacks, as a
// *providers.NotAvailable if the type is known.
func Supported(p *scenario.Provider) error {
	k := kindOf(p.Type)
	switch {
	case k == nil && scenario.ProviderTypeOf(p.Type).Name != "":
		return &providers.NotAvailable{Msg: fmt.Sprintf(
			"provider %s: type %s is not available in this version; available are %s",
			p.ID, p.Type, strings.Join(Types(), ", "))}
	case k == nil:
		err := fmt.Errorf("provider %s: unknown type %q; available are %s", p.ID, p.Type, strings.Join(Types(), ", "))
		if hint := diag.DidYouMean(p.Type, Types()); hint != "" {
			err = fmt.Errorf("%w; %s", err, hint)
		}
		return err
	case k.simulated || p.Platform == nil || p.Platform.Type == "" || slices.Contains(k.platforms, p.Platform.Type):
		return nil
	}
	return &providers.NotAvailable{Msg: fmt.Sprintf("provider %s: platform %s is not available in this version; "+
		"available is %s", p.ID, p.Platform.Type, strings.Join(k.platforms, ", "))}
}

// New makes the provider that p describes. It reads keys and opens no connection; a credential that is named and
// missing is a *providers.Error of kind Auth.
//
// A mock and a replay stand alone. An agent has its traces and its cost filled in, and its calls limited. A model has
// its cost filled in, its failed calls repeated, and its calls limited as p says; every attempt counts against the
// limits. providers.Close lets go of its connections.
func New(p *scenario.Provider, o Options) (providers.Provider, error) {
	if err := Supported(p); err != nil {
		return nil, err
	}
	k := kindOf(p.Type)
	if err := keySet(p); err != nil && !k.simulated {
		return nil, err
	}
	client, err := k.open(p, &o)
	if err != nil || k.simulated {
		return client, err
	}
	if k.agent {
		if p.Type == scenario.ProgramType && !o.NoTraces {
			client = traced.New(client, p)
		}
		with := o.shared(p)
		client = providers.Limit(providers.Pace(client, p, with.Turns), p.MaxConcurrent, with.Slots)
	} else {
		client = providers.Resilient(client, p, o.resilience(p))
		if p.Type == scenario.HTTPType && p.HTTP != nil && p.HTTP.Traced() && !o.NoTraces {
			client = traced.New(client, p)
		}
	}
	if k.uncounted {
		client = providers.Counted(client)
	}
	return providers.Cost(client, p), nil
}

// NewEmbedder makes the embedding model that p describes. Like New it reads keys and opens no connection.
func NewEmbedder(p *scenario.Provider, o Options) (providers.Embedder, error) {
	k := kindOf(p.Type)
	if k != nil && k.embed == nil {
		return nil, fmt.Errorf("provider %s: type %s has no embeddings; available are %s", p.ID, p.Type,
			strings.Join(embedding(), ", "))
	}
	if err := errors.Join(Supported(p), keySet(p)); err != nil {
		return nil, err
	}
	model, err := k.embed(p, &o)
	if err != nil {
		return nil, err
	}
	return providers.Embedding(model, p, o.resilience(p)), nil
}

// keySet is an error for a key, an address or a header that needs a variable that is not set.
func keySet(p *scenario.Provider) error {
	if len(p.Unset) > 0 {
		return &providers.Unfilled{Provider: p.ID, Unset: p.Unset}
	}
	if p.KeyUnset == "" {
		return nil
	}
	return &providers.Error{
		Kind: providers.Auth, Provider: p.ID, Final: true,
		Msg: "credential.api_key: the environment has no " + p.KeyUnset + ": set it, or write it into .env",
	}
}

// wire are the options of clients of model APIs.
func (o *Options) wire() wire.Options {
	return wire.Options{
		Getenv: o.Getenv, Jobs: o.Jobs, Now: o.Now, Offline: o.Offline, Transport: o.transport, Unsent: o.transport != nil,
	}
}

func (o *Options) resilience(p *scenario.Provider) *providers.Resilience {
	return &providers.Resilience{Policy: o.policy(p), Random: o.Random, Now: o.Now, Shared: o.shared(p)}
}

// shared is the state that a provider shares with other processes.
func (o *Options) shared(p *scenario.Provider) providers.Shared {
	if o.Shared == nil {
		return providers.Shared{}
	}
	return o.Shared(p)
}

func (o *Options) policy(p *scenario.Provider) (policy scenario.RetryPolicy) {
	if p.Retry != nil {
		policy = *p.Retry
	}
	if o.Retries != nil {
		policy.Attempts = 1 + max(*o.Retries, 0)
	}
	return policy
}
