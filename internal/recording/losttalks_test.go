package recording

import (
	"encoding/json"
	"fmt"
	"strings"
)

// talk is the same conversation in each format. Its words are asked1, orders, arg1, said1, reply1, asked2, reply2.
type talk struct {
	name     string
	text     string
	format   Format
	numbered string // the key of the numbers of its events; "": none
	ends     bool   // the file says whether it is complete
	beside   bool   // without its last reply it has an unanswered last turn, which no run lets pass
}

const (
	chatMessages = `[{"role":"user","content":"asked1"},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"orders","arguments":"{\"id\":\"arg1\"}"}}]},
{"role":"tool","tool_call_id":"c1","content":"said1"},
{"role":"assistant","content":"reply1"},
{"role":"user","content":[{"type":"text","text":"asked2"}]},
{"role":"assistant","content":[{"type":"text","text":"reply2"}]}]`
	ownMessages = `{"role":"user","content":"asked1"},
{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]},
{"role":"tool","content":"said1","tool_result":{"id":"c1","name":"orders","content":"said1"}},
{"role":"assistant","content":"reply1"}`
	shareGPTMessages = `[{"from":"human","value":"asked1"},
{"from":"function_call","value":"{\"name\":\"orders\",\"arguments\":{\"id\":\"arg1\"}}"},
{"from":"observation","value":"said1"},
{"from":"gpt","value":"reply1"},
{"from":"human","value":"asked2"},
{"from":"gpt","value":"reply2"}]`
	ownTrial = `{"id":"a/m/default","scenario":"a","provider":"m","status":"passed","turns":[
{"index":0,"user":"asked1","assistant":"reply1","messages":[` + ownMessages + `],"tool_calls":[],"assertions":[]},
{"index":1,"user":"asked2","assistant":"reply2","messages":[{"role":"user","content":"asked2"},
{"role":"assistant","content":"reply2","parts":[{"type":"text","text":"reply2"}]}],"tool_calls":[],"assertions":[]}]}`
)

