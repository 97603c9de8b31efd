// Package openai talks to OpenAI's chat completions API and to the many servers that speak it: Ollama, vLLM, Azure,
// gateways. OpenAI's own models are also called by its Responses API.
//
// The words of the protocol come from github.com/sashabaranov/go-openai; the calls are made here and not by its
// client, because a test runner must be able to say what that client cannot: a temperature of 0, an empty tool result
// and a null content are values; a seed has 64 bits; a model is refused by the server, not by a list of names. And it
// must see what the client hides: the headers of an error, the difference between a stream that ended and one that was
// cut, an error object with status 200, and how much a server sends.
package openai

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// New makes a provider of the types that Types lists. It resolves the key, and fails with an *providers.Error of kind
// Auth when one is named that is not there; it does not touch the network.
func New(spec *scenario.Provider, o wire.Options) (*wire.Provider, error) {
	if spec.Role == "image" {
		client, err := newClient(spec, imagesPath, o)
		if err != nil {
			return nil, err
		}
		return wire.NewProvider(client, newImages(spec)), nil
	}
	if spec.Responses() {
		client, err := newClient(spec, responsesPath, o)
		if err != nil {
			return nil, err
		}
		return wire.NewProvider(client, newResponses(spec)), nil
	}
	client, err := newClient(spec, chatPath, o)
	if err != nil {
		return nil, err
	}
	return wire.NewProvider(client, &codec{spec.Model, newRequestStyle(spec)}), nil
}

func newClient(spec *scenario.Provider, path string, o wire.Options) (*wire.Client, error) {
	e, err := newEndpoint(spec, path, o.Getenv)
	if err != nil {
		return nil, err
	}
	return wire.New(spec, e, o), nil
}

// codec is the words of the API; see wire.Codec.
type codec struct {
	model string
	style requestStyle
}

func (c *codec) Encode(req *chat.Request) ([]byte, error) { return c.style.encode(c.model, req) }

func (c *codec) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	return exchange{call}.decode(data)
}

func (c *codec) Stream(call *wire.Call) wire.Decoder { return &stream{exchange: exchange{call}} }

// exchange is a call whose reply is being read.
type exchange struct{ *wire.Call }
