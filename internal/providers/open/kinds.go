package open

import (
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/anthropic"
	"github.com/arena-evals/arena/internal/providers/command"
	"github.com/arena-evals/arena/internal/providers/gemini"
	"github.com/arena-evals/arena/internal/providers/httpagent"
	"github.com/arena-evals/arena/internal/providers/openai"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// kind is how providers of one type are opened.
type kind struct {
	name      string   // see scenario.ProviderTypes, which says what files may say of them
	simulated bool     // they answer without the world: the same every time
	agent     bool     // a program: a call may act, so that a failed one is not repeated
	uncounted bool     // agents of the user, which need not count the tokens that they take
	local     bool     // they are reached without a network, as simulated ones are
	platforms []string // of hosting, beside the vendor's own
	open      func(*scenario.Provider, *Options) (providers.Provider, error)
	embed     func(*scenario.Provider, *Options) (providers.Embedder, error) // nil: they have no embeddings
}

var azure = []string{"azure"}

// kinds are the types that are available, sorted. Where the calls of a type go and which variables hold its key is
// known to the package that opens it.
var kinds = []kind{
	{name: "anthropic", open: model(anthropic.New), platforms: []string{"azure", "bedrock", "vertex"}},
	{name: "azure", open: model(openai.New), embed: embedder, platforms: azure},
	{name: scenario.ProgramType, open: openProgram, agent: true, uncounted: true, local: true},
	{name: "gemini", open: model(gemini.New), platforms: []string{"vertex"}},
	{name: scenario.HTTPType, open: openHTTP, uncounted: true},
	{name: "imagen", open: model(gemini.NewImagen), platforms: []string{"vertex"}},
	{name: "mock", open: openMock, simulated: true},
	{name: "ollama", open: model(openai.New), embed: embedder, platforms: azure},
	{name: "openai", open: model(openai.New), embed: embedder, platforms: azure},
	{name: "openai-compatible", open: model(openai.New), embed: embedder, platforms: azure},
	{name: "replay", open: openReplay, simulated: true},
	{name: "vllm", open: model(openai.New), embed: embedder, platforms: azure},
}

// model opens the client of an API over HTTP.
func model(
	open func(*scenario.Provider, wire.Options) (*wire.Provider, error),
) func(*scenario.Provider, *Options) (providers.Provider, error) {
	return func(p *scenario.Provider, o *Options) (providers.Provider, error) {
		client, err := open(p, o.wire())
		if err != nil {
			return nil, err // a nil pointer would not be a nil provider
		}
		return client, nil
	}
}

// openProgram opens a program of the user.
func openProgram(p *scenario.Provider, o *Options) (providers.Provider, error) {
	client, err := command.New(p, command.Host{Getenv: o.Getenv, OnStderr: o.OnStderr})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// openHTTP opens an agent behind HTTP. It says itself which failed calls may be repeated.
func openHTTP(p *scenario.Provider, o *Options) (providers.Provider, error) {
	client, err := httpagent.New(p, o.wire())
	if err != nil {
		return nil, err
	}
	return client, nil
}

// embedder is model for embeddings, which OpenAI's API has alone.
func embedder(p *scenario.Provider, o *Options) (providers.Embedder, error) {
	client, err := openai.NewEmbedder(p, o.wire())
	if err != nil {
		return nil, err
	}
	return client, nil
}

// kindOf is the row of a type; nil: it is not available.
func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// Types lists the provider types that are available, sorted.
func Types() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// embedding lists the types that have embeddings.
func embedding() (names []string) {
	for _, k := range kinds {
		if k.embed != nil {
			names = append(names, k.name)
		}
	}
	return names
}

// Local reports whether providers of this type are reached without a network.
func Local(name string) bool {
	k := kindOf(name)
	return k != nil && (k.simulated || k.local)
}

// Simulated reports whether providers of this type answer without the world: the same every time.
func Simulated(name string) bool {
	k := kindOf(name)
	return k != nil && k.simulated
}
