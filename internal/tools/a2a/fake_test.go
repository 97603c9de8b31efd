package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an agent that answers what the test says.
type fake struct {
	*httptest.Server
	card    string // JSON; %s is the address of the server
	place   string // of the card; "": the newer one
	results []string
	serve   http.HandlerFunc // in place of results; nil: they are given one after the other

	mu    sync.Mutex
	asked []asked
}

// asked is a request as it arrived.
type asked struct {
	path   string
	header http.Header
	method string // of JSON-RPC
	params map[string]any
}

const plainCard = `{"name": "Shop Agent", "url": "%s/rpc", "protocolVersion": "0.3.0", "skills": [
	{"id": "find", "name": "Find", "description": "Finds things"}]}`

const find = "a2a__shop_agent__find"

func start(t *testing.T, f *fake) *fake {
	t.Helper()
	if f.card == "" {
		f.card = plainCard
	}
	if f.place == "" {
		f.place = "/.well-known/agent-card.json"
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	one := asked{path: r.URL.Path, header: r.Header}
	body, _ := io.ReadAll(r.Body)
	var sent struct {
		ID     json.Number
		Method string
		Params map[string]any
	}
	if json.Unmarshal(body, &sent) == nil {
		one.method, one.params = sent.Method, sent.Params
	}
	f.mu.Lock()
	f.asked = append(f.asked, one)
	turn := 0
	for _, a := range f.asked {
		if a.method != "" {
			turn++
		}
	}
	f.mu.Unlock()
	switch {
	case r.URL.Path == f.place && f.card != "-":
		_, _ = io.WriteString(w, strings.ReplaceAll(f.card, "%s", f.URL))
	case one.method == "":
		http.NotFound(w, r)
	case f.serve != nil:
		f.serve(w, r)
	default:
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, sent.ID, f.results[min(turn, len(f.results))-1])
	}
}

func (f *fake) seen() []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]asked(nil), f.asked...)
}

// lastText are the methods that the agent was asked.
func (f *fake) lastText() string {
	var methods []string
	for _, a := range f.seen() {
		if a.method != "" {
			methods = append(methods, a.method)
		}
	}
	return strings.Join(methods, " ")
}

// opened is the source of an agent that waits for nothing.
func opened(t *testing.T, f *fake, spec scenario.Agent) *source {
	t.Helper()
	if spec.URL == "" {
		spec.URL = f.URL
	}
	spec.Written = "the agent"
	if spec.Timeout == 0 {
		spec.Timeout = hang.Guard
	}
	getenv := func(name string) (string, bool) { return "value-of-" + name, name != "UNSET" }
	s := open(&spec, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, getenv)
	soon := func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	s.link.pause, s.client.Pause = soon, soon
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func called(s *source, name, args string) chat.ToolResult {
	parsed, _ := chat.ParseArgs(args)
	return s.Call(context.Background(), chat.ToolCall{ID: "c", Name: name, Args: parsed})
}

// describe is a result, or the type and the text of its error; and its media.
func describe(res chat.ToolResult) string {
	text := res.Content
	if res.Error != "" {
		text = res.ErrorType + ": " + res.Error
	}
	for _, p := range res.Parts {
		if p.Media != nil {
			text += fmt.Sprintf(" [%s %s %s%s]", p.Type, p.Media.MIMEType, p.Media.Data, p.Media.URL)
		}
	}
	return text
}

func task(state, rest string) string {
	return fmt.Sprintf(`{"kind": "task", "id": "t7", "contextId": "c", "status": {"state": %q%s`, state, rest)
}

func says(text string) string {
	return fmt.Sprintf(`, "message": {"role": "agent", "parts": [{"kind": "text", "text": %q}]}`, text)
}
