package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/providertest"
	"github.com/arena-evals/arena/internal/scenario"
)

// sent is a request on the wire, decoded.
func sent(t *testing.T, change func(*scenario.Provider), req *chat.Request) (map[string]any, error) {
	t.Helper()
	s := spec("")
	if change != nil {
		change(s)
	}
	return providertest.Sent(t, newCodec(s), req)
}

// TestMessages: neighbours of one role become one content, results come first, and what was signed is signed again.
func TestMessages(t *testing.T) {
	t.Parallel()
	const asked = `{"role":"user","parts":[{"text":"Hi"}]}`
	hi := says(chat.User, "Hi")
	failed := answers("b", "")
	failed.ToolResult.Error = "no such order"
	thought := calls("One moment.", "a", "b")
	thought.Opaque = opaque(`[{"at":0,"part":{"text":"","thoughtSignature":"1"}},{"at":4,"to":10,"signature":"2"}]`)
	thought.ToolCalls[0].Opaque = opaque(`{"before":[{"executableCode":{"code":"x"}}],"signature":"3"}`)
	thought.ToolCalls[1].Opaque = opaque(`{"after":[{"text":"","thoughtSignature":"4"}]}`)
	shorter := thought
	shorter.Content, shorter.ToolCalls = "é", nil
	shorter.Opaque = opaque(`[{"at":1,"part":{"x":1}},{"at":2,"to":9,"signature":"2"},{"at":5,"medium":3,"signature":"5"}]`)
	bad := calls("", "a")
	bad.ToolCalls[0].Args, bad.ToolCalls[0].BadArgs = nil, "{"
	picture := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "AAAA"}}
	painted := chat.Message{Role: chat.Assistant, Content: "Look:Good?", Parts: []chat.Part{
		{Type: "text", Text: "Look:"}, picture, picture, {Type: "text", Text: "Good?"},
	}, Opaque: opaque(`[{"at":5,"medium":1,"signature":"7"}]`)}
	shown := answers("a", "")
	shown.ToolResult.Parts = []chat.Part{{Type: "text", Text: "Here"}, picture}
	for name, c := range map[string]struct {
		list []chat.Message
		want string // of the contents; an error begins with "!"
	}{
		"text": {[]chat.Message{says(chat.System, "Be kind."), hi}, `[` + asked + `]`},
		"neighbours": {[]chat.Message{hi, says(chat.User, "You?")},
			`[{"role":"user","parts":[{"text":"Hi"},{"text":"You?"}]}]`},
		"an agent that begins": {[]chat.Message{says(chat.Assistant, "Hello"), hi},
			`[{"role":"user","parts":[{"text":"(The conversation begins.)"}]},{"role":"model","parts":[{"text":"Hello"}]},` +
				asked + `]`},
		"empty messages": {[]chat.Message{hi, says(chat.Assistant, " "), says(chat.User, "")}, `[` + asked + `]`},
		"a round": {[]chat.Message{hi, calls("\n", "a", "b"), answers("a", ""), failed, says(chat.User, "And?")},
			`[` + asked + `,{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"n":1}}},` +
				`{"functionCall":{"id":"b","name":"f","args":{"n":1}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":""}}},` +
				`{"functionResponse":{"id":"b","name":"f","response":{"error":"no such order"}}},{"text":"And?"}]}]`},
		"a text before a result": {[]chat.Message{hi, calls("", "a", "b"), answers("a", "1"), says(chat.User, "x"), answers("b", "2")},
			`[` + asked + `,{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"n":1}}},` +
				`{"functionCall":{"id":"b","name":"f","args":{"n":1}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}},` +
				`{"functionResponse":{"id":"b","name":"f","response":{"output":"2"}}},{"text":"x"}]}]`},
		"ids that the API does not know": {[]chat.Message{hi, calls("", makeID(2, 0)), answers(makeID(2, 0), "1")},
			`[` + asked + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":1}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}}]}]`},
		"signatures": {[]chat.Message{hi, thought}, `[` + asked + `,{"role":"model","parts":[` +
			`{"text":"","thoughtSignature":"1"},{"text":"One "},{"text":"moment","thoughtSignature":"2"},{"text":"."},` +
			`{"executableCode":{"code":"x"}},{"functionCall":{"id":"a","name":"f","args":{"n":1}},"thoughtSignature":"3"},` +
			`{"functionCall":{"id":"b","name":"f","args":{"n":1}}},{"text":"","thoughtSignature":"4"}]}]`},
		"signatures on words that a guardrail took away": {[]chat.Message{hi, shorter},
			`[` + asked + `,{"role":"model","parts":[{"text":"é"},{"x":1}]}]`},
		"arguments that are none": {[]chat.Message{hi, bad, answers("a", "no")}, `[` + asked + `,` +
			`{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"no"}}}]}]`},
		"pictures": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{picture, {Type: "text", Text: "This?"},
			{Type: "document", Media: &chat.Media{URL: "https://x/a.pdf", MIMEType: "application/pdf"}}}}, calls("", "a"), shown},
			`[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"text":"This?"},` +
				`{"fileData":{"mimeType":"application/pdf","fileUri":"https://x/a.pdf"}}]},` +
				`{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{"n":1}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"Here"},` +
				`"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}]}]`},
		"pictures that the model made": {[]chat.Message{hi, painted}, `[` + asked + `,{"role":"model","parts":[{"text":"Look:"},` +
			`{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"7"},` +
			`{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"text":"Good?"}]}]`},
		"a medium that is none": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{{Type: "audio"}}}},
			"!message 1: part 1: audio without media"},
		"a result without its medium": {[]chat.Message{{Role: chat.ToolRole, ToolResult: &chat.ToolResult{
			Parts: []chat.Part{{Type: "image", Media: &chat.Media{}}}}}}, "!message 1: part 1 of the result: media without data"},
		"a file that a recording names": {[]chat.Message{{Role: chat.User, Parts: []chat.Part{
			{Type: "image", Media: &chat.Media{Path: "/etc/passwd"}}}}}, "!message 1: part 1: media without data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := sent(t, nil, &chat.Request{Messages: c.list})
			if err != nil {
				if "!"+err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			providertest.Same(t, "contents", c.want, got["contents"])
		})
	}
}

