package anthropic

import (
	"encoding/json"
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

func opaque(data string) *chat.Opaque { return providertest.State("anthropic", data) }

// api is a server of the Messages API.
func api(t *testing.T) providertest.API {
	return providertest.API{
		Path:    messagesPath,
		Streams: providertest.StreamInBody(t),
		Error: func(text string) string {
			return encode(object{"type": "error", "error": object{"type": "strange_error", "message": text}})
		},
		Unstreamed: whole, Stream: streamed,
		First: func(w *providertest.Stream) {
			start(w, providertest.Script{})
			begin(w, 0, object{"type": "text", "text": ""})
			piece(w, 0, object{"type": "text_delta", "text": "It"})
		},
		Empty: func(w *providertest.Stream) { send(w, object{"type": "ping"}) },
		Failed: func(w *providertest.Stream) {
			send(w, object{"type": "error", "error": object{"type": "strange_error", "message": "overloaded"}})
		},
	}
}

func stopOf(s providertest.Script) string {
	switch {
	case s.Word != "":
		return s.Word
	case s.Fault == providertest.Filtered || s.Finish == "content_filter":
		return "refusal"
	case s.Fault == providertest.BrokeOff:
		return "error"
	case s.Finish == "length":
		return "max_tokens"
	case len(s.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func usageIn(u chat.Usage) object {
	return object{
		"input_tokens":  u.InputTokens - u.CachedTokens - u.CacheWriteTokens,
		"output_tokens": u.OutputTokens, "cache_read_input_tokens": u.CachedTokens,
		"cache_creation_input_tokens": u.CacheWriteTokens,
	}
}

// blocks are the content of a reply.
func blocks(s providertest.Script) (list []object) {
	if s.Thought != "" {
		list = append(list, object{"type": "thinking", "thinking": "Let me think.", "signature": s.Thought})
		list = append(list, object{"type": "redacted_thinking", "data": "hidden"})
	}
	if s.Text != "" {
		list = append(list, object{"type": "text", "text": s.Text})
	}
	calls := s.Calls
	if s.Fault == providertest.Nameless {
		calls = []providertest.Call{{ID: "a1", Args: "{}"}}
	}
	for _, c := range calls {
		list = append(list, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Args)})
	}
	return list
}

func whole(s providertest.Script) string {
	reply := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "served", "content": blocks(s),
		"stop_reason": stopOf(s), "stop_sequence": nil, "usage": usageIn(s.Usage),
	}
	switch {
	case s.Fault == providertest.NoChoices:
		delete(reply, "content")
	case s.Fault == providertest.NullContent:
		reply["content"] = nil
	case reply["content"].([]object) == nil:
		reply["content"] = []object{}
	}
	return encode(reply)
}

func send(w *providertest.Stream, event object) {
	w.Send("event: " + event["type"].(string) + "\ndata: " + encode(event))
}

func start(w *providertest.Stream, s providertest.Script) {
	in := usageIn(s.Usage)
	in["output_tokens"] = min(s.Usage.OutputTokens, 1)
	send(w, object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "served", "content": []any{}, "usage": in,
	}})
}

func begin(w *providertest.Stream, i int, block object) {
	send(w, object{"type": "content_block_start", "index": i, "content_block": block})
}

func piece(w *providertest.Stream, i int, delta object) {
	send(w, object{"type": "content_block_delta", "index": i, "delta": delta})
}

func streamed(s providertest.Script, w *providertest.Stream) {
	if s.Fault == providertest.NoChoices {
		send(w, object{"type": "message_stop"})
		return
	}
	start(w, s)
	send(w, object{"type": "ping"})
	for i, b := range blocks(s) {
		switch b["type"] {
		case "text":
			begin(w, i, object{"type": "text", "text": ""})
			for word := range strings.SplitAfterSeq(s.Text, " ") {
				piece(w, i, object{"type": "text_delta", "text": word})
			}
		case "thinking":
			begin(w, i, object{"type": "thinking", "thinking": "", "signature": ""})
			piece(w, i, object{"type": "thinking_delta", "thinking": "Let me "})
			piece(w, i, object{"type": "thinking_delta", "thinking": "think."})
			piece(w, i, object{"type": "signature_delta", "signature": b["signature"]})
		case "tool_use":
			begin(w, i, object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}})
			for args := string(b["input"].(json.RawMessage)); args != ""; {
				n := min(5, len(args))
				piece(w, i, object{"type": "input_json_delta", "partial_json": args[:n]})
				args = args[n:]
			}
		default:
			begin(w, i, b)
		}
		send(w, object{"type": "content_block_stop", "index": i})
	}
	send(w, object{
		"type": "message_delta", "delta": object{"stop_reason": stopOf(s), "stop_sequence": nil},
		"usage": object{"output_tokens": s.Usage.OutputTokens},
	})
	send(w, object{"type": "message_stop"})
}

// script is a model that says something.
func script(text string) providertest.Script {
	return providertest.Script{Text: text, Usage: chat.Usage{InputTokens: 3, OutputTokens: 2}}
}
