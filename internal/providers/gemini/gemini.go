// Package gemini talks to Google's Gemini API, at its own address and on Vertex.
//
// The words of the protocol are structs of our own, held in tests against the vendor's documentation: its library would
// add a sixth to the program and milliseconds to its start, and fills in what did not come.
package gemini

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// New makes a provider of type gemini. It resolves the key of the vendor's own API, and fails with an *providers.Error
// of kind Auth when there is none; it does not touch the network.
func New(spec *scenario.Provider, o wire.Options) (*wire.Provider, error) {
	e, err := newEndpoint(spec, o)
	if err != nil {
		return nil, err
	}
	return wire.NewProvider(wire.New(spec, e, o), newCodec(spec)), nil
}

// codec is the words of the API; see wire.Codec.
type codec struct {
	state  string // whose state is this model's: see chat.Opaque
	tuning scenario.Gemini
	drop   []string // unsupported_params
}

func newCodec(spec *scenario.Provider) *codec {
	return &codec{state: "gemini/" + spec.ID, tuning: spec.Gemini, drop: spec.Unsupported}
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
