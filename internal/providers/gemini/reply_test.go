package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
)

// ask sends one request to a provider that gets an answer.
func ask(t testing.TB, status int, answer providertest.Canned, headers ...string) (chat.Reply, error) {
	t.Helper()
	return answer.Ask(t, func(transport providertest.RoundTrip) providers.Provider {
		return open(t, spec("https://api.test"), wire.Options{Transport: transport})
	}, status, headers...)
}

// events is a stream.
func events(list ...string) string {
	return "data: " + strings.Join(list, "\r\n\r\ndata: ") + "\r\n\r\n"
}

// some is an event with parts.
func some(parts string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}}]}`
}

const (
	counted = `"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9}`
	over    = `{"candidates":[{"finishReason":"STOP"}],` + counted + `,"modelVersion":"m"}`
)

func all(parts, finish string) string {
	return `{"candidates":[{"content":{"parts":[` + parts + `]},"finishReason":"` + finish + `"}],` + counted + `,"modelVersion":"m"}`
}

func TestReplies(t *testing.T) {
	t.Parallel()
	u := chat.Usage{InputTokens: 3, OutputTokens: 9}
	one := map[string]any{"n": json.Number("1")}
	for name, c := range map[string]struct {
		stream bool
		body   string
		want   chat.Reply
		err    string // "kind: a part of the text"
	}{
		"usage": {false, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{
			"promptTokenCount":20,"toolUsePromptTokenCount":3,"cachedContentTokenCount":11,"candidatesTokenCount":4,
			"thoughtsTokenCount":100,"totalTokenCount":127}}`, chat.Reply{Content: "a", FinishReason: "stop",
			Usage: chat.Usage{InputTokens: 23, OutputTokens: 104, CachedTokens: 11, ReasoningTokens: 100}}, ""},
		"usage in pieces": {true, events(`{"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}`, some(`{"text":"a"}`),
			`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":9}}`),
			chat.Reply{Content: "a", FinishReason: "stop", Usage: u}, ""},
		"cached tokens that cannot be": {false, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],
			"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9,"cachedContentTokenCount":1000000000000000}}`, chat.Reply{},
			"bad_reply: no call can have taken"},
		"usage that cannot be": {false, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],
			"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9,"thoughtsTokenCount":-4}}`, chat.Reply{},
			"bad_reply: no call can have taken"},
		"thoughts and signatures in every place": {true, events(some(`{"text":"Let me","thought":true}`),
			some(`{"text":" think","thought":true,"thoughtSignature":"1"}`), some(`{"text":"One "}`),
			some(`{"text":"moment.","thoughtSignature":"2"},{"executableCode":{"code":"x<y"}}`),
			some(`{"functionCall":{"name":"f","args":{"n":1}},"thoughtSignature":"s+/="},{"functionCall":{"id":"b","name":"g","args":null}}`),
			some(`{"text":"","thoughtSignature":"3"}`), over), chat.Reply{
			Content: "One moment.", FinishReason: "tool_calls", Model: "m", Usage: u,
			Doubt:  "has a part that is left out (executableCode)",
			Opaque: opaque(`[{"at":0,"part":{"text":" think","thought":true,"thoughtSignature":"1"}},{"at":4,"to":11,"signature":"2"}]`),
			ToolCalls: []chat.ToolCall{
				{ID: "call_1_0", Name: "f", Args: one,
					Opaque: opaque(`{"before":[{"executableCode":{"code":"x\u003cy"}}],"signature":"s+/="}`)},
				{ID: "b", Name: "g", Args: map[string]any{}, Opaque: opaque(`{"after":[{"text":"","thoughtSignature":"3"}]}`)},
			},
		}, ""},
		"thoughts that nobody signed": {false, all(`{"text":"Hm","thought":true},{"text":"a"}`, "STOP"),
			chat.Reply{Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},
		"a signature behind the text": {true, events(some(`{"text":"a"}`), some(`{"text":"","thoughtSignature":"1"}`), over),
			chat.Reply{Content: "a", FinishReason: "stop", Model: "m", Usage: u,
				Opaque: opaque(`[{"at":1,"part":{"text":"","thoughtSignature":"1"}}]`)}, ""},
		"pictures": {false, all(`{"text":"Look:"},{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"1"},
			{"inlineData":{"mimeType":"application/pdf","data":"BBBB"}},{"text":"!"}`, "STOP"), chat.Reply{
			Content: "Look:!", FinishReason: "stop", Model: "m", Usage: u,
			Opaque: opaque(`[{"at":5,"medium":1,"signature":"1"},{"at":5,"medium":2}]`), Parts: []chat.Part{
				{Type: "text", Text: "Look:"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "AAAA"}},
				{Type: "document", Media: &chat.Media{MIMEType: "application/pdf", Data: "BBBB"}}, {Type: "text", Text: "!"},
			},
		}, ""},
		"arguments that are none": {false, all(`{"functionCall":{"name":"f","args":[1]}}`, "STOP"), chat.Reply{
			FinishReason: "tool_calls", Model: "m", Usage: u, ToolCalls: []chat.ToolCall{{ID: "call_1_0", Name: "f", BadArgs: "[1]"}}}, ""},
		"a stream that is none": {true, "[" + some(`{"text":"a"}`) + ",\n" + over + "]", chat.Reply{},
			"bad_reply: the stream has a line that is no event"},
		"events in a list": {false, "[" + some(`{"text":"a"}`) + ",\n" + over + "]", chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},
		"several candidates": {false, `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"},
			{"content":{"parts":[{"text":"b"}]}}],` + counted + `}`, chat.Reply{
			Content: "a", FinishReason: "stop", Usage: u, Doubt: "has a part that is left out (another candidate)"}, ""},
		"nothing to say": {true, events(some(`{"text":""}`), over), chat.Reply{FinishReason: "stop", Model: "m", Usage: u}, ""},
		"filtered after a text": {true, events(some(`{"text":"a"}`), `{"promptFeedback":{"blockReason":"OTHER"},`+counted+`}`),
			chat.Reply{Content: "a", FinishReason: "content_filter", Usage: u}, ""},

		"no end":         {true, events(some(`{"text":"a"}`)), chat.Reply{}, "bad_reply: no finishReason"},
		"no end yet":     {false, all(`{"text":"a"}`, "FINISH_REASON_UNSPECIFIED"), chat.Reply{}, "bad_reply: no finishReason"},
		"no candidates":  {false, `{` + counted + `}`, chat.Reply{}, "bad_reply: no candidates"},
		"nothing at all": {false, all("", "STOP"), chat.Reply{}, "bad_reply: neither text nor tool calls (finishReason STOP)"},
		"all thought away": {false, all(`{"text":"Hm","thought":true}`, "MAX_TOKENS"), chat.Reply{},
			"bad_reply: max_tokens was used up before the first word, raise it"},
		"a question that is refused": {false, `{"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"Too hot."},` + counted + `}`,
			chat.Reply{}, "refused: refused the question (blockReason SAFETY): Too hot."},
		"a reply that is refused": {true, events(`{"candidates":[{"finishReason":"RECITATION","finishMessage":"Known words."}]}`),
			chat.Reply{}, "refused: stopped the reply (finishReason RECITATION): Known words."},
		"a call that broke": {false, `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print(f("}]}`,
			chat.Reply{}, "bad_reply: broke the reply off (finishReason MALFORMED_FUNCTION_CALL): print(f("},
		"overloaded": {true, events(some(`{"text":"a"}`), `{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}`),
			chat.Reply{}, "transport: reports an error: Overloaded"},
		"an error in a list": {true, events(`[{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}]`), chat.Reply{},
			"rate_limit: slow"},
		"an error as a reply": {false, `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`, chat.Reply{}, "refused: no"},
		"no such right":       {false, `[{"error":{"message":"no","status":"PERMISSION_DENIED"}}]`, chat.Reply{}, "auth: no"},
		"a list for a text":   {false, all(`{"text":["a"]}`, "STOP"), chat.Reply{}, "bad_reply: expected form"},
		"a text for parts": {false, `{"candidates":[{"content":{"parts":"a"},"finishReason":"STOP"}]}`, chat.Reply{},
			"bad_reply: expected form"},
		"a part that is none": {true, events(some(`7`), over), chat.Reply{}, "bad_reply: expected form"},
		"a text in a list":    {false, `["a"]`, chat.Reply{}, "bad_reply: expected form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ask(t, 200, providertest.Canned{Body: c.body, Stream: c.stream})
			providertest.CheckReply(t, got, err, c.want, c.err)
		})
	}
}

