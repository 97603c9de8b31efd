package scenario

import (
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
)

// HTTPType is the type of providers that are an agent behind an HTTP endpoint of any form.
const HTTPType = "http"

// HTTPAgent describes the requests to an agent behind HTTP, and the places in its replies. Its address is the BaseURL
// of its provider, and its headers are the Headers: with environment variables filled in, and with places to fill, see
// FillHTTP.
type HTTPAgent struct {
	Method  string
	Body    any      // as the file has it; nil: none
	Filled  any      `digest:"-"` // the same with the environment in its texts
	FromEnv []EnvPut `digest:"-"` // environment variables in the address, the headers and the body
	Written []string // texts of the address, the headers and the body that name variables

	// The places in a reply, by JSONPath or JMESPath; "": none. For Reply "" means the usual places.
	Reply, ToolCalls, Usage, Finish, Error string

	SessionFrom string // header, path, or "": arena makes one up
	SessionName string
	Stream      *HTTPStream // nil: replies come whole
	AsksTools   bool        // arena runs the tools that it calls

	sent   []string // names of the places that a request has
	rows   []HTTPField
	single bool // a medium has its place outside of lists, so that a message may have one
}

// HTTPError is the place of an agent's errors when its file names no other one.
const HTTPError = "error"

// HTTPStream is how the reply of an agent streams, as server-sent events.
type HTTPStream struct {
	Data string // path to the text in the data of an event
	Done string // the data, or the name, of the event that ends the reply
}

// EnvPut is what the environment has put into a setting of a name.
type EnvPut struct{ Name, Value string }

// HTTPField is a field of the row of a trial that a request sends.
type HTTPField struct {
	Name string
	Pos  diag.Pos // of the text with its place
}

// RowFields are the fields of rows that a request sends.
func (h *HTTPAgent) RowFields() []HTTPField { return h.rows }

// Puts notes that a request has a place of a name.
func (h *HTTPAgent) Puts(name string) {
	if !slices.Contains(h.sent, name) {
		h.sent = append(h.sent, name)
	}
}

// Sends reports whether a request has a place of a name.
func (h *HTTPAgent) Sends(name string) bool { return slices.Contains(h.sent, name) }

// Traced reports whether the endpoint gets the address for its traces.
func (h *HTTPAgent) Traced() bool { return h.Sends(OTLPEndpoint) }

// PlacesMedia reports whether the media of a message have a place of their own in a request. most is how many.
func (h *HTTPAgent) PlacesMedia() (places bool, most int) {
	places = slices.ContainsFunc(h.sent, func(name string) bool {
		return name == "medium.data_url" || name == "medium.data"
	})
	if h.single {
		return places, 1
	}
	return places, math.MaxInt
}

// Remembers reports whether a request contains the id or the messages of its conversation.
func (h *HTTPAgent) Remembers() bool {
	return slices.ContainsFunc(h.sent, func(name string) bool {
		return name == "session" || name == "messages" || name == "history"
	})
}

// ShowsMedia reports whether an agent behind HTTP takes media in the lists of messages: its file says that it can.
func (p *Provider) ShowsMedia() bool {
	return p.HTTP != nil && slices.ContainsFunc(p.Capabilities, func(c string) bool {
		return slices.Contains([]string{"vision", "audio", "video", "documents"}, c)
	})
}
