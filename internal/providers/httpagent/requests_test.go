package httpagent

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// seen is the requests that a server received.
type seen struct {
	mu   sync.Mutex
	list []string
}

func (s *seen) add(r *http.Request) int {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	line := r.Method + " " + r.RequestURI
	for _, name := range []string{"X-Session", "X-A", "Content-Type", "Authorization"} {
		if v := r.Header.Get(name); v != "" {
			line += " " + name + "=" + v
		}
	}
	s.list = append(s.list, line+" "+string(body))
	return len(s.list)
}

type row map[string]string

func (r row) FillText(text string) (string, []string) {
	name := strings.Trim(text, "{}")
	if v, there := r[name]; there {
		return v, nil
	}
	return text, []string{name}
}

func (row) RowID() string { return "1" }

func (row) FillCalls(calls []chat.ToolCall) ([]chat.ToolCall, []string) { return calls, nil }

// TestRequests: the requests that a server receives.
func TestRequests(t *testing.T) {
	t.Parallel()
	body := func(text string) any {
		v, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	messages := []chat.Message{
		{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: "Hi"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "get", Args: chat.Args{"a": "b"}}}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "1", Name: "get", Content: "c"}},
		{Role: chat.Assistant, Content: "Hello"}, {Role: chat.User, Content: "a \"b\" & c/../?d=e\nü"},
	}
	const past = `{"role":"user","content":"Hi"},{"role":"assistant","content":"","tool_calls":[{"id":"1",` +
		`"type":"function","function":{"name":"get","arguments":"{\"a\":\"b\"}"}}]},{"role":"tool","content":"c",` +
		`"tool_call_id":"1","name":"get"},{"role":"assistant","content":"Hello"}`
	for _, c := range []struct {
		name, method, url, body string
		headers                 map[string]string
		want                    string // what the server got, or the error
	}{
		{"by value", "POST", "/", `{"m": "{{message}}", "t": "{{turn}}", "trial": "{{trial}}", "sc": "{{ scenario }}", ` +
			`"sys": "{{system}}", "n": 1.50, "l": [true, null, "{{turn}}"]}`, nil,
			`POST / Content-Type=application/json {"l":[true,null,2],"m":"a \"b\" & c/../?d=e\nü","n":1.50,"sc":"sc",` +
				`"sys":"Be kind.","t":2,"trial":"trial-1"}`},
		{"history", "PUT", "/", `{"h": "{{json history}}"}`, nil,
			`PUT / Content-Type=application/json {"h":[` + past + `]}`},
		{"messages", "POST", "/", `{"h": "{{messages}}"}`, nil,
			`POST / Content-Type=application/json {"h":[{"role":"system","content":"Be kind."},` + past +
				`,{"role":"user","content":"a \"b\" & c/../?d=e\nü"}]}`},
		{"within a text", "POST", "/", `{"m": "turn {{turn}}: {{json message}}, {{unknown}}"}`, nil,
			`POST / Content-Type=application/json {"m":"turn 2: \"a \\\"b\\\" & c/../?d=e\\nü\", {{unknown}}"}`},
		{"a list", "POST", "/", `["{{turn}}"]`, nil, `POST / Content-Type=application/json [2]`},
		{"an address", "GET", "/a/{{message}}?t={{turn}}", "", nil,
			`GET /a/a%20%22b%22%20%26%20c%2F..%2F%3Fd%3De%0A%C3%BC?t=2 `},
		{"a header", "POST", "/", `{"t": "{{turn}}"}`, map[string]string{"X-A": "{{row.city}}", "Authorization": "Bearer k"},
			`POST / X-A=Berlin Content-Type=application/json Authorization=Bearer k {"t":2}`},
		{"a row", "POST", "/", `{"c": "{{row.city}}"}`, nil, `POST / Content-Type=application/json {"c":"Berlin"}`},
		{"a header with a line break", "POST", "/", `{}`, map[string]string{"X-A": "{{message}}"},
			"refused: the header X-A cannot hold the value of {{message}}: it has a line break or another " +
				"control character"},
		{"a field that no row has", "POST", "/", `{"c": "{{row.town}}"}`, nil,
			`refused: the row of the dataset has no field "town"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got seen
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				got.add(r)
				answer(200, jsonKind, `{"reply": "Hello"}`)(w, r)
			})
			p := agent(t, url+c.url, func(s *scenario.Provider) {
				s.HTTP.Method, s.HTTP.Filled, s.Headers = c.method, nil, c.headers
				if c.body != "" {
					s.HTTP.Filled = body(c.body)
				}
			})
			ctx := providers.InTrial(t.Context(), &providers.Trial{ID: "trial-1", Scenario: "sc"})
			req := &chat.Request{Messages: messages, Origin: chat.Origin{Turn: 2, Row: row{"city": "Berlin"}}}
			r, err := p.Complete(ctx, req, nil)
			result := outcome(url, r, err)
			if err == nil {
				result = strings.Join(got.list, "\n")
			}
			if diff := cmp.Diff(c.want, result); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNothingToAsk: messages that cannot be sent.
func TestNothingToAsk(t *testing.T) {
	t.Parallel()
	p := agent(t, "http://127.0.0.1:1", nil)
	_, err := p.Complete(t.Context(), &chat.Request{Messages: []chat.Message{{Role: chat.System}}}, nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: there is no message of a user to answer" {
		t.Errorf("got %s", got)
	}
	picture := &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{
		{Type: "text", Text: "What is it?"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "aGk="}},
	}}}}
	_, err = p.Complete(t.Context(), picture, nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: the endpoint gets text alone: its body has "+
		"no place for the image" {
		t.Errorf("got %s", got)
	}
	p = agent(t, "http://127.0.0.1:1", func(s *scenario.Provider) {
		s.HTTP.Filled = map[string]any{"city": "{{row.city}}"}
	})
	_, err = p.Complete(t.Context(), ask("Hi"), nil)
	if got := outcome("URL", chat.Reply{}, err); got != "refused: {{row.city}} stands for a field of a row, and the "+
		"scenario has no dataset" {
		t.Errorf("got %s", got)
	}
}

// TestSecrets: what the environment has put into a request is in no error, also when the endpoint repeats it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	url := served(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(403, "text/plain", r.RequestURI+" "+r.Header.Get("Authorization")+" "+string(body))(w, r)
	})
	p := agent(t, url+"/a?k=in-the-address", func(s *scenario.Provider) {
		s.Headers = map[string]string{"Authorization": "Bearer in-the-header"}
		s.HTTP.Filled = map[string]any{"k": "in-the-body"}
		s.HTTP.FromEnv = []scenario.EnvPut{
			{Name: "url", Value: "in-the-address"}, {Name: "Authorization", Value: "in-the-header"},
			{Name: "k", Value: "in-the-body"},
		}
	})
	_, err := p.Complete(t.Context(), ask("Hi"), nil)
	if err == nil || strings.Contains(err.Error(), "in-the") || strings.Count(err.Error(), "redacted") != 3 {
		t.Errorf("got %v", err)
	}
}
