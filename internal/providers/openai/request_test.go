package openai

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

func conversation() []chat.Message {
	return []chat.Message{
		{Role: chat.System, Content: "Be <brief> & kind."},
		{Role: chat.User, Content: "Where is A-1001?"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
			{ID: "a1", Name: "get_order", Args: map[string]any{"id": "A-1001", "big": json.Number("12345678901234567890")}},
			{ID: "b2", Name: "log", BadArgs: `{"broken`},
			{ID: "c3", Name: "ping"},
		}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "a1", Name: "get_order", Content: `{"status":"shipped"}`}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "b2", Name: "log", Error: "bad arguments"}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c3", Name: "ping"}},
		{Role: chat.Assistant, Content: "It shipped."},
		{Role: chat.User, Content: ""},
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	hi := []chat.Message{{Role: chat.User, Content: "hi"}}
	lookup := []chat.Tool{
		{Name: "get_order", Description: "Looks it up.", Schema: []byte(`{"type": "object"}`)}, {Name: "ping"},
	}
	cases := []struct {
		name string
		spec scenario.Provider
		req  chat.Request
		want string
	}{
		{"nothing asked for", scenario.Provider{Model: "m"}, chat.Request{Messages: hi},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}`},
		{"zero is a value", scenario.Provider{Model: "m"},
			chat.Request{Messages: hi, Temperature: new(0.0), TopP: new(0.0), Seed: new(int64(0)), MaxTokens: new(0)},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],
			"temperature":0,"top_p":0,"seed":0,"max_tokens":0}`},
		{"numbers keep every digit", scenario.Provider{Model: "m"},
			chat.Request{Messages: hi, Temperature: new(0.1), Seed: new(int64(9007199254740993))},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],
			"temperature":0.1,"seed":9007199254740993}`},
		{"a transcript with tools", scenario.Provider{Model: "m"}, chat.Request{Messages: conversation()},
			`{"model":"m","stream":false,"messages":[
			{"role":"system","content":"Be <brief> & kind."},
			{"role":"user","content":"Where is A-1001?"},
			{"role":"assistant","content":null,"tool_calls":[
				{"id":"a1","type":"function","function":{"name":"get_order",
					"arguments":"{\"big\":12345678901234567890,\"id\":\"A-1001\"}"}},
				{"id":"b2","type":"function","function":{"name":"log","arguments":"{\"broken"}},
				{"id":"c3","type":"function","function":{"name":"ping","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a1","content":"{\"status\":\"shipped\"}"},
			{"role":"tool","tool_call_id":"b2","content":"error: bad arguments"},
			{"role":"tool","tool_call_id":"c3","content":""},
			{"role":"assistant","content":"It shipped."},
			{"role":"user","content":""}]}`},
		{"tools, streamed", scenario.Provider{Model: "m"}, chat.Request{Messages: hi, Tools: lookup, Stream: true},
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},
			"messages":[{"role":"user","content":"hi"}],"tools":[
			{"type":"function","function":{"name":"get_order","description":"Looks it up.","parameters":{"type":"object"}}},
			{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]}`},
		{"tool_choice word", scenario.Provider{Model: "m"},
			chat.Request{Messages: hi, Tools: lookup[1:], ToolChoice: "required"},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],"tool_choice":"required",
			"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]}`},
		{"tool_choice name", scenario.Provider{Model: "m"},
			chat.Request{Messages: hi, Tools: lookup[1:], ToolChoice: "ping"},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],
			"tool_choice":{"type":"function","function":{"name":"ping"}},
			"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]}`},
		{"tool_choice without tools", scenario.Provider{Model: "m"}, chat.Request{Messages: hi, ToolChoice: "none"},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}`},
		{"a schema that can be promised", scenario.Provider{Model: "m"}, chat.Request{Messages: hi, JSONSchema: []byte(
			`{"type":"object","properties":{"score":{"type":"number"}},"required":["score"],"additionalProperties":false}`)},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],
			"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object",
			"properties":{"score":{"type":"number"}},"required":["score"],"additionalProperties":false}}}}`},
		{"unsupported parameters", scenario.Provider{Model: "m", Unsupported: []string{
			"temperature", "top_p", "seed", "max_tokens", "max_completion_tokens", "stream_options", "tool_choice",
			"response_format",
		}}, chat.Request{Messages: hi, Temperature: new(0.5), TopP: new(0.5), Seed: new(int64(1)), MaxTokens: new(9),
			Stream: true, JSONSchema: []byte(`{}`)},
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		{"parameters of the provider's own", scenario.Provider{Model: "m", Unsupported: []string{"top_k"}},
			chat.Request{Messages: hi, Temperature: new(0.5), Extra: map[string]any{
				"reasoning": map[string]any{"effort": "<low>"}, "temperature": 1, "big": json.Number("12345678901234567890"),
				"top_k": 3, "model": "other", "messages": nil, "stream": true, "stream_options": nil,
			}},
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}],"temperature":1,
			"reasoning":{"effort":"<low>"},"big":12345678901234567890}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRequestStyle(&c.spec)
			got, err := s.encode(c.spec.Model, &c.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, []byte(c.want)), decoded(t, got)); diff != "" {
				t.Errorf("request (-want +got):\n%s\n%s", diff, got)
			}
		})
	}
}