// TestGoesBack: the parts of a reply go back as they came, in their order.
func TestGoesBack(t *testing.T) {
	t.Parallel()
	for _, parts := range []string{
		`{"text":"a"},{"text":"b","thoughtSignature":"1"},{"text":"c"},{"functionCall":{"id":"x","name":"f","args":{}},"thoughtSignature":"2"}`,
		`{"text":"a"},{"text":"","thoughtSignature":"1"}`,
		`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"2"},{"functionCall":{"name":"g","args":{"a":[1]}}}`,
		`{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"1"},{"text":"b"}`,
		`{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"codeExecutionResult":{"output":"1"}},{"text":"b","thoughtSignature":"1"}`,
		`{"toolCall":{"x":1},"thoughtSignature":"0"},{"functionCall":{"name":"f","args":{}}},{"text":"","thoughtSignature":"2"}`,
	} {
		reply, err := ask(t, 200, providertest.Canned{Body: all(parts, "STOP")})
		if err != nil {
			t.Fatal(err)
		}
		got, err := sent(t, nil, &chat.Request{Messages: []chat.Message{says(chat.User, "Hi"), reply.Message()}})
		if err != nil {
			t.Fatal(err)
		}
		providertest.Same(t, parts, "["+parts+"]", got["contents"].([]any)[1].(object)["parts"])
	}
}

