package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// sent is the body that a server gets of a request.
func sent(t *testing.T, described *scenario.Provider, req *chat.Request) string {
	t.Helper()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		send(w, 200, "application/json", `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	described.BaseURL = server.URL
	if _, err := open(t, described, wire.Options{}).Complete(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	return encode(all)
}

// TestEveryParameterIsSent sets each field of a request by itself, and sees it arrive.
func TestEveryParameterIsSent(t *testing.T) {
	t.Parallel()
	tools := []chat.Tool{{Name: "pay", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`)}}
	set := map[string]struct {
		value any
		want  string
	}{
		"Messages":          {[]chat.Message{{Role: chat.User, Content: "Hello"}}, `"content":"Hello"`},
		"Tools":             {tools, `"name":"pay"`},
		"ToolChoice":        {"required", `"tool_choice":"required"`},
		"Temperature":       {new(0.0), `"temperature":0`},
		"TopP":              {new(0.0), `"top_p":0`},
		"MaxTokens":         {new(7), `"max_tokens":7`},
		"Seed":              {new(int64(0)), `"seed":0`},
		"Stream":            {true, `"stream":true`},
		"JSONSchema":        {json.RawMessage(`{"type":"array"}`), `"response_format":{"json_schema":{"name":"reply"`},
		"SchemaName":        {"order", `"name":"order"`},
		"JSON":              {true, `"response_format":{"type":"json_object"}`},
		"Stop":              {[]string{"END"}, `"stop":["END"]`},
		"ReasoningEffort":   {"low", `"reasoning_effort":"low"`},
		"ParallelToolCalls": {new(false), `"parallel_tool_calls":false`},
		"Extra":             {map[string]any{"top_k": 3}, `"top_k":3`},
	}
	kind := reflect.TypeFor[chat.Request]()
	for field := range kind.Fields() {
		name := field.Name
		switch name {
		case "Origin", // for providers that simulate
			"Caching": // these servers decide by themselves
			continue
		}
		c, known := set[name]
		if !known {
			t.Errorf("nobody knows how %s goes over the wire", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}}
			switch name {
			case "ToolChoice", "ParallelToolCalls":
				base.Tools = tools
			case "SchemaName":
				base.JSONSchema = json.RawMessage(`{"type":"array"}`)
			}
			before := sent(t, spec("openai-compatible", ""), &base)
			reflect.ValueOf(&base).Elem().FieldByName(name).Set(reflect.ValueOf(c.value))
			after := sent(t, spec("openai-compatible", ""), &base)
			if strings.Contains(before, c.want) || !strings.Contains(after, c.want) {
				t.Errorf("want %s in\n%s, and not in\n%s", c.want, after, before)
			}
		})
	}
}

// TestKeptBack: what unsupported_params lists does not go over the wire, whoever asks for it.
func TestKeptBack(t *testing.T) {
	t.Parallel()
	req := chat.Request{
		Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}, Tools: []chat.Tool{{Name: "pay"}}, ToolChoice: "auto",
		Temperature: new(0.5), TopP: new(0.5), MaxTokens: new(7), Seed: new(int64(3)), JSON: true, Stop: []string{"END"},
		ReasoningEffort: "low", ParallelToolCalls: new(true), Extra: map[string]any{"top_k": 3},
	}
	all := []string{"temperature", "top_p", "max_tokens", "seed", "response_format", "stop", "reasoning_effort",
		"parallel_tool_calls", "tool_choice", "tools", "top_k"}
	for _, name := range all {
		described := spec("openai-compatible", "")
		described.Unsupported = []string{name}
		if body := sent(t, described, &req); strings.Contains(body, `"`+name+`":`) {
			t.Errorf("%s was sent: %s", name, body)
		}
	}
}

func TestStrictTools(t *testing.T) {
	t.Parallel()
	described := spec("openai", "")
	described.StrictTools = true
	body := sent(t, described, &chat.Request{Tools: []chat.Tool{{Name: "pay", Schema: json.RawMessage(
		`{"type":"object","properties":{"to":{"type":"object","properties":{"name":{"type":"string"}}},"n":{"const":{}}}}`,
	)}}})
	const want = `"parameters":{"additionalProperties":false,"properties":{"n":{"const":{}},"to":{"additionalProperties":` +
		`false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}},"required":["n","to"],` +
		`"type":"object"},"strict":true`
	if !strings.Contains(body, want) {
		t.Errorf("got %s\nwant %s", body, want)
	}
}
