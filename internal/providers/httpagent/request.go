package httpagent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// request is the request for a message.
type request struct {
	url    string
	header http.Header
	body   []byte // nil: none
}

// values are the values of the placeholders of a request.
type values struct {
	c       *conversation
	req     *chat.Request
	message string
	asked   bool           // the agent has the message already, and gets the results of its tools
	past    []chat.Message // before the message, without the prompt
	shows   bool           // media stand in the lists of messages
	media   []*chat.Part   // of the message
	medium  *chat.Part     // whose places are filled; nil: those of the only one
	ctx     context.Context
	err     error // the first problem of a place
}

// request fills in the placeholders.
func (p *Provider) request(ctx context.Context, c *conversation, req *chat.Request) (*request, error) {
	if c.cut {
		return nil, p.fail(errors.New("the stream of its reply was closed before the endpoint had told its session, and " +
			"without that it would not know what was said before"))
	}
	if err := c.mixed(); err != nil && p.Sends("session") {
		return nil, p.fail(err)
	}
	v, err := p.values(ctx, c, req)
	if err != nil {
		return nil, p.fail(err)
	}
	q := &request{url: scenario.FillHTTP(p.url, v.inAddress), header: wire.Header(p.filledHeaders(v))}
	if p.Filled == nil {
		q.header.Del("Content-Type")
	} else if body, there := v.part(p.Filled); there {
		if q.body, err = jsonvalue.Plain(body); err != nil {
			return nil, p.fail(err)
		}
	}
	if v.err != nil {
		return nil, p.fail(v.err)
	}
	return q, nil
}

// filledHeaders are the headers, without those that are one place for which there is nothing.
func (p *Provider) filledHeaders(v *values) map[string]string {
	out := make(map[string]string, len(p.headers))
	for name, text := range p.headers {
		if place, whole := scenario.HTTPPlaceOf(text); whole {
			if _, there := v.of(place); !there {
				continue
			}
		}
		filled := scenario.FillHTTP(text, v.text)
		if !httpguts.ValidHeaderFieldValue(filled) {
			v.fail(fmt.Errorf("the header %s cannot hold the value of %s: it has a line break or another "+
				"control character", name, text))
			continue
		}
		out[name] = filled
	}
	return out
}

func (p *Provider) values(ctx context.Context, c *conversation, req *chat.Request) (*values, error) {
	v := &values{c: c, req: req, ctx: ctx, asked: req.Origin.Reply > 0, shows: p.shows}
	at := len(req.Messages) - 1
	for at >= 0 && req.Messages[at].Role != chat.User {
		at--
	}
	if at < 0 {
		return nil, errors.New("there is no message of a user to answer")
	}
	if err := p.placed(req.Messages, at); err != nil {
		return nil, err
	}
	v.message = req.Messages[at].Text()
	for i := range req.Messages[at].Parts {
		if part := &req.Messages[at].Parts[i]; part.Media != nil {
			v.media = append(v.media, part)
		}
	}
	if v.asked { // with what its tools returned, the message is of the past
		at, v.media = len(req.Messages), nil
	}
	for i := range req.Messages[:at] {
		if req.Messages[i].Role != chat.System {
			v.past = append(v.past, req.Messages[i])
		}
	}
	return v, nil
}

func (v *values) fail(err error) {
	if v.err == nil && err != nil {
		v.err = err
	}
}

// part is a part of the body with its places filled; there is false where nothing is to be sent.
func (v *values) part(of any) (_ any, there bool) {
	switch of := of.(type) {
	case map[string]any:
		out := make(map[string]any, len(of))
		for name, inner := range of {
			if value, there := v.part(inner); there {
				out[name] = value
			}
		}
		return out, true
	case []any:
		out := make([]any, 0, len(of))
		for _, inner := range of {
			out = append(out, v.items(inner)...)
		}
		return out, true
	case string:
		if len(v.media) == 0 && scenario.HoldsMedium(of) {
			return nil, false
		}
		if place, whole := scenario.HTTPPlaceOf(of); whole {
			return v.of(place)
		}
		return scenario.FillHTTP(of, v.text), true
	}
	return of, true
}

// of is the value of a placeholder; there is false if it has none.
func (v *values) of(p scenario.HTTPPlace) (_ any, there bool) {
	switch p.Name {
	case "message":
		return v.message, !v.asked
	case "system":
		text := v.system()
		return text, text != ""
	case "messages":
		return v.messages(v.req.Messages), true
	case "history":
		return v.messages(v.past), true
	case "tools":
		return plainTools(v.req.Tools), true
	case "results":
		results := v.messages(results(v.req.Messages))
		return results, len(results) > 0
	case scenario.OTLPEndpoint:
		return v.variable("OTEL_EXPORTER_OTLP_ENDPOINT")
	case scenario.OTLPHeaders:
		return v.variable("OTEL_EXPORTER_OTLP_HEADERS")
	case "session":
		return v.c.session, v.c.session != nil
	case "turn":
		return v.req.Origin.Turn, true
	case "trial":
		return v.c.trial, true
	case "scenario":
		return v.c.scenario, true
	}
	if name, is := strings.CutPrefix(p.Name, scenario.MediumPlace); is {
		return v.ofMedium(name)
	}
	return v.field(strings.TrimPrefix(p.Name, "row."))
}

// field is a field of the row of the trial.
func (v *values) field(name string) (any, bool) {
	if v.req.Origin.Row == nil {
		v.fail(fmt.Errorf("{{row.%s}} stands for a field of a row, and the scenario has no dataset", name))
		return nil, false
	}
	text, missing := v.req.Origin.Row.FillText("{{" + name + "}}")
	if len(missing) > 0 {
		v.fail(fmt.Errorf("the row of the dataset has no field %q", name))
		return nil, false
	}
	return text, true
}

// text is a place within a text.
func (v *values) text(p scenario.HTTPPlace) string {
	value, there := v.of(p)
	if !there {
		return ""
	}
	if text, is := value.(string); is && !p.JSON {
		return text
	}
	data, err := jsonvalue.Plain(value)
	if err != nil {
		v.fail(err)
	}
	return string(data)
}

// inAddress is a value within an address, escaped so that it stays one part.
func (v *values) inAddress(p scenario.HTTPPlace) string {
	text := v.text(p)
	if text == "." || text == ".." {
		v.fail(fmt.Errorf("%q cannot stand in an address", text))
	}
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func (v *values) system() string {
	var texts []string
	for i := range v.req.Messages {
		if m := &v.req.Messages[i]; m.Role == chat.System {
			texts = append(texts, m.Text())
		}
	}
	return strings.Join(texts, "\n\n")
}

// variable is what a program would learn from a variable of its environment.
func (v *values) variable(name string) (any, bool) {
	for _, put := range providers.Variables(v.ctx) {
		if value, is := strings.CutPrefix(put, name+"="); is {
			return value, true
		}
	}
	return nil, false
}