// TestRefusals: what the server says of a call that it refused, and what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	refusal := func(code int, status, text string, details ...any) string {
		return encode(object{"error": object{"code": code, "message": text, "status": status, "details": details}})
	}
	pause := object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}
	for name, c := range map[string]struct {
		status int
		body   string
		header string
		want   string
		kind   providers.Kind
	}{
		"a parameter": {400, refusal(400, "INVALID_ARGUMENT", "Thinking level is not supported for this model."), "",
			"http 400: Thinking level is not supported for this model.; list \"reasoning_effort\" under unsupported_params to leave it out",
			providers.Refused},
		"two parameters": {400, refusal(400, "INVALID_ARGUMENT", "Penalty is not enabled for this model"), "",
			`http 400: Penalty is not enabled for this model; list "frequency_penalty" and "presence_penalty" under unsupported_params ` +
				"to leave it out", providers.Refused},
		"the key": {400, refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "",
			"http 400: API key not valid. Please pass a valid API key.; check the key in credential, or in GEMINI_API_KEY or GOOGLE_API_KEY",
			providers.Refused},
		"no right": {403, refusal(403, "PERMISSION_DENIED", "no"), "",
			"http 403: no; the key from credential.api_key may not do this", providers.Auth},
		"the model": {404, "[" + refusal(404, "NOT_FOUND", "models/x is not found") + "]", "",
			`http 404: models/x is not found; check model "some-model" and base_url https://api.test`, providers.Refused},
		"a pause":             {429, refusal(429, "RESOURCE_EXHAUSTED", "slow down", pause), "", "http 429: slow down", providers.RateLimit},
		"a pause in a list":   {429, "[" + refusal(429, "RESOURCE_EXHAUSTED", "slow down", pause) + "]", "", "http 429: slow down", providers.RateLimit},
		"a pause in a header": {429, refusal(429, "RESOURCE_EXHAUSTED", "slow down"), "7", "http 429: slow down", providers.RateLimit},
		"a pause in a reply":  {200, refusal(429, "RESOURCE_EXHAUSTED", "slow down", pause), "", "the server reports an error: slow down", providers.RateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, c.status, providertest.Canned{Body: c.body}, "Retry-After", c.header)
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || failed.Msg != c.want || failed.Kind != c.kind ||
				(failed.RetryAfter == 7*time.Second) != strings.HasPrefix(name, "a pause") {
				t.Errorf("got %+v, want %s (%s)", err, c.want, c.kind)
			}
		})
	}
}

// FuzzReply feeds a provider whatever a server may send.
func FuzzReply(f *testing.F) {
	providertest.FuzzReply(f, []string{
		events(some(`{"text":"a","thoughtSignature":"s"}`), some(`{"functionCall":{"name":"f","args":[]}}`), over),
		events(some(`{"inlineData":{"mimeType":"x","data":"A"},"thoughtSignature":"s"},{"x":1}`), over),
		all(`{"text":"a","thought":true,"thoughtSignature":"s"},{"functionCall":{"name":"f"}}`, "STOP"), `[{"error":{"message":["x"]}}]`,
	}, func(t *testing.T, answer providertest.Canned) (chat.Reply, error) {
		return ask(t, 200, answer)
	}, func(t *testing.T, req *chat.Request) error {
		_, err := sent(t, nil, req)
		return err
	})
}
