package anthropic

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
func events(list ...string) string { return "data: " + strings.Join(list, "\n\ndata: ") + "\n\n" }

const (
	began   = `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3,"output_tokens":1}}}`
	stopped = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`
	over    = `{"type":"message_stop"}`
)

func block(i, kind string) string {
	return `{"type":"content_block_start","index":` + i + `,"content_block":` + kind + `}`
}

func more(i, delta string) string {
	return `{"type":"content_block_delta","index":` + i + `,"delta":` + delta + `}`
}

func TestReplies(t *testing.T) {
	t.Parallel()
	u := chat.Usage{InputTokens: 3, OutputTokens: 9}
	for name, c := range map[string]struct {
		stream bool
		body   string
		want   chat.Reply
		err    string // "kind: a part of the text"
	}{
		"usage": {false, `{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1,
			"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":4}}`, chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m",
			Usage: chat.Usage{InputTokens: 321, OutputTokens: 4, CachedTokens: 300, CacheWriteTokens: 20}}, ""},
		"usage that cannot be": {false, `{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{
			"input_tokens":1e13,"output_tokens":4}}`, chat.Reply{}, "bad_reply: does not have the expected form"},
		"cached tokens that cannot be": {false, `{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{
			"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":1000000000000000}}`, chat.Reply{}, "bad_reply: no call can have taken"},
		"cached tokens below zero": {false, `{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{
			"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":-7}}`, chat.Reply{Content: "a", FinishReason: "stop", Model: "m",
			Usage: chat.Usage{InputTokens: 1, OutputTokens: 4}, Doubt: oddParts}, ""},
		"usage below zero": {false, `{"model":"m","content":[],"stop_reason":"end_turn","usage":{"input_tokens":-1,"output_tokens":4}}`,
			chat.Reply{}, "bad_reply: no call can have taken"},
		"thoughts in every place": {true, events(began, block("0", `{"type":"thinking","thinking":""}`),
			more("0", `{"type":"thinking_delta","thinking":"a<b"}`), more("0", `{"type":"signature_delta","signature":"s+/="}`),
			block("1", `{"type":"text","text":"One "}`), more("1", `{"type":"text_delta","text":"moment."}`),
			block("2", `{"type":"redacted_thinking","data":"x"}`),
			block("3", `{"type":"tool_use","id":"a","name":"f","input":{}}`),
			more("3", `{"type":"input_json_delta","partial_json":"{\"n\":"}`), more("3", `{"type":"input_json_delta","partial_json":"1}"}`),
			block("4", `{"type":"tool_use","id":"b","name":"g","input":{"n":2}}`),
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`, over), chat.Reply{
			Content: "One moment.", FinishReason: "tool_calls", Model: "m", Usage: u,
			Opaque: opaque(`[{"at":0,"block":{"signature":"s+/=","thinking":"a\u003cb","type":"thinking"}}]`),
			ToolCalls: []chat.ToolCall{
				{ID: "a", Name: "f", Args: map[string]any{"n": json.Number("1")},
					Opaque: opaque(`[{"type":"redacted_thinking","data":"x"}]`)},
				{ID: "b", Name: "g", Args: map[string]any{"n": json.Number("2")}},
			},
		}, ""},
		"blocks at once": {true, events(began, block("0", `{"type":"tool_use","id":"a","name":"f"}`),
			block("1", `{"type":"tool_use","id":"b","name":"g"}`), more("1", `{"partial_json":"{}"}`), more("0", `{"partial_json":"{\"x\""}`),
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}`, over), chat.Reply{
			FinishReason: "length", Model: "m", Usage: u, ToolCalls: []chat.ToolCall{
				{ID: "a", Name: "f", BadArgs: `{"x"`}, {ID: "b", Name: "g", Args: map[string]any{}},
			},
		}, ""},
		"tokens counted twice": {true, events(began, block("0", `{"type":"text","text":"a"}`),
			`{"type":"message_delta","delta":{},"usage":{"output_tokens":5}}`, stopped, over), chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},
		"what is new": {true, events(began, `{"type":"weather","now":"fine"}`, block("0", `{"type":"text","text":"a"}`),
			more("0", `{"type":"citations_delta","citation":{}}`), stopped, over), chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},
		"nothing behind the end": {true, events(began, block("0", `{"type":"text","text":"a"}`), stopped, over, "{"), chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},

		"no end": {true, events(began, block("0", `{"type":"text","text":"a"}`)), chat.Reply{}, "bad_reply: no message_stop"},
		"no end, but a reason": {true, events(began, block("0", `{"type":"text","text":"a"}`), stopped), chat.Reply{
			Content: "a", FinishReason: "stop", Model: "m", Usage: u}, ""},
		"no reason":    {true, events(began, block("0", `{"type":"text","text":"a"}`), over), chat.Reply{}, "bad_reply: stop_reason"},
		"a lost block": {true, events(began, more("1", `{"text":"a"}`)), chat.Reply{}, "bad_reply: has not begun (index 1)"},
		"overloaded": {true, events(began, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), chat.Reply{},
			"transport: reports an error: Overloaded"},
		"an error as a reply": {false, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, chat.Reply{},
			"rate_limit: slow"},
		"a request that is refused": {false, `{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`, chat.Reply{},
			"refused: no"},
		"no such right":     {false, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, chat.Reply{}, "auth: no"},
		"a list for a text": {false, `{"content":[{"type":"text","text":["a"]}],"stop_reason":"end_turn"}`, chat.Reply{}, "bad_reply: expected form"},
		"a text for blocks": {false, `{"content":"a","stop_reason":"end_turn"}`, chat.Reply{}, "bad_reply: expected form"},
		"a block that is none": {true, events(began, block("0", `7`), stopped, over), chat.Reply{},
			"bad_reply: expected form"},
		"no block":           {true, events(began, `{"type":"content_block_start","index":0}`), chat.Reply{}, "bad_reply: empty"},
		"refused in silence": {false, `{"content":[],"stop_reason":"refusal"}`, chat.Reply{}, "refused: refused to answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ask(t, 200, providertest.Canned{Body: c.body, Stream: c.stream})
			providertest.CheckReply(t, got, err, c.want, c.err)
		})
	}
}

// TestRefusals: what the server says of a call that it refused, and what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	refusal := func(kind, text string) string {
		return encode(object{"type": "error", "error": object{"type": kind, "message": text}})
	}
	for name, c := range map[string]struct {
		status int
		body   string
		header string
		want   string
		kind   providers.Kind
	}{
		"a parameter": {400, refusal("invalid_request_error", "`temperature` is deprecated for this model."), "",
			`http 400: ` + "`temperature`" + ` is deprecated for this model.; list "temperature" under unsupported_params to leave it out`,
			providers.Refused},
		"effort": {400, refusal("invalid_request_error", "output_config.effort: not supported"), "",
			`http 400: output_config.effort: not supported; list "reasoning_effort" under unsupported_params to leave it out`,
			providers.Refused},
		"the key": {401, refusal("authentication_error", "invalid x-api-key"), "",
			"http 401: invalid x-api-key; the key from credential.api_key was not accepted", providers.Auth},
		"the model": {404, refusal("not_found_error", "model: some-model"), "",
			`http 404: model: some-model; check model "some-model" and base_url https://api.test`, providers.Refused},
		"a pause":    {429, refusal("rate_limit_error", "slow down"), "7", "http 429: slow down", providers.RateLimit},
		"overloaded": {529, refusal("overloaded_error", "Overloaded"), "7", "http 529: Overloaded", providers.Transport},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ask(t, c.status, providertest.Canned{Body: c.body}, "Retry-After", c.header)
			failed, ok := errors.AsType[*providers.Error](err)
			if !ok || failed.Msg != c.want || failed.Kind != c.kind || (failed.RetryAfter == 7*time.Second) != (c.header != "") {
				t.Errorf("got %+v, want %s (%s)", err, c.want, c.kind)
			}
		})
	}
}

// FuzzReply feeds a provider whatever a server may send.
func FuzzReply(f *testing.F) {
	providertest.FuzzReply(f, []string{
		events(began, block("0", `{"type":"thinking"}`), more("0", `{"signature":"s"}`), stopped, over),
		events(block("0", `{"type":"tool_use"}`), more("0", `{"partial_json":"{"}`), stopped, over),
		`{"content":[{"type":"tool_use","name":"f","input":[]}],"stop_reason":"tool_use"}`, `{"error":{"message":["x"]}}`,
	}, func(t *testing.T, answer providertest.Canned) (chat.Reply, error) {
		return ask(t, 200, answer)
	}, func(t *testing.T, req *chat.Request) error {
		_, err := sent(t, nil, req)
		return err
	})
}

const oddParts = "reports more cached or reasoning tokens than tokens in all, or fewer than 0: they are " +
	"limited to the range from 0 to the whole, and the cost may be wrong"
