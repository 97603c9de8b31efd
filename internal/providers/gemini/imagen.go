package gemini

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// predictCall is what is called of a model that makes pictures.
const predictCall = ":predict"

// NewImagen makes a provider of type imagen. It fails like New.
func NewImagen(spec *scenario.Provider, o wire.Options) (*wire.Provider, error) {
	if spec.Role == "video" {
		return newFilms(spec, o)
	}
	e, err := endpointOf(spec, o, predictCall, predictCall)
	if err != nil {
		return nil, err
	}
	return wire.NewProvider(wire.New(spec, e, o), &imagen{"image", spec.Model}), nil
}

// imagen is the words by which such models are asked; see wire.Codec.
type imagen struct{ kind, model string }

type predictRequest struct {
	Instances  []instance       `json:"instances"`
	Parameters jsonvalue.Object `json:"parameters"`
}

type instance struct {
	Prompt string `json:"prompt"`
}

func (c *imagen) Encode(req *chat.Request) ([]byte, error) {
	prompt, err := wire.Prompt(req)
	if err != nil {
		return nil, err
	}
	parameters := jsonvalue.Object{"sampleCount": 1}
	for name, v := range req.Extra {
		text, _ := v.(string)
		switch name {
		case "size":
			if ratio := ratioOf(text); ratio != "" {
				parameters["aspectRatio"] = ratio
			}
		case "aspect_ratio":
			parameters["aspectRatio"] = v
		default:
			parameters[name] = v
		}
	}
	return wire.JSON(predictRequest{[]instance{{prompt}}, parameters})
}

// ratioOf is a size in pixels as the ratio of its sides: 1024x768 is 4:3. What is a ratio already stays; "": it is
// neither.
func ratioOf(size string) string {
	if strings.Contains(size, ":") {
		return size
	}
	w, h, both := strings.Cut(strings.ToLower(size), "x")
	width, errW := strconv.Atoi(strings.TrimSpace(w))
	height, errH := strconv.Atoi(strings.TrimSpace(h))
	if !both || errW != nil || errH != nil || width <= 0 || height <= 0 {
		return ""
	}
	a, b := width, height
	for b != 0 {
		a, b = b, a%b
	}
	return strconv.Itoa(width/a) + ":" + strconv.Itoa(height/a)
}

type predictReply struct {
	Predictions []struct {
		Data   string `json:"bytesBase64Encoded"`
		MIME   string `json:"mimeType"`
		Reason string `json:"raiFilteredReason"`
	} `json:"predictions"`
	Error json.RawMessage `json:"error"`
}

// Decode implements wire.Codec.
func (c *imagen) Decode(call *wire.Call, data []byte) (chat.Reply, error) {
	var a predictReply
	if err := call.Document(data, &a); err != nil {
		return chat.Reply{}, err
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return chat.Reply{}, call.Reported(a.Error)
	}
	call.Model = cmp.Or(call.Model, c.model)
	made := call.Make()
	for _, p := range a.Predictions {
		if p.Data == "" && p.Reason != "" {
			return chat.Reply{}, call.Fail(providers.Refused, nil, "the model made no %s: %s", c.kind, call.Excerpt(p.Reason))
		}
		if err := made.Add(c.kind, p.MIME, p.Data); err != nil {
			return chat.Reply{}, err
		}
	}
	if len(a.Predictions) == 0 { // what was filtered leaves nothing behind
		return chat.Reply{}, call.Fail(providers.Refused, nil, "the model made no %s: the reply is empty, as when a filter "+
			"took it out", c.kind)
	}
	return made.Reply(chat.Usage{})
}

// Stream implements wire.Codec.
func (c *imagen) Stream(call *wire.Call) wire.Decoder { return wire.Unstreamed(call, c.Decode) }

// Takes says why the API cannot be sent a part; see providers.Takes.
func (c *imagen) Takes(p *chat.Part) error { return wire.TextAlone(p) }