func TestExtraThatJSONCannotHold(t *testing.T) {
	t.Parallel()
	s := newRequestStyle(&scenario.Provider{})
	_, err := s.encode("m", &chat.Request{Extra: map[string]any{"top_k": math.Inf(1)}})
	if err == nil || !strings.HasPrefix(err.Error(), "top_k: ") {
		t.Errorf("got %v", err)
	}
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	v, err := chat.DecodeJSON(data)
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func TestTokenLimitName(t *testing.T) {
	t.Parallel()
	cases := []struct {
		kind, model string
		unsupported []string
		want        string
	}{
		{"openai", "gpt-4o-mini", nil, "max_tokens"},
		{"openai", "gpt-oss-20b", nil, "max_tokens"},
		{"openai", "o3-mini", nil, "max_completion_tokens"},
		{"openai", "gpt-5.1", nil, "max_completion_tokens"},
		{"openai-compatible", "openai/gpt-6-sol", nil, "max_completion_tokens"},
		{"azure", "o1", nil, "max_completion_tokens"},
		{"ollama", "o1-clone", nil, "max_tokens"},
		{"vllm", "gpt-5-clone", nil, "max_tokens"},
		{"openai", "gpt-4o", []string{"max_tokens"}, "max_completion_tokens"},
		{"openai", "o1", []string{"max_completion_tokens"}, "max_tokens"},
		{"openai", "o1", []string{"max_tokens", "max_completion_tokens"}, ""},
	}
	for _, c := range cases {
		s := newRequestStyle(&scenario.Provider{Type: c.kind, Model: c.model, Unsupported: c.unsupported})
		data, err := s.encode(c.model, &chat.Request{MaxTokens: new(50)})
		if err != nil {
			t.Fatal(err)
		}
		sent := decoded(t, data).(map[string]any)
		got := ""
		for _, name := range []string{"max_tokens", "max_completion_tokens"} {
			if sent[name] == json.Number("50") {
				got += name
			}
		}
		if got != c.want {
			t.Errorf("%s %s without %v: sent %q, want %q", c.kind, c.model, c.unsupported, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	picture := filepath.Join(t.TempDir(), "dot.png")
	if err := os.WriteFile(picture, []byte("png"), 0o600); err != nil {
		t.Fatal(err)
	}
	media := func(kind string, m chat.Media) chat.Part { return chat.Part{Type: kind, Media: &m} }
	cases := []struct {
		name string
		part chat.Part
		want string // the part as JSON, or the error after a !
	}{
		{"text", chat.Part{Type: "text", Text: ""}, `{"type":"text","text":""}`},
		{"image by URL", media("image", chat.Media{URL: "https://x.test/a.png", Detail: "low"}),
			`{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}}`},
		{"image by data", media("image", chat.Media{MIMEType: "image/png", Data: "AAAA"}),
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`},
		{"image by path", media("image", chat.Media{MIMEType: "image/png", Path: picture, Local: true}),
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}`},
		{"audio", media("audio", chat.Media{MIMEType: "audio/mpeg", Data: "AAAA"}),
			`{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}`},
		{"document", media("document", chat.Media{MIMEType: "application/pdf", Data: "AAAA"}),
			`{"type":"file","file":{"filename": "document.pdf","file_data":"data:application/pdf;base64,AAAA"}}`},
		{"document by URL", media("document", chat.Media{URL: "https://x.test/a.pdf"}), "!not as a URL"},
		{"video", media("video", chat.Media{Data: "AAAA"}), "!does not take video"},
		{"no media", chat.Part{Type: "image"}, "!image without media"},
		{"no source", media("image", chat.Media{MIMEType: "image/png"}), "!media without data"},
		{"no file", media("image", chat.Media{Path: picture + ".missing", Local: true}), "!no such file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newRequestStyle(&scenario.Provider{})
			got, err := s.encode("m", &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{c.part}}}})
			if want, bad := strings.CutPrefix(c.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got error %v, want one with %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := `{"model":"m","stream":false,"messages":[{"role":"user","content":[` + c.want + `]}]}`
			if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, got)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStrictSchema(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{"type":"object","additionalProperties":false}`: true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{},
			"additionalProperties":false}}},"required":["a"],"additionalProperties":false}`: true,
		`{"type":"object","properties":{"required":{"type":"string"}},"required":["required"],
			"additionalProperties":false}`: true,
		`{"type":"object"}`: false,
		`{"type":"object","properties":{"a":{}},"additionalProperties":false}`:                                 false,
		`{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object"}]}},"required":["a"],
			"additionalProperties":false}`: false,
		`{"type":"array"}`: false,
		`nonsense`:         false,
	} {
		if got := strictSchema([]byte(schema)); got != want {
			t.Errorf("strictSchema(%s) = %v, want %v", schema, got, want)
		}
	}
}