// TestParameters: what is asked for stands in the request under the API's name and in its place.
func TestParameters(t *testing.T) {
	t.Parallel()
	one := []chat.Tool{{Name: "f", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}}
	const box = `"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"type":"object"}}]}]`
	thinks := func(budget int) func(*scenario.Provider) {
		return func(p *scenario.Provider) { p.Gemini.ThinkingBudget = &budget }
	}
	for name, c := range map[string]struct {
		spec func(*scenario.Provider)
		req  chat.Request
		want string // of the request without contents; an error begins with "!"
	}{
		"nothing": {nil, chat.Request{Stream: true}, `{}`},
		"all": {func(p *scenario.Provider) {
			p.Gemini = scenario.Gemini{
				IncludeThoughts: true, Modalities: []string{"TEXT", "IMAGE"},
				Safety: []scenario.SafetySetting{{Category: "HARM_CATEGORY_HARASSMENT", Threshold: "OFF"}},
			}
		}, chat.Request{
			Temperature: new(0.0), TopP: new(0.9), MaxTokens: new(7), Seed: new(int64(-3)), Stop: []string{"END"},
			ReasoningEffort: "high", Extra: map[string]any{
				"top_k": 5, "presence_penalty": 0, "frequency_penalty": 0.5, "contents": 1, "labels": object{"a": "b"},
				"generationConfig": object{"mediaResolution": "MEDIA_RESOLUTION_LOW"},
			},
		}, `{"generationConfig":{"temperature":0,"topP":0.9,"topK":5,"presencePenalty":0,"frequencyPenalty":0.5,
			"maxOutputTokens":7,"seed":-3,"stopSequences":["END"],"responseModalities":["TEXT","IMAGE"],
			"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true},"mediaResolution":"MEDIA_RESOLUTION_LOW"},
			"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"labels":{"a":"b"}}`},
		"a long seed":                  {nil, chat.Request{Seed: new(int64(1 << 31))}, "!seed is 2147483648; the API takes whole numbers of 32 bits"},
		"no thoughts":                  {thinks(0), chat.Request{}, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`},
		"as many thoughts as it likes": {thinks(-1), chat.Request{}, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`},
		"a schema": {nil, chat.Request{JSONSchema: json.RawMessage(`{"type":"array"}`)},
			`{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"array"}}}`},
		"JSON": {nil, chat.Request{JSON: true}, `{"generationConfig":{"responseMimeType":"application/json"}}`},
		"tools": {nil, chat.Request{Tools: append(one, chat.Tool{Name: "g"}), ParallelToolCalls: new(false)},
			`{"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":{"type":"object"}},{"name":"g"}]}]}`},
		"a tool that may be called": {nil, chat.Request{Tools: one, ToolChoice: "auto"},
			`{` + box + `,"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`},
		"a tool that must be called": {nil, chat.Request{Tools: one, ToolChoice: "required"},
			`{` + box + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`},
		"this tool": {nil, chat.Request{Tools: one, ToolChoice: "f"},
			`{` + box + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}`},
		"no tool": {nil, chat.Request{Tools: one, ToolChoice: "none"},
			`{` + box + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`},
		"a choice without tools": {nil, chat.Request{ToolChoice: "required"}, `{}`},
		"system prompts": {nil, chat.Request{Messages: []chat.Message{says(chat.System, "Be"), says(chat.System, "kind."),
			says(chat.System, "")}}, `{"systemInstruction":{"parts":[{"text":"Be"},{"text":"kind."}]}}`},
		"left out": {func(p *scenario.Provider) {
			p.Unsupported = []string{
				"temperature", "top_p", "max_tokens", "seed", "stop", "tool_choice", "reasoning_effort", "response_format", "top_k",
				"labels",
			}
		}, chat.Request{
			Temperature: new(1.0), TopP: new(0.5), MaxTokens: new(3), Seed: new(int64(1 << 40)), Stop: []string{"x"}, Tools: one,
			ToolChoice: "f", ReasoningEffort: "low", JSONSchema: json.RawMessage(`{}`), Extra: map[string]any{"top_k": 5, "labels": 1},
		}, `{` + box + `}`},
		"no tools": {func(p *scenario.Provider) { p.Unsupported = []string{"tools"} }, chat.Request{Tools: one, ToolChoice: "f"}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.req.Messages = append(c.req.Messages, says(chat.User, "Hi"))
			got, err := sent(t, c.spec, &c.req)
			if err != nil {
				if "!"+err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			providertest.Same(t, "contents", `[{"role":"user","parts":[{"text":"Hi"}]}]`, got["contents"])
			delete(got, "contents")
			providertest.Same(t, "request", c.want, any(got))
		})
	}
}

// TestWordForWord: what a model signed goes back with every byte, whatever characters are in it.
func TestWordForWord(t *testing.T) {
	t.Parallel()
	const signature = `Cq+/=<&>"\é☃`
	m := calls("", "a")
	data, err := json.Marshal(around{Signature: signature})
	if err != nil {
		t.Fatal(err)
	}
	m.ToolCalls[0].Opaque = opaque(string(data))
	got, err := sent(t, nil, &chat.Request{Messages: []chat.Message{says(chat.User, "Hi"), m}})
	if err != nil || !strings.Contains(encode(got), strings.Trim(encode(signature), `"`)) {
		t.Errorf("%v: %s", err, encode(got))
	}
}
