// Package gemini talks to Google's Gemini API, at its own address and on Vertex.
//
// The words of the protocol are structs of our own, held in tests against the vendor's documentation: its library would
// add a sixth to the program and milliseconds to its start, and fills in what did not come.
package gemini

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// Options is what the surroundings give to a provider.
type Options = wire.Options

// Provider is a model behind the API.
type Provider struct {
	client *wire.Client
	codec  codec
}

// New makes a provider of type gemini. It resolves the key of the vendor's own API, and fails with an *providers.Error
// of kind Auth when there is none; it does not touch the network.
func New(spec *scenario.Provider, o Options) (*Provider, error) {
	e, err := newEndpoint(spec, o)
	if err != nil {
		return nil, err
	}
	return &Provider{wire.New(spec, e, o), newCodec(spec)}, nil
}

// Complete makes one call. See providers.Provider.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	return p.client.Complete(ctx, &p.codec, req, onDelta)
}

// Close drops the idle connections.
func (p *Provider) Close() error { return p.client.Close() }

// Address is where the calls go.
func (p *Provider) Address() string { return p.client.Address() }

// codec is the words of the API; see wire.Codec.
type codec struct {
	state  string // whose state is this model's: see chat.Opaque
	tuning scenario.Gemini
	drop   []string // unsupported_params
}

func newCodec(spec *scenario.Provider) codec {
	return codec{state: "gemini/" + spec.ID, tuning: spec.Gemini, drop: spec.Unsupported}
}

// drops reports whether a parameter is left out.
func (c *codec) drops(name string) bool { return slices.Contains(c.drop, name) }

func (c *codec) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	g := gathered{exchange: exchange{call, c.state}}
	if err := g.whole(data); err != nil {
		return chat.Reply{}, err
	}
	return g.reply()
}

func (c *codec) Stream(call *wire.Call) wire.Decoder {
	return &stream{gathered{exchange: exchange{call, c.state}}}
}

// exchange is a call whose reply is being read.
type exchange struct {
	*wire.Call
	state string
}

var (
	_ wire.Codec         = (*codec)(nil)
	_ providers.Provider = (*Provider)(nil)
)
