package conformance

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/scenario"
)

// vectorHost is what a vector can reach outside of the process: its endpoint, its program, its environment.
type vectorHost struct {
	host     *checks.Host
	endpoint *vectorEndpoint // nil: none
	program  *vectorProgram  // nil: none
}

// open starts the endpoint and the program of the vector; the caller closes the host.
func (v *Vector) open(name string) (h *vectorHost, err error) {
	h = &vectorHost{host: &checks.Host{
		// Connect directly, without a proxy.
		HTTP: &http.Client{Transport: &http.Transport{}, CheckRedirect: dial.Stay},
		Getenv: func(name string) (string, bool) {
			value, set := v.Env[name]
			return value, set
		},
	}}
	if v.HTTP != nil {
		h.endpoint, err = startEndpoint(v.HTTP, v.late())
	}
	if v.Exec != nil && err == nil {
		h.program, err = writeProgram(name, v.Exec)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *vectorHost) close() (err error) {
	h.host.HTTP.CloseIdleConnections()
	if h.endpoint != nil {
		err = h.endpoint.close()
	}
	if h.program != nil {
		err = errors.Join(err, h.program.close())
	}
	return err
}

// late says that the endpoint takes longer than the check waits, by the numbers that the vector names. An endpoint that
// is not late answers at once: neither depends on how fast the machine is.
func (v *Vector) late() bool {
	var params struct {
		Timeout string `json:"timeout"`
	}
	_ = json.Unmarshal(v.Params, &params) // what cannot be read has no limit, and the check refuses it
	limit, err := time.ParseDuration(params.Timeout)
	return err == nil && time.Duration(v.HTTP.DelayMS)*time.Millisecond >= limit
}

// params are the vector's parameters with the address of its endpoint.
func (h *vectorHost) params(written json.RawMessage) string {
	if h.endpoint == nil {
		return string(written)
	}
	return strings.ReplaceAll(string(written), "{{URL}}", h.endpoint.address)
}

// handlers are the check types that the vector declares.
func (h *vectorHost) handlers() map[string]*scenario.Handler {
	if h.program == nil {
		return nil
	}
	return map[string]*scenario.Handler{h.program.handler.Type: h.program.handler}
}

// sent adds the sent requests to the outcome.
func (h *vectorHost) sent(o *outcome) {
	if h.endpoint != nil {
		o.request = h.endpoint.request()
	}
	if h.program != nil {
		o.stdin = h.program.stdin()
	}
}
