package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

const imagesPath = "/images/generations"

// images is the words by which models of pictures are asked; see wire.Codec.
type images struct {
	model string
	style requestStyle
}

func newImages(spec *scenario.Provider) *images { return &images{spec.Model, newRequestStyle(spec)} }

// imagesRequest asks for a picture in the reply, and not for an address where it lies for an hour.
type imagesRequest struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
	N      int    `json:"n"`
	Format string `json:"response_format,omitempty"`
}

func (c *images) Encode(req *chat.Request) ([]byte, error) {
	prompt, err := wire.Prompt(req)
	if err != nil {
		return nil, err
	}
	body := imagesRequest{Model: c.model, Prompt: prompt, N: 1, Format: "b64_json"}
	// The models that are called gpt-image always answer so, and refuse the word.
	if strings.HasPrefix(c.model, "gpt-image") || strings.HasPrefix(c.model, "chatgpt-image") ||
		c.style.drop["response_format"] {
		body.Format = ""
	}
	data, err := wire.JSON(body)
	if err != nil || len(req.Extra) == 0 {
		return data, err
	}
	extra := jsonvalue.Object{}
	for name, v := range req.Extra {
		if name != "prompt" && name != "model" && name != "n" {
			extra[name] = v
		}
	}
	return wire.Merge(data, extra, func(name string) bool { return c.style.drop[name] })
}

type imagesReply struct {
	Data []struct {
		Data string `json:"b64_json"`
		URL  string `json:"url"`
	} `json:"data"`
	Format string `json:"output_format"`
	Usage  *struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// Decode implements wire.Codec.
func (c *images) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	var a imagesReply
	if err := call.Document(data, &a); err != nil {
		return chat.Reply{}, err
	}
	if isError(a.Error) {
		return chat.Reply{}, call.Reported(a.Error)
	}
	call.Model = cmp.Or(call.Model, c.model)
	made, declared := call.Make(), ""
	if a.Format != "" {
		declared = "image/" + a.Format
	}
	for i := range a.Data {
		if a.Data[i].Data == "" && a.Data[i].URL != "" {
			return chat.Reply{}, call.Fail(providers.BadReply, nil,
				"the reply has the address of a picture in place of the picture: the server does not know response_format")
		}
		if err := made.Add("image", declared, a.Data[i].Data); err != nil {
			return chat.Reply{}, err
		}
	}
	var usage chat.Usage
	if a.Usage != nil {
		usage = chat.Usage{InputTokens: a.Usage.Input, OutputTokens: a.Usage.Output}
	}
	return made.Reply(usage)
}

// Stream implements wire.Codec.
func (c *images) Stream(call *wire.Call) wire.Decoder { return wire.Unstreamed(call, c.Decode) }

// Takes says why the API cannot be sent a part; see providers.Takes.
func (c *images) Takes(p *chat.Part) error { return wire.TextAlone(p) }
