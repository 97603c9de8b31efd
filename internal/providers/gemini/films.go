package gemini

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// What is called of a model that makes films: it answers with the name of an operation, for which Vertex is asked by
// the second call, and the vendor's own API by an address.
const (
	laterCall = ":predictLongRunning"
	askCall   = ":fetchPredictOperation"
)

const (
	filmPatience = 10 * time.Minute
	maxFilmReply = attach.MaxBytes*4/3 + 1<<20 // a film in base64, and what is around it
)

// newFilms makes a provider of type imagen whose model makes films.
func newFilms(spec *scenario.Provider, o wire.Options) (*wire.Provider, error) {
	e, err := endpointOf(spec, o, laterCall, laterCall)
	if err != nil {
		return nil, err
	}
	call, err := url.Parse(e.URL)
	if err != nil {
		return nil, err
	}
	e.Patience, e.MaxReply = filmPatience, maxFilmReply
	f := &films{imagen: imagen{"video", spec.Model}, call: call, base: strings.TrimSuffix(call.EscapedPath(), e.Path)}
	f.vertex = spec.Platform != nil && spec.Platform.Type == "vertex"
	return wire.NewProvider(wire.New(spec, e, o), f), nil
}

// films is the words by which models that make films are asked; see wire.Later.
type films struct {
	imagen

	call   *url.URL // by which a film is ordered
	base   string   // of the paths of the API, escaped
	vertex bool
}

// operation is what a server answers at first, and while it makes a film, and at the end.
type operation struct {
	Name  string `json:"name"`
	Done  bool   `json:"done"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Response struct {
		Made struct {
			Samples []struct {
				Film film `json:"video"`
			} `json:"generatedSamples"`
			takenOut
		} `json:"generateVideoResponse"`
		Films []film `json:"videos"` // of Vertex
		takenOut
	} `json:"response"`
}

type film struct {
	URI  string `json:"uri"`
	GCS  string `json:"gcsUri"`
	Data string `json:"bytesBase64Encoded"`
	MIME string `json:"mimeType"`
}

// takenOut says how many films a filter took out, and why.
type takenOut struct {
	Count   int      `json:"raiMediaFilteredCount"`
	Reasons []string `json:"raiMediaFilteredReasons"`
}

var operationName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w-][\w.-]*(?:/[\w-][\w.-]*)+$`)
})

// Next implements wire.Later.
func (f *films) Next(c *wire.Call, data []byte, last *wire.Question) (*wire.Question, error) {
	op, err := f.read(c, data)
	if err != nil || op.Done || op.Error != nil {
		return nil, err
	}
	if op.Name == "" && last != nil {
		return last, nil
	}
	if !operationName().MatchString(op.Name) {
		return nil, c.Fail(providers.BadReply, nil, "the server names no operation that it could be asked for: %s",
			c.ExcerptOf(data))
	}
	to := *f.call
	q := &wire.Question{Operation: op.Name, Method: http.MethodGet}
	if f.vertex {
		q.Method = http.MethodPost
		if q.Body, err = wire.JSON(map[string]string{"operationName": op.Name}); err != nil {
			return nil, err
		}
		to.RawPath = strings.TrimSuffix(f.call.EscapedPath(), laterCall) + askCall
	} else {
		to.RawPath = f.base + version + "/" + op.Name
	}
	if to.Path, err = url.PathUnescape(to.RawPath); err != nil {
		return nil, err
	}
	q.URL = to.String()
	return q, nil
}

func (f *films) read(c *wire.Call, data []byte) (op operation, err error) {
	err = c.Document(data, &op)
	return op, err
}

// Decode implements wire.Codec: it reads an operation that has ended.
func (f *films) Decode(c *wire.Call, data []byte) (chat.Reply, error) {
	op, err := f.read(c, data)
	if err != nil {
		return chat.Reply{}, err
	}
	if op.Error != nil {
		return chat.Reply{}, c.Ended(op.Error.Code, op.Error.Message)
	}
	c.Model = cmp.Or(c.Model, f.model)
	made, all := c.Make(), op.Response.Films
	for _, s := range op.Response.Made.Samples {
		all = append(all, s.Film)
	}
	for i := range all {
		if err := f.add(c, made, &all[i]); err != nil {
			return chat.Reply{}, wire.Paid(err)
		}
	}
	if len(all) == 0 {
		return chat.Reply{}, f.none(c, &op)
	}
	return made.Reply(chat.Usage{})
}

func (f *films) add(c *wire.Call, made *wire.Made, v *film) error {
	switch {
	case v.Data != "":
		return made.Add(f.kind, v.MIME, v.Data)
	case v.URI == "" && v.GCS != "":
		return c.Fail(providers.BadReply, nil, "the film was written to %s and is not in the reply: leave storageUri out of "+
			"the request", c.Excerpt(v.GCS))
	case v.URI == "":
		return c.Fail(providers.BadReply, nil, "the reply has neither a film in it nor the address of one")
	}
	got, err := c.Download(v.URI)
	if err != nil {
		return err
	}
	return made.AddBytes(f.kind, cmp.Or(v.MIME, got.Type), got.Data)
}

// none is the error of an operation that ended well and made nothing.
func (f *films) none(c *wire.Call, op *operation) error {
	why := append(op.Response.Reasons, op.Response.Made.Reasons...)
	switch {
	case len(why) > 0:
		return c.Fail(providers.Refused, nil, "the model made no %s: %s", f.kind, c.Excerpt(strings.Join(why, "; ")))
	case op.Response.Count+op.Response.Made.Count > 0:
		return c.Fail(providers.Refused, nil, "the model made no %s: a filter took it out", f.kind)
	}
	return c.Fail(providers.Refused, nil, "the model made no %s: the operation ended without one", f.kind)
}

// Stream implements wire.Codec.
func (f *films) Stream(c *wire.Call) wire.Decoder { return wire.Unstreamed(c, f.Decode) }