func talks() []talk {
	flat := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
	chat := flat(chatMessages)
	requests := chat[:strings.LastIndex(chat, `,{"role":"assistant"`)] + "]"
	return []talk{
		{name: "event log", format: FormatEventLog, numbered: "seq", text: created(`{"seq":%d,"event":{"type":"message.created","session_id":"s","data":%s}}`, 1)},
		{
			name: "session", format: FormatSession, numbered: "seq", ends: true,
			text: `{"metadata":{"session_id":"s","version":"1.0"},"events":[` + "\n" +
				strings.ReplaceAll(strings.TrimSpace(created(`{"seq":%d,"type":"message.created","data":%s}`, 1)), "\n", ",\n") + "\n]}",
		},
		{
			name: "session lines", format: FormatSession, numbered: "event.sequence", ends: true,
			text: `{"type":"metadata","metadata":{"session_id":"s","version":"1.0","event_count":6}}` + "\n" +
				created(`{"type":"event","event":{"sequence":%d,"type":"message.created","data":%s}}`, 1),
		},
		{
			name: "simple session", format: FormatSession, ends: true,
			text: `{"metadata":{"session_id":"s"},"events":[` + "\n" +
				strings.ReplaceAll(strings.TrimSpace(created(`{"x":%d,"type":"message","message":%s}`, 1)), "\n", ",\n") + "\n]}",
		},
		{name: "arena output", format: FormatArenaOutput, ends: true, text: `{"RunID":"r","Messages":` + chatMessages + `}`},
		{name: "arena turns", format: FormatArenaTurns, ends: true, text: `{"scenario_id":"a","turns":[
{"turn_index":0,"user_message":{"content":"asked1"},"response":{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]}},
"tool_results":[{"tool_call_id":"c1","content":"said1"}]},
{"turn_index":1,"user_message":{"content":"And?"},"response":{"message":{"role":"assistant","content":"reply1"}}},
{"turn_index":2,"user_message":{"parts":[{"type":"text","text":"asked2"}]},"response":{"message":{"role":"assistant","parts":[{"type":"text","text":"reply2"}]}}}]}`},
		{name: "results.json", format: FormatResults, ends: true, text: `{"schema_version":1,"planned":1,"summary":{"trials":1},"runs":[` + ownTrial + `]}`},
		{name: "journal", format: FormatJournal, text: `{"journal":1,"arena":"x","planned":1}` + "\n" + `{"index":0,"trial":` + flat(ownTrial) + "}\n" + `{"end":{"duration_ms":3}}`},
		{
			name: "event stream", format: FormatEventStream, numbered: "seq", ends: true,
			text: `{"schema_version":1,"seq":1,"type":"run.started","data":{}}` + "\n" +
				created(`{"schema_version":1,"seq":%d,"type":"message.created","trial":"t","turn":0,"data":%s}`, 2) +
				`{"schema_version":1,"seq":8,"type":"trial.completed","trial":"t","data":{"status":"passed"}}` + "\n" +
				`{"schema_version":1,"seq":9,"type":"run.completed","data":{"status":"passed"}}`,
		},
		{name: "cassette", format: FormatCassette, ends: true, text: `{"arena_cassette":1,"trial":"a/m/default","exchanges":[
{"kind":"model","at":"turn 1","request":{"model":"m","messages":[{"role":"user","content":"asked1"}]},"reply":{"tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]}},
{"kind":"tool","at":"turn 1, call 1 (orders)","request":{"name":"orders","args":{"id":"arg1"}},"reply":{"content":"said1"}},
{"kind":"model","at":"turn 1","request":{"model":"m","as_before":1,"messages":[{"role":"assistant","tool_calls":[{"id":"c1","name":"orders","args":{"id":"arg1"}}]},
{"role":"tool","tool_result":{"id":"c1","name":"orders","content":"said1"}}]},"reply":{"content":"reply1"}},
{"kind":"model","at":"turn 2","request":{"model":"m","as_before":3,"messages":[{"role":"assistant","content":"reply1"},{"role":"user","content":["asked2"]}]},"reply":{"content":["reply2"]}}]}`},
		{name: "chat log", format: FormatChatLog, text: `{"messages":` + chat + "}\n" + `{"messages":` + chat + "}"},
		{name: "list of chats", format: FormatChatLog, ends: true, text: `[{"messages":` + chatMessages + "}]"},
		{name: "list of messages", format: FormatChatLog, ends: true, text: chatMessages},
		{name: "messages and choices", beside: true, format: FormatChatLog, text: `{"messages":` + requests +
			`,"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}`},
		{name: "messages and a response", beside: true, format: FormatChatLog, text: flat(`{"messages":` + requests +
			`,"response":{"choices":[{"message":{"content":"reply2"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}}`)},
		{name: "document with choices", beside: true, format: FormatTranscript, ends: true, text: "{\n\"messages\":" + requests +
			`,"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}`},
		{name: "messages and a text", beside: true, format: FormatChatLog, text: `{"messages":` + requests + `,"response":"reply2"}`},
		{name: "exchange", format: FormatChatLog, text: `{"request":{"model":"m","messages":` + requests +
			`},"response":{"choices":[{"message":{"role":"assistant","content":"reply2"},"finish_reason":"stop"}]}}`},
		{name: "exchange with bodies", format: FormatChatLog, text: `{"request":{"body":{"messages":` + requests +
			`}},"response":{"body":{"choices":[{"message":{"role":"assistant","content":"reply2"}}]}}}`},
		{name: "exchange of blocks", format: FormatChatLog, text: flat(`{"request":{"messages":[{"role":"user","content":"asked1"},
{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"orders","input":{"id":"arg1"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"said1"}]}]},
{"role":"assistant","content":[{"type":"text","text":"reply1"}]},{"role":"user","content":"asked2"}]},
"response":{"role":"assistant","content":[{"type":"text","text":"reply2"}],"stop_reason":"end_turn"}}`)},
		{name: "traces", format: FormatTraces, ends: true, text: callSpans(attributesOf("gen_ai.input.messages", "gen_ai.output.messages"))},
		{name: "numbered traces", format: FormatTraces, ends: true, text: callSpans(numberedOf)},
		{name: "traces of events", format: FormatTraces, ends: true, text: callSpans(eventsOf)},
		{name: "OpenInference traces", format: FormatTraces, ends: true, text: callSpans(inferenceOf)},
		{name: "OpenInference texts", format: FormatTraces, ends: true, text: callSpans(inferenceTexts)},
		{name: "spans", format: FormatSpans, text: plainSpans(true)},
		{name: "list of spans", format: FormatSpans, ends: true, text: plainSpans(false)},
		{name: "stored spans", format: FormatSpans, text: storedSpans()},
		{name: "Langfuse", format: FormatLangfuse, ends: true, text: langfuseTrace()},
		{name: "Langfuse observations", format: FormatLangfuse, text: observations()},
		{name: "LangSmith", format: FormatLangSmith, ends: true, text: langSmithRuns(plainCalls())},
		{name: "LangSmith of LangChain", format: FormatLangSmith, ends: true, text: langSmithRuns(chainCalls())},
		{name: "promptfoo", beside: true, format: FormatPromptfoo, ends: true, text: `{"evalId":"e","results":{"version":3,"results":[
` + promptfooResult(requests) + `],"stats":{"successes":1,"failures":0,"errors":0}}}`},
		{name: "promptfoo lines", beside: true, format: FormatPromptfoo, text: promptfooResult(requests)},
		{name: "batch", beside: true, format: FormatBatch, text: `{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":` +
			requests + "}}\n" + `{"id":"b","custom_id":"a","response":{"status_code":200,"body":{"choices":[{"message":{"role":"assistant","content":"reply2"}}]}},"error":null}`},
		{name: "OpenAI log", format: FormatOpenAI, text: responses()},
		{name: "list of responses", format: FormatOpenAI, ends: true, text: `{"object":"list","data":[` + "\n" + strings.ReplaceAll(responses(), "\n", ",\n") + `]}`},
		{name: "LiteLLM log", format: FormatLiteLLM, text: liteLLMCalls()},
		{name: "document of Anthropic", format: FormatChatLog, ends: true, text: "{\n" + `"model":"m","max_tokens":9,"messages":[{"role":"user","content":"asked1"},
{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"orders","input":{"id":"arg1"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"said1"}]}]},
{"role":"assistant","content":[{"type":"text","text":"reply1"}]},{"role":"user","content":"asked2"},
{"role":"assistant","content":[{"type":"text","text":"reply2"}]}]}`},
		{name: "inspect_ai", format: FormatInspect, ends: true, text: `{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":"1","epoch":1,
"messages":` + strings.NewReplacer(`"function":{"name":"orders","arguments":"{\"id\":\"arg1\"}"}`, `"function":"orders","arguments":{"id":"arg1"}`,
			`"content":null`, `"content":""`).Replace(chatMessages) + `}]}`},
		{name: "ShareGPT", format: FormatShareGPT, ends: true, text: `[{"id":"a","conversations":` + shareGPTMessages + `}]`},
		{name: "ShareGPT lines", format: FormatShareGPT, text: flat(`{"conversations":`+shareGPTMessages+`}`) + "\n" +
			flat(`{"conversations":`+shareGPTMessages+`}`)},
		{name: "transcript", format: FormatTranscript, ends: true, text: "{\n\"metadata\":{\"session_id\":\"s\"},\"messages\":" + chatMessages + "}"},
		{name: "YAML transcript", format: FormatTranscript, ends: true, text: "{\"messages\":" + chatMessages + "}"},
	}
}

