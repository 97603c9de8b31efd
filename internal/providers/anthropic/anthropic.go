// Package anthropic talks to Anthropic's Messages API, at Anthropic and on the platforms that host its models.
//
// The words of the protocol are structs of our own, held in tests against the vendor's documentation: its library would
// add a third to the program, and fills in what did not come.
package anthropic

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// New makes a provider of type anthropic. It resolves the key of the vendor's own API, and fails with an
// *providers.Error of kind Auth when there is none; it does not touch the network.
func New(spec *scenario.Provider, o wire.Options) (*wire.Provider, error) {
	if spec.ReplyFormat == "json_object" {
		return nil, &providers.Misconfigured{
			Pos: spec.FormatPos, Msg: "response_format cannot be json_object: the API knows JSON by its schema only",
			Hint: "write json_schema, or text",
		}
	}
	e, err := newEndpoint(spec, o)
	if err != nil {
		return nil, err
	}
	return wire.NewProvider(wire.New(spec, e, o), newCodec(spec)), nil
}

// codec is the words of the API; see wire.Codec.
type codec struct {
	state    string // whose state is this model's: see chat.Opaque
	model    string // "": the address names it
	version  string // in the body, on platforms
	platform bool   // neither model nor stream are in the body
	thinking int    // budget in tokens; 0: none
	caching  bool
	drop     []string // unsupported_params
}

func newCodec(spec *scenario.Provider) *codec {
	c := &codec{
		state: "anthropic/" + spec.ID, model: spec.Model, thinking: spec.ThinkingBudget, caching: spec.PromptCaching,
		drop: spec.Unsupported,
	}
	switch platformOf(spec) {
	case onVertex:
		c.model, c.version = "", vertexVersion
	case onBedrock:
		c.model, c.version, c.platform = "", bedrockVersion, true
	}
	return c
}

// drops reports whether a parameter is left out.
func (c *codec) drops(name string) bool { return slices.Contains(c.drop, name) }

func (c *codec) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	return exchange{call, c.state}.decode(data)
}

func (c *codec) Stream(call *wire.Call) wire.Decoder {
	return &stream{exchange: exchange{call, c.state}}
}

// exchange is a call whose reply is being read.
type exchange struct {
	*wire.Call
	state string
}
