package wire

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plain is the codec of the simplest possible API. It shows what a client needs beside this package.
type plain struct{}

// plainReply is a reply of the plain API, or an event of its stream.
type plainReply struct {
	Text  string              `json:"text,omitempty"`
	Calls []providertest.Call `json:"calls,omitempty"`
	Usage chat.Usage          `json:"usage"`
	End   string              `json:"end,omitempty"`
	Error json.RawMessage     `json:"error,omitempty"`
}

func (plain) Encode(req *chat.Request) ([]byte, error) { return json.Marshal(req.Stream) }

func (plain) Decode(c *Call, data []byte) (chat.Reply, error) {
	var r plainReply
	if err := c.Document(data, &r); err != nil {
		return chat.Reply{}, err
	}
	if r.Error != nil {
		return chat.Reply{}, c.Reported(data)
	}
	return r.reply(r.Text), nil
}

func (plain) Stream(c *Call) Decoder { return &plainStream{call: c} }

type plainStream struct {
	call *Call
	last plainReply
}

func (s *plainStream) Event(e Event) (last bool, err error) {
	var r plainReply
	if err := s.call.Chunk(&e, &r); err != nil {
		return false, err
	}
	if r.Error != nil {
		return false, s.call.Reported(e.Data)
	}
	s.last = r
	return r.End != "", s.call.EmitText(r.Text)
}

func (s *plainStream) Reply() (chat.Reply, error) {
	if s.last.End == "" {
		return chat.Reply{}, s.call.Fail(providers.BadReply, nil, "the stream ended before the reply did")
	}
	return s.last.reply(s.call.EmittedText()), nil
}

func (r *plainReply) reply(text string) chat.Reply {
	out := chat.Reply{Content: text, FinishReason: r.End, Usage: r.Usage}
	for _, c := range r.Calls {
		args, bad := chat.ParseArgs(c.Args)
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{ID: c.ID, Name: c.Name, Args: args, BadArgs: bad})
	}
	return out
}

// api is a server of the plain API.
func api() providertest.API {
	encode := func(r plainReply) string {
		data, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		return string(data)
	}
	end := func(s providertest.Script) plainReply {
		r := plainReply{Calls: s.Calls, Usage: s.Usage, End: s.Finish}
		if r.End == "" {
			r.End = map[bool]string{true: "tool_calls", false: "stop"}[len(s.Calls) > 0]
		}
		return r
	}
	failure := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err)
		}
		return encode(plainReply{Error: quoted})
	}
	event := func(w *providertest.Stream, r plainReply) { w.Send("data: " + encode(r)) }
	return providertest.API{
		Path:    "/ask",
		Streams: func(_ *http.Request, body []byte) bool { return string(body) == "true" },
		Error:   failure,
		Unstreamed: func(s providertest.Script) string {
			r := end(s)
			r.Text = s.Text
			return encode(r)
		},
		Stream: func(s providertest.Script, w *providertest.Stream) {
			for word := range strings.SplitAfterSeq(s.Text, " ") {
				event(w, plainReply{Text: word})
			}
			event(w, end(s))
		},
		First:  func(w *providertest.Stream) { event(w, plainReply{Text: "It"}) },
		Empty:  func(w *providertest.Stream) { event(w, plainReply{}) },
		Failed: func(w *providertest.Stream) { w.Send("data: " + failure("overloaded")) },
	}
}

// TestConformance: a client that supplies only a codec fulfils the contract of providers.Provider.
func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Dialect{
		Faults: []providertest.Fault{
			providertest.Status400, providertest.Status401, providertest.Status403, providertest.Status404,
			providertest.Status429, providertest.Status500, providertest.Status503, providertest.Hang, providertest.Silence,
			providertest.Close, providertest.Truncate, providertest.StopEarly, providertest.BadJSON, providertest.HTML,
			providertest.Error200, providertest.StreamError, providertest.NoBody, providertest.KeepAlive,
			providertest.Status408, providertest.Status413, providertest.Status529,
		},
		Open: func(t *testing.T, s providertest.Script) providers.Provider {
			spec := providertest.Patience(&scenario.Provider{Meta: scenario.Meta{ID: providertest.ID}}, s)
			e := Endpoint{
				URL: providertest.Serve(t, api(), s).URL + "/ask", Path: "/ask", Header: Header(nil),
				Key: providers.Key{Value: providertest.Secret, From: "THE_KEY"},
			}
			e.Header.Set("X-Secret", providertest.Secret)
			return providertest.Opened(t, NewProvider(New(spec, e, Options{Jobs: 4}), plain{}), nil)
		},
	})
}
