package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/scenario"
)

// responsesAPI is a server of the Responses API.
func responsesAPI(t *testing.T) providertest.API {
	server := chatAPI(t)
	server.Path = responsesPath
	server.Unstreamed = func(s providertest.Script) string { return encode(ended(s, itemsOf(s))) }
	server.Stream = responseEvents
	server.First = func(w *providertest.Stream) {
		sendEvent(w, object{"type": "response.output_text.delta", "output_index": 0, "delta": "It"})
	}
	server.Empty = func(w *providertest.Stream) { sendEvent(w, object{"type": "response.in_progress"}) }
	server.Failed = func(w *providertest.Stream) {
		sendEvent(w, object{"type": "error", "code": "server_error", "message": "overloaded"})
	}
	return server
}

func sendEvent(w *providertest.Stream, event object) {
	w.Send("event: " + event["type"].(string) + "\ndata: " + encode(event))
}

func itemsOf(s providertest.Script) (items []object) {
	if s.Thought != "" {
		items = append(items, object{"type": "reasoning", "id": "rs_1", "summary": []any{}, "encrypted_content": s.Thought})
	}
	if s.Text != "" {
		items = append(items, object{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": s.Text}}})
	}
	for _, c := range callsOf(s) {
		f := c["function"].(object)
		items = append(items, object{"type": "function_call", "call_id": c["id"], "name": f["name"], "arguments": f["arguments"]})
	}
	return items
}

// ended is a response whose model has finished.
func ended(s providertest.Script, items []object) object {
	r := object{"id": "resp_1", "object": "response", "model": "served", "status": "completed", "output": items, "error": nil}
	if items == nil {
		r["output"] = []object{}
	}
	reason := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[s.Finish]
	switch {
	case s.Fault == providertest.Filtered:
		reason = "content_filter"
	case s.Fault == providertest.BrokeOff:
		r["status"] = "cancelled"
	case s.Fault == providertest.NoChoices:
		delete(r, "output")
	case s.Fault == providertest.NullContent:
		r["output"] = nil
	case s.Fault == providertest.ChoiceError:
		r["status"], r["error"] = "failed", object{"code": "rate_limit_exceeded", "message": "busy"}
	case s.Word == "completed" || s.Word == "failed" || s.Word == "cancelled":
		r["status"] = s.Word
	case s.Word != "":
		reason = s.Word
	}
	if reason != "" {
		r["status"], r["incomplete_details"] = "incomplete", object{"reason": reason}
	}
	if u := s.Usage; u != (chat.Usage{}) {
		r["usage"] = object{
			"input_tokens": u.InputTokens, "output_tokens": u.OutputTokens, "total_tokens": u.Total(),
			"input_tokens_details":  object{"cached_tokens": u.CachedTokens},
			"output_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
		}
	}
	return r
}

func responseEvents(s providertest.Script, w *providertest.Stream) {
	sendEvent(w, object{"type": "response.created", "response": object{"model": "served", "status": "in_progress"}})
	items := itemsOf(s)
	if s.Fault == providertest.NoChoices {
		items = nil
	}
	for i, it := range items {
		sendEvent(w, object{"type": "response.output_item.added", "output_index": i, "item": object{"type": it["type"]}})
		switch it["type"] {
		case "message":
			for word := range strings.SplitAfterSeq(s.Text, " ") {
				sendEvent(w, object{"type": "response.output_text.delta", "output_index": i, "content_index": 0, "delta": word})
			}
		case "function_call":
			sendEvent(w, object{"type": "response.function_call_arguments.delta", "output_index": i, "delta": it["arguments"]})
		}
		sendEvent(w, object{"type": "response.output_item.done", "output_index": i, "item": it})
	}
	last := ended(s, items)
	sendEvent(w, object{"type": "response." + last["status"].(string), "response": last})
}

func responsesSpec(kind, base string) *scenario.Provider {
	s := spec(kind, base)
	s.Model, s.APIMode = "gpt-5", "responses"
	return s
}

func TestResponsesConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{typeOpenAI, typeAzure} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := responsesAPI(t)
			providertest.Run(t, providertest.Dialect{
				Faults: providertest.HTTPFaults, API: &server, Thinks: true, Reply: "resp_1",
				Finishes: map[string]string{
					"completed": "stop", "max_output_tokens": "length", "content_filter": "content_filter", "failed": "", "cancelled": "",
				},
				Open: func(t *testing.T, s providertest.Script) providers.Provider {
					described := responsesSpec(kind, providertest.Serve(t, responsesAPI(t), s).URL)
					return open(t, providertest.Patience(described, s), wire.Options{Jobs: 4})
				},
			})
		})
	}
}