// created returns the conversation as events, one on each line.
func created(format string, from int) string {
	var out strings.Builder
	for i, m := range strings.Split(ownMessages, ",\n") {
		fmt.Fprintf(&out, format+"\n", from+i, m)
	}
	fmt.Fprintf(&out, format+"\n", from+4, `{"role":"user","content":"asked2"}`)
	fmt.Fprintf(&out, format+"\n", from+5, `{"Role":"assistant","Content":"reply2","Parts":[{"type":"text","text":"reply2"}]}`)
	return out.String()
}

// callSpans returns three model calls. The input of each has only the new messages.
func callSpans(write func(input, output string) string) string {
	var out strings.Builder
	for i, call := range [][2]string{
		{`{"role":"user","parts":[{"type":"text","content":"asked1"}]}`,
			`{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"orders","arguments":{"id":"arg1"}}]}`},
		{`{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"said1"}]}`,
			`{"role":"assistant","parts":[{"type":"text","content":"reply1"}]}`},
		{`{"role":"user","content":"asked2"}`, `{"role":"assistant","content":"reply2"}`},
	} {
		if i > 0 {
			out.WriteString(",\n")
		}
		fmt.Fprintf(&out, `{"traceId":"a","spanId":"%d","startTimeUnixNano":"%d","endTimeUnixNano":"%d",%s}`,
			i+1, 100+10*i, 105+10*i, write(call[0], call[1]))
	}
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + out.String() + "\n]}]}]}"
}

