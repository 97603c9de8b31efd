package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
)

// delta writes a chunk whose delta is the given JSON; a finish_reason may follow.
func delta(content string, finish ...string) string {
	reason := "null"
	if len(finish) > 0 {
		reason = `"` + finish[0] + `"`
	}
	return `data: {"model":"m","choices":[{"index":0,"delta":` + content + `,"finish_reason":` + reason + "}]}\n\n"
}

func callDelta(piece string) string { return delta(`{"tool_calls":[` + piece + `]}`) }

const done = "data: [DONE]\n\n"

func TestStream(t *testing.T) {
	t.Parallel()
	text := func(s string) chat.Reply {
		return chat.Reply{Content: s, FinishReason: "stop", Model: "m"}
	}
	calls := func(calls ...chat.ToolCall) chat.Reply {
		return chat.Reply{FinishReason: "tool_calls", Model: "m", ToolCalls: calls}
	}
	x := map[string]any{"x": "1"}
	cases := []struct {
		name, body string
		want       chat.Reply
		err        string // "" or "kind: part of the text"
	}{
		{"plain", delta(`{"content":"a"}`) + delta(`{"content":"b"}`) + delta(`{}`, "stop") + done, text("ab"), ""},
		{"no [DONE]", delta(`{"content":"a"}`, "stop"), text("a"), ""},
		{"no last line end", strings.TrimSuffix(delta(`{"content":"a"}`, "stop"), "\n\n"), text("a"), ""},
		{"CRLF, no space after the colon", strings.NewReplacer("\n", "\r\n", "data: ", "data:").
			Replace(delta(`{"content":"a"}`, "stop") + done), text("a"), ""},
		{"keep-alives and unknown fields", ": hi\n\nevent: message\nid: 7\nretry: 10\n" + delta(`{"content":"a"}`) +
			": still here\n\n" + delta(`{}`, "stop") + done, text("a"), ""},
		{"no blank lines between chunks", strings.ReplaceAll(delta(`{"content":"a"}`)+delta(`{}`, "stop")+done, "\n\n", "\n"),
			text("a"), ""},
		{"a chunk on several lines", "data: {\"model\":\"m\",\ndata:  \"choices\": [\r\n: hi\ndata: {\"index\":0,\n" +
			"data: \"delta\":{\"content\":\"a\"}}]}\n\n" + delta(`{}`, "stop") + done, text("a"), ""},
		{"the last chunk on several lines", "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\n" +
			"data: \"delta\":{\"content\":\"a\"}}]}", text("a"), ""},
		{"a byte order mark", "\ufeff" + delta(`{"content":"a"}`, "stop") + done, text("a"), ""},
		{"null content, other choices", delta(`{"content":null}`) +
			"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"},\"finish_reason\":\"length\"}]}\n\n" +
			delta(`{"content":"a"}`, "stop"),
			chat.Reply{Content: "a", FinishReason: "stop", Model: "m", Doubt: "has a part that is left out (another choice)"}, ""},
		{"content in parts", delta(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "stop"),
			text("ab"), ""},
		{"a refusal is what the model says", delta(`{"refusal":"I will "}`) + delta(`{"refusal":"not."}`, "stop"),
			chat.Reply{Content: "I will not.", FinishReason: "stop", Model: "m", Refused: true}, ""},
		{"usage", delta(`{"content":"a"}`, "stop") +
			`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,` +
			`"prompt_tokens_details":{"cached_tokens":4}}}` + "\n\n" + done, chat.Reply{Content: "a", FinishReason: "stop", Model: "m",
			Usage: chat.Usage{InputTokens: 9, OutputTokens: 2, CachedTokens: 4}}, ""},
		{"a call in pieces", callDelta(`{"index":0,"id":"a1","function":{"name":"get"}}`) +
			callDelta(`{"index":0,"function":{"name":"_order"}}`) +
			callDelta(`{"index":0,"function":{"arguments":"{\"x\":"}}`) +
			callDelta(`{"index":0,"function":{"arguments":"\"1\"}"}}`) + delta(`{}`, "tool_calls"),
			calls(chat.ToolCall{ID: "a1", Name: "get_order", Args: x}), ""},
		{"the id after the name", callDelta(`{"index":0,"function":{"name":"f"}}`) + callDelta(`{"index":0,"id":"a1"}`) +
			delta(`{}`, "stop"), calls(chat.ToolCall{ID: "a1", Name: "f", Args: map[string]any{}}), ""},
		{"calls interleaved and out of order", callDelta(`{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`) +
			callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`) +
			callDelta(`{"index":1,"function":{"arguments":"\"x\":\"1\"}"}}`) +
			callDelta(`{"index":0,"function":{"arguments":"}"}}`) + delta(`{}`, "tool_calls"),
			calls(chat.ToolCall{ID: "a", Name: "f", Args: map[string]any{}}, chat.ToolCall{ID: "b", Name: "g", Args: x}), ""},
		{"whole calls that share an index", callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`) +
			callDelta(`{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":\"1\"}"}}`) + delta(`{}`, "stop"),
			calls(chat.ToolCall{ID: "a", Name: "f", Args: map[string]any{}}, chat.ToolCall{ID: "b", Name: "f", Args: x}), ""},
		{"whole calls without index and id", callDelta(`{"function":{"name":"f","arguments":{"x":"1"}}}`) +
			callDelta(`{"function":{"name":"g","arguments":"{}"}}`) + delta(`{}`, "tool_calls"),
			calls(chat.ToolCall{ID: "call_3_0", Name: "f", Args: x},
				chat.ToolCall{ID: "call_3_1", Name: "g", Args: map[string]any{}}), ""},
		{"id and name repeated in each piece",
			callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`) +
				callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":":\"1\"}"}}`) + delta(`{}`, "tool_calls"),
			calls(chat.ToolCall{ID: "a", Name: "f", Args: x}), ""},
		{"arguments that are no object", callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`) +
			delta(`{}`, "length"), chat.Reply{FinishReason: "length", Model: "m",
			ToolCalls: []chat.ToolCall{{ID: "a", Name: "f", BadArgs: `{"x"`}}}, ""},

		{"nothing", "", chat.Reply{}, "bad_reply: no choices"},
		{"only [DONE]", done, chat.Reply{}, "bad_reply: no choices"},
		{"ends early", delta(`{"content":"a"}`), chat.Reply{}, "bad_reply: no finish_reason"},
		{"[DONE] too early", delta(`{"content":"a"}`) + done, chat.Reply{}, "bad_reply: no finish_reason"},
		{"cut within a line", delta(`{"content":"a"}`) + `data: {"choices":[{"del`, chat.Reply{}, "transport: was cut"},
		{"cut between the lines of a chunk", delta(`{"content":"a"}`, "stop") + "data: {\"choices\":[\ndata: {",
			chat.Reply{}, "transport: was cut"},
		{"a chunk that breaks off", delta(`{"content":"a"}`) + "data: {\"choices\":[\n\n" + delta(`{}`, "stop"),
			chat.Reply{}, `bad_reply: is not JSON: {"choices":[`},
		{"a chunk that is not JSON", delta(`{"content":"a"}`) + "data: <html>\n\n" + delta(`{}`, "stop"), chat.Reply{},
			"bad_reply: is not JSON: <html>"},
		{"an error", delta(`{"content":"a"}`) + `data: {"error":{"message":"overloaded"}}` + "\n\n", chat.Reply{},
			"bad_reply: reports an error: overloaded"},
		{"an error after a keep-alive", ": hi\n\n" + `data: { "error": "rate", "code": "rate_limit_exceeded"}` + "\n\n",
			chat.Reply{}, "bad_reply: reports an error: rate"},
		{"an error event", "event: error\ndata: {\"message\":\"gone\"}\n\n", chat.Reply{},
			"bad_reply: reports an error: gone"},
		{"a rate limit", `data: {"error":{"message":"slow down","code":"rate_limit_exceeded"}}` + "\n\n", chat.Reply{},
			"rate_limit: slow down"},
		{"an error that names itself", `data: {"object":"error","message":"out of memory","code":500}` + "\n\n",
			chat.Reply{}, "transport: reports an error: out of memory"},
		{"an error within a choice", delta(`{"content":"a"}`) + `data: {"choices":[{"index":0,"delta":{"content":""},` +
			`"finish_reason":"error","error":{"code":502,"message":"upstream is gone"}}]}` + "\n\n" + done, chat.Reply{},
			"transport: upstream is gone"},
		{"an error after the end", delta(`{"content":"a"}`, "stop") + `data: {"error":{"message":"too late"}}` + "\n\n",
			chat.Reply{}, "bad_reply: too late"},
		{"broken off", delta(`{"content":"a"}`) + delta(`{}`, "ERROR") + done, chat.Reply{},
			`bad_reply: broke the reply off (finish_reason "ERROR")`},
		{"a filter before the first word", delta(`{}`, "content_filter"), chat.Reply{}, "refused: content filter"},
		{"a filter", delta(`{"content":"a"}`) + delta(`{}`, "content_filter"),
			chat.Reply{Content: "a", FinishReason: "content_filter", Model: "m"}, ""},
		{"a call without a name", callDelta(`{"index":0,"id":"a"}`) + delta(`{}`, "tool_calls"), chat.Reply{},
			"bad_reply: without a name"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ask(t, providertest.Answers(200, "text/event-stream", c.body), true)
			checkError(t, err, c.err)
			if c.want.Usage == (chat.Usage{}) {
				got.Usage = chat.Usage{}
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(chat.Reply{}, "LatencyMS")); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// checkError compares an error with "kind: part of its text"; "" is none.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	kind, part, _ := strings.Cut(want, ": ")
	var failed *providers.Error
	if !asError(err, &failed) || string(failed.Kind) != kind || !strings.Contains(failed.Msg, part) {
		t.Errorf("got error %v, want kind %s with %q", err, kind, part)
	}
}

func TestStreamReadsInAnyPieces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 2000)
	body := ": hi\n\n" + delta(`{"content":"`+long+`"}`) + delta(`{"content":"é"}`, "stop") + done
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "data with the error": iotest.DataErrReader, "half": iotest.HalfReader,
	} {
		got, err := ask(t, providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
			r := providertest.Response(200, "text/event-stream", "")
			r.Body = io.NopCloser(wrap(strings.NewReader(body)))
			return r, nil
		}), true)
		if err != nil || got.Content != long+"é" {
			t.Errorf("%s: got %d bytes, %v", name, len(got.Content), err)
		}
	}
}