// TestResponsesRequest: what is asked for stands in the request in the words of the API.
func TestResponsesRequest(t *testing.T) {
	t.Parallel()
	picture := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "AAAA", Detail: "low"}}
	tool := chat.ToolCall{ID: "a", Name: "f", Args: map[string]any{"n": 1}}
	messages := []chat.Message{
		{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Parts: []chat.Part{{Type: "text", Text: "This?"}, picture}},
		{Role: chat.Assistant, Content: "One moment.", ToolCalls: []chat.ToolCall{tool}},
		{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "a", Name: "f", Parts: []chat.Part{{Type: "text", Text: "here"}, picture}}},
	}
	const input = `[{"role":"user","content":[{"type":"input_text","text":"This?"},
		{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"low"}]},
		{"role":"assistant","content":[{"type":"output_text","text":"One moment."}]},
		{"type":"function_call","call_id":"a","name":"f","arguments":"{\"n\":1}"},
		{"type":"function_call_output","call_id":"a","output":"here[image:image/png]"},
		{"role":"user","content":[{"type":"input_text","text":"What f returned:"},{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"low"}]}]`
	for name, c := range map[string]struct {
		spec func(*scenario.Provider)
		req  chat.Request
		want string // of the request without model, input and instructions; an error begins with "!"
	}{
		"nothing":                      {nil, chat.Request{}, `{"store":false,"include":["reasoning.encrypted_content"]}`},
		"a model that does not reason": {func(p *scenario.Provider) { p.Model = "gpt-4o" }, chat.Request{}, `{"store":false}`},
		"all": {func(p *scenario.Provider) { p.ReasoningSummary, p.StrictTools = "auto", true }, chat.Request{
			Temperature: new(0.0), TopP: new(0.5), MaxTokens: new(9), Seed: new(int64(1)), Stream: true, ReasoningEffort: "low",
			ParallelToolCalls: new(false), ToolChoice: "f", JSONSchema: json.RawMessage(`{"type":"object"}`), SchemaName: "order",
			Tools: []chat.Tool{{Name: "f", Description: "d", Schema: json.RawMessage(`{"type":"object","properties":{"a":{}}}`)}},
			Extra: map[string]any{"store": true, "presence_penalty": 1, "metadata": object{}},
		}, `{"temperature":0,"top_p":0.5,"max_output_tokens":9,"stream":true,"store":false,"metadata":{},
			"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"parallel_tool_calls":false,
			"tool_choice":{"type":"function","name":"f"},"text":{"format":{"type":"json_schema","name":"order","schema":{"type":"object"}}},
			"tools":[{"type":"function","name":"f","description":"d","strict":true,"parameters":
			{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}}]}`},
		"json": {nil, chat.Request{JSON: true, ToolChoice: "required"},
			`{"store":false,"include":["reasoning.encrypted_content"],"text":{"format":{"type":"json_object"}}}`},
		"left out": {func(p *scenario.Provider) {
			p.Unsupported = []string{"temperature", "top_p", "max_tokens", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort"}
		}, chat.Request{
			Temperature: new(0.0), TopP: new(0.5), MaxTokens: new(9), ReasoningEffort: "low", JSON: true, ToolChoice: "auto",
			Tools: []chat.Tool{{Name: "f"}}, ParallelToolCalls: new(true),
		}, `{"store":false,"include":["reasoning.encrypted_content"],"tools":[{"type":"function","name":"f","strict":false,
			"parameters":{"type":"object","properties":{}}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := responsesSpec("openai", "")
			if c.spec != nil {
				c.spec(s)
			}
			c.req.Messages = messages
			data, err := newResponses(s).Encode(&c.req)
			if err != nil {
				t.Fatal(err)
			}
			var got, want object
			var items any
			for text, into := range map[string]any{string(data): &got, c.want: &want, input: &items} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err, text)
				}
			}
			want["model"], want["input"], want["instructions"] = s.Model, items, "Be kind."
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
	sound := &chat.Request{Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{{Type: "audio", Media: &chat.Media{}}}}}}
	if _, err := newResponses(responsesSpec("openai", "")).Encode(sound); err == nil || !strings.Contains(err.Error(), "does not take audio") {
		t.Errorf("a sound: %v", err)
	}
}

// TestResponsesMode: which API is called, and where.
func TestResponsesMode(t *testing.T) {
	t.Parallel()
	azure := &scenario.Platform{Type: typeAzure, Endpoint: "https://r.openai.azure.com"}
	for want, s := range map[string]*scenario.Provider{
		"https://api.openai.com/v1/chat/completions":     {Type: "openai", Model: "gpt-5"},
		"https://api.openai.com/v1/responses":            {Type: "openai", Model: "gpt-5-pro"},
		"http://x/v1/responses":                          {Type: "openai", Model: "m", BaseURL: "http://x/v1/responses", Tuning: scenario.Tuning{APIMode: "responses"}},
		"http://x/v1/chat/completions":                   {Type: "openai", Model: "m-pro", BaseURL: "http://x/v1"},
		"https://api.openai.com/v1/chat/completions#":    {Type: "openai", Model: "gpt-5-pro", Tuning: scenario.Tuning{APIMode: "completions"}},
		"https://r.openai.azure.com/openai/v1/responses": {Type: "azure", Model: "m", Platform: azure, Tuning: scenario.Tuning{APIMode: "responses"}},
		"https://r.openai.azure.com/openai/deployments/m/chat/completions?api-version=" + defaultAPIVersion: {Type: "azure", Model: "m", Platform: azure},
	} {
		s.ID, s.APIKey = "p", "k"
		if got := open(t, s, wire.Options{}).Address(); got != strings.TrimSuffix(want, "#") {
			t.Errorf("%s %s goes to %s, want %s", s.Type, s.Model, got, want)
		}
	}
}

// TestResponsesStreams: what servers do otherwise than OpenAI's.
func TestResponsesStreams(t *testing.T) {
	t.Parallel()
	event := func(v object) string { return "data: " + encode(v) + "\n\n" }
	refusal := event(object{"type": "response.output_item.done", "item": object{"type": "message", "content": []object{{"refusal": "I will not."}}}})
	done := event(object{"type": "response.completed", "response": object{"model": "m", "status": "completed"}})
	delta := event(object{"type": "response.output_text.delta", "delta": "a"})
	delta2 := event(object{"type": "response.output_text.delta", "delta": "b"})
	aside := event(object{"type": "response.output_item.done", "item": object{"type": "message", "phase": "commentary",
		"content": []object{{"text": "a"}}}})
	for name, c := range map[string]struct{ body, want, err string }{
		"a text that did not stream": {refusal + done, "I will not.", ""},
		"cut in a message": {delta + event(object{"type": "response.incomplete", "response": object{
			"status": "incomplete", "incomplete_details": object{"reason": "max_output_tokens"}}}), "a", ""},
		"failed": {delta + event(object{"type": "response.failed", "response": object{"status": "failed",
			"error": object{"code": "server_error", "message": "gone"}}}), "", "bad_reply: gone"},
		"no end":                            {delta, "", "bad_reply: no response.completed"},
		"an end of none":                    {event(object{"type": "response.completed"}), "", "bad_reply: has no response"},
		"a word ahead of the answer":        {delta + aside + refusal + done, "a\n\nI will not.", ""},
		"that did not stream":               {aside + refusal + done, "a\n\nI will not.", ""},
		"an answer that streams behind one": {aside + delta + delta2 + event(object{"type": "response.output_item.done", "item": object{"type": "message", "content": []object{{"text": "ab"}}}}) + done, "a\n\nab", ""},
		"an answer that is cut behind one": {aside + delta + event(object{"type": "response.incomplete", "response": object{
			"status": "incomplete", "incomplete_details": object{"reason": "max_output_tokens"}}}), "a\n\na", ""},
		"nothing ahead of it": {event(object{"type": "response.output_item.done", "item": object{"type": "message",
			"phase": "commentary", "content": []object{{"text": ""}}}}) + delta + event(object{"type": "response.output_item.done",
			"item": object{"type": "message", "content": []object{{"text": "a"}}}}) + done, "a", ""},
		"an unknown word": {event(object{"type": "response.audio.delta", "delta": []int{1}}) + refusal + done, "I will not.", ""},
		"an unfinished message": {event(object{"type": "response.output_item.done", "item": object{"type": "message",
			"status": "incomplete", "content": []object{{"text": "I"}}}}) + done, "I (incomplete)", ""},
		"an unfinished call": {event(object{"type": "response.output_item.done", "item": object{"type": "function_call",
			"call_id": "a", "name": "pay", "arguments": "{}", "status": "incomplete"}}) + done, "",
			"bad_reply: the call of pay is not finished, and the reply is"},
		"two calls with one id": {strings.Repeat(event(object{"type": "response.output_item.done", "item": object{
			"type": "function_call", "call_id": "a", "name": "pay", "arguments": "{}"}}), 2) + done, "",
			"bad_reply: the reply has two tool calls with the id a"},
		"an unknown reason": {delta + event(object{"type": "response.incomplete", "response": object{
			"status": "incomplete", "incomplete_details": object{"reason": "odd"}}}), "a (incomplete: odd)", ""},
		"a delta of none": {event(object{"type": "response.output_text.delta", "delta": 7}), "", "bad_reply: expected form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, responsesSpec("openai", "https://api.test/v1"), wire.Options{Transport: providertest.Answers(http.StatusOK, "text/event-stream", c.body)})
			got, err := p.Complete(t.Context(), &chat.Request{Stream: true, Messages: make([]chat.Message, 1)}, nil)
			text := got.Content
			if strings.HasPrefix(got.FinishReason, "incomplete") {
				text += " (" + got.FinishReason + ")"
			}
			if checkError(t, err, c.err); err == nil && text != c.want {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestResponsesAgree: what a stream says at its end must be what it said on the way: nobody knows which one holds.
func TestResponsesAgree(t *testing.T) {
	t.Parallel()
	message := func(text string) object {
		return object{"type": "message", "content": []object{{"type": "output_text", "text": text}}}
	}
	call := func(args string) object {
		return object{"type": "function_call", "call_id": "a", "name": "pay", "arguments": args}
	}
	event := func(kind string, v object) string {
		v["type"] = kind
		return "data: " + encode(v) + "\n\n"
	}
	delta := func(text string) string { return event("response.output_text.delta", object{"delta": text}) }
	item := func(at int, it object) string {
		return event("response.output_item.done", object{"output_index": at, "item": it})
	}
	piece := func(args string) string {
		return event("response.function_call_arguments.delta", object{"output_index": 1, "delta": args})
	}
	end := func(items ...object) string {
		return event("response.completed", object{"response": object{"model": "m", "status": "completed", "output": items}})
	}
	hello, one, two := delta("hello")+item(0, message("hello")), `{"id":"1"}`, `{"id":"2"}`
	other := call(one)
	other["name"] = "refund"
	again := call(one)
	again["call_id"] = "b"
	for name, c := range map[string]struct{ body, err, doubt string }{
		"the same":                     {hello + piece(one) + item(1, call(one)) + end(message("hello"), call(one)), "", ""},
		"no reply at the end":          {hello + item(1, call(one)) + end(), "", ""},
		"another id":                   {hello + item(1, call(one)) + end(message("hello"), again), "", ""},
		"two messages":                 {hello + item(1, message("b")) + end(message("hello"), message("b")), "", ""},
		"another text":                 {hello + end(message("password")), otherText, ""},
		"more text":                    {hello + end(message("hello"), message("password")), otherText, ""},
		"less text":                    {hello + item(1, call(one)) + end(call(one)), otherText, ""},
		"another text of the pieces":   {delta("password") + event("response.output_text.done", object{"text": "hello"}) + end(), otherText, ""},
		"another text of the item":     {delta("password") + item(0, message("hello")) + end(message("hello")), otherText, ""},
		"a call that did not stream":   {hello + end(message("hello"), call(one)), otherCalls, ""},
		"a call that is gone":          {hello + item(1, call(one)) + end(message("hello")), otherCalls, ""},
		"another call":                 {hello + item(1, call(one)) + end(message("hello"), other), otherCalls, ""},
		"other arguments at the end":   {hello + piece(one) + item(1, call(one)) + end(message("hello"), call(two)), otherCalls, ""},
		"other arguments in pieces":    {hello + piece(two) + item(1, call(one)) + end(message("hello"), call(one)), otherArgs, ""},
		"other arguments of the whole": {hello + piece(one) + event("response.function_call_arguments.done", object{"output_index": 1, "arguments": two}) + item(1, call(one)) + end(), otherArgs, ""},
		"other arguments of the item":  {hello + event("response.function_call_arguments.done", object{"output_index": 1, "arguments": two}) + item(1, call(one)) + end(), otherArgs, ""},
		"calls of one index": {hello + piece(one) + item(1, call(one)) + piece(two) + item(1, object{"type": "function_call",
			"call_id": "b", "name": "pay", "arguments": two}) + end(), "", ""},
		"a part that did not stream": {hello + end(message("hello"), object{"type": "odd"}), "", "has a part that is left out (odd)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, responsesSpec("openai", "https://api.test/v1"), wire.Options{Transport: providertest.Answers(http.StatusOK, "text/event-stream", c.body)})
			got, err := p.Complete(t.Context(), &chat.Request{Stream: true, Messages: make([]chat.Message, 1)}, nil)
			want := c.err
			if want != "" {
				want = "bad_reply: " + want
			}
			if checkError(t, err, want); err == nil && got.Doubt != c.doubt {
				t.Errorf("got the doubt %q, want %q", got.Doubt, c.doubt)
			}
		})
	}
}

// TestResponsesSaysMore: what a model says ahead of its answer is a part of the reply, and no part of the answer's
// words.
func TestResponsesSaysMore(t *testing.T) {
	t.Parallel()
	message := func(phase, text string) object {
		return object{"type": "message", "phase": phase, "content": []object{{"type": "output_text", "text": text}}}
	}
	body := encode(object{"model": "m", "status": "completed", "output": []object{
		message("commentary", "I look it up."), {"type": "reasoning", "summary": []any{}}, message("commentary", ""),
		message("final_answer", "Twelve."),
	}})
	p := open(t, responsesSpec("openai", "https://api.test/v1"), wire.Options{Transport: providertest.Answers(http.StatusOK, "application/json", body)})
	got, err := p.Complete(t.Context(), &chat.Request{Messages: make([]chat.Message, 1)}, nil)
	if err != nil || got.Content != "I look it up.\n\nTwelve." {
		t.Errorf("got %q, %v", got.Content, err)
	}
}
