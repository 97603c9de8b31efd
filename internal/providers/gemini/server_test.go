package gemini

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
)

type object = map[string]any

var (
	encode               = providertest.Encode
	says, calls, answers = providertest.TextMessage, providertest.Calls, providertest.Result
)

func opaque(data string) *chat.Opaque { return providertest.State("gemini", data) }

// api is a server of the API. Its errors come as a list of one, as some of Google's do.
func api(t testing.TB) providertest.API {
	return providertest.API{
		Streams: func(r *http.Request, _ []byte) bool {
			switch r.RequestURI {
			case "/v1beta/models/some-model:generateContent":
				return false
			case "/v1beta/models/some-model:streamGenerateContent?alt=sse":
				return true
			}
			t.Errorf("called %s", r.RequestURI)
			return false
		},
		Error: func(text string) string {
			return encode([]any{object{"error": object{"status": "STRANGE", "message": text}}})
		},
		Unstreamed: whole, Stream: streamed,
		First: func(w *providertest.Stream) { send(w, object{"candidates": []any{candidateOf(object{"text": "It"})}}) },
		Empty: func(w *providertest.Stream) { send(w, object{"usageMetadata": object{"promptTokenCount": 1}}) },
		Failed: func(w *providertest.Stream) {
			w.Send("data: " + encode([]any{object{"error": object{"status": "STRANGE", "message": "overloaded"}}}))
		},
	}
}

func finishOf(s providertest.Script) string {
	switch {
	case s.Word != "":
		return s.Word
	case s.Fault == providertest.Filtered || s.Finish == "content_filter":
		return "SAFETY"
	case s.Fault == providertest.BrokeOff:
		return "OTHER"
	case s.Finish == "length":
		return "MAX_TOKENS"
	}
	return "STOP"
}

func usageIn(u chat.Usage) object {
	return object{
		"promptTokenCount": u.InputTokens, "candidatesTokenCount": u.OutputTokens - u.ReasoningTokens,
		"thoughtsTokenCount": u.ReasoningTokens, "totalTokenCount": u.InputTokens + u.OutputTokens,
		"cachedContentTokenCount": u.CachedTokens,
	}
}

// parts are the content of a reply.
func parts(s providertest.Script) (list []object) {
	if s.Thought != "" {
		list = append(list, object{"text": "Let me think.", "thought": true})
	}
	if s.Text != "" {
		list = append(list, object{"text": s.Text})
	}
	calls := s.Calls
	if s.Fault == providertest.Nameless {
		calls = []providertest.Call{{ID: "a1", Args: "{}"}}
	}
	for i, c := range calls {
		call := object{"name": c.Name, "args": json.RawMessage(c.Args)}
		if i != 0 { // as older models: without an id
			call["id"] = c.ID
		}
		list = append(list, object{"functionCall": call})
	}
	switch {
	case s.Thought == "":
	case len(calls) > 0:
		list[len(list)-len(calls)]["thoughtSignature"] = s.Thought
	default:
		list = append(list, object{"text": "", "thoughtSignature": s.Thought})
	}
	if len(list) == 0 && s.Fault == "" {
		list = append(list, object{"text": ""})
	}
	return list
}

func candidateOf(parts ...object) object {
	return object{"content": object{"role": "model", "parts": parts}, "index": 0}
}

func whole(s providertest.Script) string {
	candidate := candidateOf(parts(s)...)
	candidate["finishReason"] = finishOf(s)
	reply := object{
		"candidates": []any{candidate}, "modelVersion": "served", "usageMetadata": usageIn(s.Usage), "responseId": "r1",
	}
	switch s.Fault {
	case providertest.NoChoices:
		delete(reply, "candidates")
	case providertest.NullContent:
		delete(candidate, "content")
	case providertest.Filtered:
		delete(reply, "candidates")
		reply["promptFeedback"] = object{"blockReason": "PROHIBITED_CONTENT"}
	default: // the others are acted out elsewhere
	}
	return encode(reply)
}

func send(w *providertest.Stream, event object) { w.Send("data: " + encode(event)) }

func streamed(s providertest.Script, w *providertest.Stream) {
	in := usageIn(s.Usage)
	event := func(candidate object) {
		reply := object{"modelVersion": "served", "usageMetadata": in, "responseId": "r1"}
		if s.Fault != providertest.NoChoices {
			reply["candidates"] = []any{candidate}
		}
		send(w, reply)
	}
	for _, p := range parts(s) {
		if text, is := p["text"].(string); is && p["thought"] == nil && text != "" {
			for word := range strings.SplitAfterSeq(text, " ") {
				event(candidateOf(object{"text": word}))
			}
			continue
		}
		event(candidateOf(p))
	}
	event(object{"finishReason": finishOf(s), "index": 0})
}

// script is a model that says something.
func script(text string) providertest.Script {
	return providertest.Script{Text: text, Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}}
}
