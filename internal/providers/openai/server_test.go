package openai

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
)

// serve starts a server of the API that follows s and acts out its fault.
func serve(t *testing.T, s providertest.Script) *httptest.Server {
	t.Helper()
	return providertest.Serve(t, chatAPI(t), s)
}

func chatAPI(t *testing.T) providertest.API {
	return providertest.API{
		Path:    chatPath,
		Streams: providertest.StreamInBody(t),
		Error: func(text string) string {
			return encode(object{"error": object{"message": text, "type": "overloaded"}})
		},
		Unstreamed: whole, Stream: streamed,
		First: func(w *providertest.Stream) { sendDelta(w, object{"content": "It"}) },
		Empty: func(w *providertest.Stream) { sendDelta(w, object{"content": ""}) },
		Failed: func(w *providertest.Stream) {
			w.Send(`data: {"error": {"message": "overloaded", "type": "server_error"}}`)
		},
	}
}

type object = map[string]any

func send(w http.ResponseWriter, status int, kind, body string) {
	providertest.Send(w, status, kind, body)
}

var encode = providertest.Encode

func finishOf(s providertest.Script) string {
	switch {
	case s.Word != "":
		return s.Word
	case s.Fault == providertest.Filtered:
		return "content_filter"
	case s.Fault == providertest.BrokeOff:
		return "error"
	case s.Finish != "":
		return s.Finish
	case len(s.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// choiceError is what a gateway says beside a choice.
var choiceError = object{"code": 429, "message": "the model behind the gateway is busy"}

func callsOf(s providertest.Script) []object {
	calls := s.Calls
	if s.Fault == providertest.Nameless {
		calls = []providertest.Call{{ID: "a1", Args: "{}"}}
	}
	var out []object
	for i, c := range calls {
		out = append(out, object{
			"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args},
		})
	}
	return out
}

func usageIn(s providertest.Script) object {
	u := s.Usage
	if u == (chat.Usage{}) {
		return nil
	}
	return object{
		"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.Total(),
		"prompt_tokens_details": object{"cached_tokens": u.CachedTokens},
	}
}

func whole(s providertest.Script) string {
	message := object{"role": "assistant", "content": s.Text, "tool_calls": callsOf(s)}
	if s.Fault == providertest.NullContent || s.Text == "" && len(s.Calls) > 0 {
		message["content"] = nil
	}
	reply := object{"id": "c1", "object": "chat.completion", "created": 1, "model": "served", "usage": usageIn(s),
		"choices": []object{{"index": 0, "message": message, "finish_reason": finishOf(s)}}}
	switch s.Fault {
	case providertest.NoChoices:
		reply["choices"] = []object{}
	case providertest.ChoiceError:
		reply["choices"].([]object)[0]["error"] = choiceError
	}
	return encode(reply)
}

func sendChunk(w *providertest.Stream, choices ...object) {
	w.Send("data: " + encode(object{"id": "c1", "model": "served", "choices": choices}))
}

func sendDelta(w *providertest.Stream, delta object) {
	sendChunk(w, object{"index": 0, "delta": delta, "finish_reason": nil})
}

func streamed(s providertest.Script, w *providertest.Stream) {
	defer w.Send("data: [DONE]")
	switch s.Fault {
	case providertest.NoChoices:
		sendChunk(w)
		return
	case providertest.ChoiceError:
		sendDelta(w, object{"content": "It"})
		sendChunk(w, object{"index": 0, "delta": object{"content": ""}, "finish_reason": "error", "error": choiceError})
		return
	}
	sendDelta(w, object{"role": "assistant", "content": ""})
	for word := range strings.SplitAfterSeq(s.Text, " ") {
		sendDelta(w, object{"content": word})
	}
	for _, c := range callsOf(s) {
		pieces(c, w)
	}
	sendChunk(w, object{"index": 0, "delta": object{}, "finish_reason": finishOf(s)})
	if u := usageIn(s); u != nil {
		w.Send("data: " + encode(object{"choices": []object{}, "usage": u}))
	}
}

// pieces sends a call as models do: first its id and name, then the arguments a few characters at a time.
func pieces(call object, w *providertest.Stream) {
	function := call["function"].(object)
	args := function["arguments"].(string)
	index := call["index"]
	sendDelta(w, object{"tool_calls": []object{{"index": index, "id": call["id"], "type": "function",
		"function": object{"name": function["name"], "arguments": ""}}}})
	for len(args) > 0 {
		n := min(5, len(args))
		sendDelta(w, object{"tool_calls": []object{{"index": index, "function": object{"arguments": args[:n]}}}})
		args = args[n:]
	}
}