func attribute(key, text string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%s}}`, key, quoted(text))
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

const isChat = `{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}`

func attributesOf(in, out string) func(input, output string) string {
	return func(input, output string) string {
		return `"attributes":[` + isChat + "," + attribute(in, "["+input+"]") + "," + attribute(out, "["+output+"]") + `]`
	}
}

// numberedOf makes an attribute for each field of the messages.
func numberedOf(input, output string) string {
	list := []string{isChat}
	for _, m := range []struct{ prefix, text string }{{"gen_ai.prompt.0.", input}, {"gen_ai.completion.0.", output}} {
		role := value{text: []byte(m.text)}.get("role")
		word, _ := role.str()
		list = append(list, attribute(m.prefix+"role", word))
		for part := range (value{text: []byte(m.text)}).get("parts").items {
			name, _ := part.get("name").str()
			text, _ := part.get("content").str()
			answer, _ := part.get("response").str()
			switch {
			case name != "":
				list = append(list, attribute(m.prefix+"tool_calls.0.id", "c1"), attribute(m.prefix+"tool_calls.0.name", name),
					attribute(m.prefix+"tool_calls.0.arguments", string(part.get("arguments").text)))
			case answer != "":
				list = append(list, attribute(m.prefix+"tool_call_id", "c1"), attribute(m.prefix+"content", answer))
			default:
				list = append(list, attribute(m.prefix+"content", text))
			}
		}
		if text, ok := (value{text: []byte(m.text)}).get("content").str(); ok {
			list = append(list, attribute(m.prefix+"content", text))
		}
	}
	return `"attributes":[` + strings.Join(list, ",") + `]`
}

// eventsOf makes an event for each message.
func eventsOf(input, output string) string {
	name := "gen_ai.user.message"
	if strings.Contains(input, `"tool"`) {
		name = "gen_ai.tool.message"
	}
	return `"attributes":[` + isChat + `],"events":[{"name":"` + name + `","attributes":[` + attribute("gen_ai.event.content", input) +
		`]},{"name":"gen_ai.choice","attributes":[` + attribute("gen_ai.event.content", `{"index":0,"message":`+output+`}`) + `]}]`
}

// inferenceOf makes attributes of OpenInference.
func inferenceOf(input, output string) string {
	list := []string{attribute("openinference.span.kind", "LLM")}
	for _, m := range []struct{ prefix, text string }{
		{"llm.input_messages.0.message.", input}, {"llm.output_messages.0.message.", output},
	} {
		message := value{text: []byte(m.text)}
		role, _ := message.get("role").str()
		list = append(list, attribute(m.prefix+"role", role))
		if text, ok := message.get("content").str(); ok {
			list = append(list, attribute(m.prefix+"contents.0.message_content.type", "text"),
				attribute(m.prefix+"contents.0.message_content.text", text))
		}
		for part := range message.get("parts").items {
			name, _ := part.get("name").str()
			text, _ := part.get("content").str()
			answer, _ := part.get("response").str()
			switch call := m.prefix + "tool_calls.0.tool_call."; {
			case name != "":
				list = append(list, attribute(call+"id", "c1"), attribute(call+"function.name", name),
					attribute(call+"function.arguments", string(part.get("arguments").text)))
			case answer != "":
				list = append(list, attribute(m.prefix+"tool_call_id", "c1"), attribute(m.prefix+"content", answer))
			default:
				list = append(list, attribute(m.prefix+"content", text))
			}
		}
	}
	return `"attributes":[` + strings.Join(list, ",") + `]`
}

// inferenceTexts has the requests and responses as texts.
func inferenceTexts(input, output string) string {
	return `"attributes":[` + attribute("openinference.span.kind", "LLM") + "," +
		attribute("input.value", `{"model":"m","messages":[`+input+`]}`) + "," +
		attribute("output.value", `{"choices":[{"message":`+output+`}]}`) + `]`
}

// plainCalls are model calls, each with the complete history.
func plainCalls() (list [][2]string) {
	messages := strings.Split(chatMessages[1:len(chatMessages)-1], ",\n")
	for i, m := range messages {
		if strings.Contains(m, `"assistant"`) {
			list = append(list, [2]string{strings.Join(messages[:i], ","), m})
		}
	}
	return list
}

func plainSpans(lines bool) string {
	var list []string
	for i, call := range plainCalls() {
		nested := strings.NewReplacer(`{"role"`, `{"message":{"role"`).Replace(call[0])
		nested = strings.ReplaceAll(nested, `},{"message"`, `}},{"message"`) + "}"
		list = append(list, fmt.Sprintf(`{"name":"llm","context":{"trace_id":"a","span_id":"%d"},"span_kind":"LLM",`+
			`"start_time":"2026-01-01T00:00:0%d","attributes":{"llm":{"input_messages":[%s],"output_messages":[{"message":%s}]}}}`,
			i, i, nested, call[1]))
	}
	if lines {
		return strings.ReplaceAll(strings.Join(list, "\n"), "},\n", "},")
	}
	return "[" + strings.Join(list, ",\n") + "]"
}

func storedSpans() string {
	var list []string
	for i, call := range plainCalls() {
		list = append(list, fmt.Sprintf(`{"trace_id":"a","span_id":"%d","kind":"llm","start_time":"2026-01-01T00:00:0%d",`+
			`"input":{"messages":[%s]},"output":{"messages":[%s]}}`, i, i, call[0], call[1]))
	}
	return strings.Join(list, "\n")
}

func observations() string {
	var list []string
	for i, call := range plainCalls() {
		list = append(list, fmt.Sprintf(`{"id":"o%d","traceId":"t","type":"GENERATION","parentObservationId":null,`+
			`"startTime":"2026-01-01T00:00:0%d","input":[%s],"output":%s}`, i, i, call[0], call[1]))
	}
	return strings.Join(list, "\n")
}

func langfuseTrace() string {
	return `{"id":"t","timestamp":"2026-01-01T00:00:00Z","observations":[` + "\n" + strings.ReplaceAll(observations(), "\n", ",\n") + "]}"
}

func langSmithRuns(calls [][2]string) string {
	var list []string
	for i, call := range calls {
		output := `{"choices":[{"message":` + call[1] + `}]}`
		if strings.Contains(call[1], "kwargs") {
			output = `{"generations":[[{"message":` + call[1] + `}]]}`
			call[0] = "[" + call[0] + "]"
		}
		list = append(list, fmt.Sprintf(`{"id":"r%d","trace_id":"t","run_type":"llm","start_time":"2026-01-01T00:00:0%d",`+
			`"inputs":{"messages":[%s]},"outputs":%s}`, i, i, call[0], output))
	}
	return "[" + strings.Join(list, ",\n") + "]"
}

// chainCalls are plainCalls with messages of LangChain.
func chainCalls() (list [][2]string) {
	convert := strings.NewReplacer(
		`{"role":"user",`, `{"lc":1,"type":"constructor","id":["m","HumanMessage"],"kwargs":{`,
		`{"role":"assistant","content":null,`, `{"lc":1,"type":"constructor","id":["m","AIMessage"],"kwargs":{"content":"",`,
		`{"role":"assistant",`, `{"lc":1,"type":"constructor","id":["m","AIMessage"],"kwargs":{`,
		`{"role":"tool",`, `{"lc":1,"type":"constructor","id":["m","ToolMessage"],"kwargs":{`,
		`"asked1"}`, `"asked1"}}`, `"said1"}`, `"said1"}}`, `"reply1"}`, `"reply1"}}`, `}]}`, `}]}}`,
		`"type":"function","function":{"name":"orders","arguments":"{\"id\":\"arg1\"}"}`, `"name":"orders","args":{"id":"arg1"}`,
	)
	for _, call := range plainCalls() {
		list = append(list, [2]string{convert.Replace(call[0]), convert.Replace(call[1])})
	}
	return list
}

func promptfooResult(messages string) string {
	return `{"id":"1","testIdx":0,"promptIdx":0,"prompt":{"raw":` + quoted(messages) + `},"response":{"output":"reply2"},"failureReason":0}`
}

// responses are responses that refer to each other.
func responses() string {
	return `{"id":"r1","object":"response","input":[{"role":"user","content":"asked1"}],` +
		`"output":[{"type":"function_call","call_id":"c1","name":"orders","arguments":"{\"id\":\"arg1\"}"}]}
{"id":"r2","object":"response","previous_response_id":"r1","input":[{"type":"function_call_output","call_id":"c1","output":"said1"}],` +
		`"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"reply1"}]}]}
{"id":"r3","object":"response","previous_response_id":"r2","input":"asked2",` +
		`"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"reply2"}]}]}`
}

func liteLLMCalls() string {
	var list []string
	for i, call := range plainCalls() {
		list = append(list, fmt.Sprintf(`{"id":"%d","trace_id":"t","call_type":"acompletion","response_cost":0.1,"startTime":%d.5,`+
			`"messages":[%s],"response":{"choices":[{"message":%s}]}}`, i, 1700000000+i, call[0], call[1]))
	}
	return strings.Join(list, "\n")
}