func TestStreamBreaks(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader(delta(`{"content":"a"}`, "stop")), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := ask(t, providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
		r := providertest.Response(200, "text/event-stream", "")
		r.Body = io.NopCloser(broken)
		return r, nil
	}), true)
	checkError(t, err, "transport: was cut")
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		_, err := ask(t, providertest.RoundTrip(func(*http.Request) (*http.Response, error) {
			r := providertest.Response(200, "text/event-stream", "")
			r.Body, r.ContentLength = io.NopCloser(endless{}), -1
			return r, nil
		}), stream)
		checkError(t, err, "bad_reply: larger than 32 MiB")
	}
}

// endless is a body of spaces without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, spaces), nil }

var spaces = strings.Repeat(" ", 64<<10)

// FuzzReply feeds a provider whatever a server may send. It never panics, and a reply without an error has ended.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		delta(`{"content":"a"}`, "stop") + done, callDelta(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`),
		`{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}]}`,
		`{"error":{"message":["x"]}}`, "event: error\ndata: 1\n", `{"choices":[{"message":{"content":[{"text":"a"}]}}]}`,
	} {
		f.Add(body, true)
		f.Add(body, false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		reply, err := ask(t, providertest.Answers(200, "", body), stream)
		var failed *providers.Error
		switch {
		case err != nil && !errors.As(err, &failed):
			t.Errorf("%T is not a *providers.Error: %v", err, err)
		case err == nil && stream && reply.FinishReason == "":
			t.Errorf("a reply that has not ended: %+v", reply)
		}
	})
}
