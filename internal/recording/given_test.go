package recording

import (
	"slices"
	"strings"
	"testing"
)

// shownBy are traces whose program outputs GIVEN after its model replied "ok".
var shownBy = map[string]string{
	"a trace of Langfuse": `{"id":"t","timestamp":"2026-01-01T00:00:00Z","output":GIVEN,"observations":[` +
		`{"id":"o","traceId":"t","type":"GENERATION","startTime":"2026-01-01T00:00:00Z","input":"hi","output":"ok"}]}`,
	"a span of Langfuse": `{"id":"t","timestamp":"2026-01-01T00:00:00Z","observations":[` +
		`{"id":"p","traceId":"t","type":"SPAN","startTime":"2026-01-01T00:00:00Z","output":GIVEN},` +
		`{"id":"o","traceId":"t","parentObservationId":"p","type":"GENERATION","startTime":"2026-01-01T00:00:00Z",` +
		`"input":"hi","output":"ok"}]}`,
	"LangSmith": `[{"id":"p","trace_id":"p","run_type":"chain","start_time":"2026-01-01T00:00:00","outputs":GIVEN},` +
		`{"id":"c","trace_id":"p","parent_run_id":"p","run_type":"llm","start_time":"2026-01-01T00:00:01","inputs":{"input":"hi"},` +
		`"outputs":{"choices":[{"message":{"role":"assistant","content":"ok"}}]}}]`,
	"an agent of OpenInference": `[{"name":"agent","context":{"trace_id":"a","span_id":"p"},"span_kind":"AGENT",` +
		`"start_time":"2026-01-01T00:00:00","attributes":{"output.value":GIVEN}},{"name":"llm","parent_id":"p",` +
		`"context":{"trace_id":"a","span_id":"c"},"span_kind":"LLM","start_time":"2026-01-01T00:00:01",` +
		`"attributes":{"llm":{"input_messages":[{"message":{"role":"user","content":"hi"}}],` +
		`"output_messages":[{"message":{"role":"assistant","content":"ok"}}]}}}]`,
	"a call of OpenInference": `[{"name":"llm","context":{"trace_id":"a","span_id":"c"},"span_kind":"LLM",` +
		`"start_time":"2026-01-01T00:00:01","attributes":{"output.value":GIVEN,"llm":{"input_messages":[{"message":` +
		`{"role":"user","content":"hi"}}],"output_messages":[{"message":{"role":"assistant","content":"ok"}}]}}}]`,
	"stored spans": `[{"trace_id":"a","span_id":"p","kind":"agent","start_time":"2026-01-01T00:00:00","output":GIVEN},` +
		`{"trace_id":"a","span_id":"c","parent_span_id":"p","kind":"llm","start_time":"2026-01-01T00:00:01",` +
		`"input":"hi","output":"ok"}]`,
	"inspect_ai": `{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[` +
		`{"role":"user","content":"hi"},{"role":"assistant","content":"ok"}],"output":{"completion":GIVEN}}]}`,
}

// TestWhatWasGivenOut: a program may change the last reply before people see it. The difference is noted.
func TestWhatWasGivenOut(t *testing.T) {
	t.Parallel()
	for name, text := range shownBy {
		for given, want := range map[string]bool{
			`null`: false, `""`: false, `"ok"`: false, `{"output":"ok"}`: false, `{"role":"assistant","content":" ok\n"}`: false,
			`{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"ok"}]}]}`: false,
			`"the secret"`: true, `{"output":"the secret"}`: true, `"ok, and the secret"`: true,
			`{"messages":[{"role":"assistant","content":"the secret"}]}`: true, `{"role":"assistant","content":"the secret"}`: true,
		} {
			s := only(t, []byte(strings.ReplaceAll(text, "GIVEN", given)))
			got := slices.ContainsFunc(s.Doubts, func(d string) bool { return strings.Contains(d, "final output") })
			if got != want {
				t.Errorf("%s gave out %s: told %v, want %v", name, given, got, want)
			}
		}
	}
}

// TestReplyInJSON: a program may output the fields of a reply that is JSON.
func TestReplyInJSON(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]bool{`{"a":"x","b":["y"]}`: false, `{"a":"x","b":["z"]}`: true, `{}`: true} {
		text := strings.ReplaceAll(shownBy["LangSmith"], "GIVEN", `{"b":["y"],"a":"x","more":1}`)
		s := only(t, []byte(strings.Replace(text, `"content":"ok"`, `"content":`+quoted(reply), 1)))
		if (len(s.Doubts) > 0) != want {
			t.Errorf("reply %s: doubts %q, want some: %v", reply, s.Doubts, want)
		}
	}
}

// TestRepliesThatAreLeftOut: the reply to a call that was repeated is not judged, and this is noted.
func TestRepliesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, want string }{
		{`"the secret"`, "a reply is left out"}, {`null`, "the output is lost"}, {`"ok"`, ""},
	} {
		one := `{"id":"ID","traceId":"t","type":"GENERATION","startTime":"2026-01-01T00:00:0ID","input":"hi","output":`
		s := only(t, []byte(`{"id":"t","timestamp":"2026-01-01T00:00:00Z","observations":[`+
			strings.ReplaceAll(one, "ID", "1")+c.first+"},"+strings.ReplaceAll(one, "ID", "2")+`"ok"}]}`))
		if got := strings.Join(s.Doubts, "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("first reply %s: doubts %q, want %q", c.first, got, c.want)
		}
	}
}

// TestFailuresOfItems: the Responses API reports failures of its own tool calls and of its messages.
func TestFailuresOfItems(t *testing.T) {
	t.Parallel()
	const reply = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}`
	for name, c := range map[string]struct {
		item   string
		broken bool
	}{
		"a search that was made":  {`{"type":"web_search_call","id":"1","status":"completed"}`, false},
		"a search that failed":    {`{"type":"web_search_call","id":"1","status":"failed"}`, true},
		"code that failed":        {`{"type":"code_interpreter_call","id":"1","code":"x","status":"incomplete"}`, true},
		"a call that is cut":      {`{"type":"function_call","call_id":"1","name":"f","arguments":"{}","status":"incomplete"}`, true},
		"a message that is whole": {strings.Replace(reply, `"role"`, `"status":"completed","role"`, 1), false},
		"a message that is cut":   {strings.Replace(reply, `"role"`, `"status":"incomplete","role"`, 1), true},
	} {
		tk := talk{}
		text := `{"id":"r","object":"response","status":"completed","input":"hi","output":[` + c.item + "," + reply + `]}`
		if got := !tk.wentWell(text); got != c.broken {
			t.Errorf("%s: broken %v, want %v", name, got, c.broken)
		}
	}
	text := `{"id":"r","object":"response","input":"hi","output_text":"WORDS","output":[` + reply + `]}`
	for words, refused := range map[string]bool{"ok": false, "": false, "the secret": true} {
		_, err := (&talk{}).missingWords(strings.Replace(text, "WORDS", words, 1))
		if (err != nil) != refused {
			t.Errorf("output_text %q: %v, want an error: %v", words, err, refused)
		}
	}
}

// TestCaughtException: an exception within a model call that succeeded in the end is a doubt.
func TestCaughtException(t *testing.T) {
	t.Parallel()
	text := strings.Replace(shownBy["a call of OpenInference"], `"attributes":{"output.value":GIVEN,`,
		`"events":[{"name":"exception","attributes":{"exception.message":"boom7"}}],"attributes":{`, 1)
	if s := only(t, []byte(text)); len(s.Doubts) != 1 || !strings.Contains(s.Doubts[0], "boom7") {
		t.Errorf("doubts: %q", s.Doubts)
	}
}

// TestToldDoubts: a record may cast doubt on a reply that it has.
func TestToldDoubts(t *testing.T) {
	t.Parallel()
	inspect := `{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[` +
		`{"role":"user","content":"hi"},{"role":"assistant","content":"ok"}],MORE}]}`
	promptfoo := `{"id":"1","testIdx":0,"promptIdx":0,"prompt":{"raw":"hi"},"response":{"output":"ok",MORE},"failureReason":0}`
	for _, c := range []struct{ record, more, want string }{
		{promptfoo, `"isRefusal":false,"guardrails":{"flagged":false}`, ""},
		{promptfoo, `"isRefusal":true`, "the provider reports that the model refused"},
		{promptfoo, `"guardrails":{"flagged":true,"reason":"hate"}`, "guardrails of the provider flagged the call: hate"},
		{promptfoo, `"guardrails":{"flaggedInput":true,"flaggedOutput":true}`,
			"guardrails of the provider flagged the input; guardrails of the provider flagged the output"},
		{inspect, `"invalidation":null,"output":{"choices":[{"message":{"role":"assistant","content":"ok"}}]}`, ""},
		{inspect, `"invalidation":{"author":"a","reason":"leaked"}`, "the sample was marked invalid: leaked"},
		{inspect, `"output":{"choices":[{"message":{"tool_calls":[{"id":"1","function":"refund","arguments":{}}]}}]}`,
			"the output calls refund and the last message no tool, which is what is judged"},
		{promptfoo, `"raw":{"choices":[{"message":{"content":"ok","refusal":null},"finish_reason":"stop"}]}`, ""},
		{promptfoo, `"finishReason":"stop","raw":"{\"choices\":[{\"message\":{},\"finish_reason\":\"length\"}]}"`,
			"the answer of the server says that the reply was stopped (length), and the result does not"},
		{promptfoo, `"finishReason":"length","raw":{"stop_reason":"max_tokens"}`, ""},
		{promptfoo, `"raw":{"candidates":[{"finishReason":"SAFETY"}]}`,
			"the answer of the server says that the reply was stopped (SAFETY), and the result does not"},
		{promptfoo, `"raw":{"choices":[{"message":{"refusal":"I cannot."}}]}`,
			"the answer of the server holds a refusal, which is not the output: I cannot."},
		{promptfoo, `"raw":{"choices":[{"message":{"content":"ok"}},{"message":{"content":"no"}}]}`,
			"a call has 2 choices; the first one is taken"},
		{promptfoo, `"raw":{"error":{"message":"boom"}}`, "the answer of the server reports a failure: boom"},
		{promptfoo, `"metadata":{"redteamHistory":[{"prompt":"a","output":"b"}]}`, ""},
		{promptfoo, `"metadata":{"redteamHistory":[{"prompt":"a","output":"b"},{"prompt":"c","output":"d"}]}`,
			"the metadata hold a conversation of 2 turns, of which what stands as prompt and output is judged"},
		{promptfoo, `"metadata":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},` +
			`{"role":"user","content":"c"}]}`,
			"the metadata hold a conversation of 2 turns, of which what stands as prompt and output is judged"},
	} {
		s := only(t, []byte(strings.Replace(c.record, "MORE", c.more, 1)))
		if got := strings.Join(s.Doubts, "; "); got != c.want {
			t.Errorf("%s: doubts %q, want %q", c.more, got, c.want)
		}
	}
}

// TestEventsOfInspect: the events of a sample tell what its messages should.
func TestEventsOfInspect(t *testing.T) {
	t.Parallel()
	sample := `{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[` +
		`{"role":"user","content":"hi"},{"id":"m1","role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},` +
		`{"type":"text","text":"ok"}],"tool_calls":[{"id":"c1","function":"f","arguments":{}}]},` +
		`{"role":"tool","tool_call_id":"c1","function":"f","content":"done"},{"id":"m2","role":"assistant","content":"bye"}],` +
		`"events":[EVENTS]}]}`
	model := func(id, text string) string {
		return `{"event":"model","output":{"choices":[{"message":{"id":"` + id + `","content":"` + text + `"}}]}}`
	}
	for _, c := range []struct{ events, want string }{
		{model("m1", "ok") + "," + model("m2", "bye") + `,{"event":"tool","id":"c1","function":"f","error":null}`, ""},
		{model("x", "something of another agent"), ""},
		{model("m2", "the secret"), "the events tell that the model said something else"},
		{`{"event":"tool","id":"c1","function":"f","error":{"type":"timeout","message":"slow"}}`, "of a tool that failed"},
	} {
		s := only(t, []byte(strings.Replace(sample, "EVENTS", c.events, 1)))
		if got := strings.Join(s.Doubts, "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: doubts %q, want %q", c.events, got, c.want)
		}
	}
}

// TestDroppedOnTheWay: what a span has lost may be what was said in it.
func TestDroppedOnTheWay(t *testing.T) {
	t.Parallel()
	const call = `{"name":"llm","context":{"trace_id":"a","span_id":"c"},"span_kind":"LLM",` +
		`"start_time":"2026-01-01T00:00:01","attributes":{"llm":{"input_messages":[{"message":{"role":"user",` +
		`"content":"hi"}}],"output_messages":[{"message":{"role":"assistant","content":"ok"}}]}}MORE}`
	const inEvents = `{"name":"llm","context":{"trace_id":"a","span_id":"c"},"start_time":"2026-01-01T00:00:01",` +
		`"attributes":{"gen_ai.operation.name":"chat"},"events":[{"name":"gen_ai.user.message","attributes":{"content":"hi"}},` +
		`{"name":"gen_ai.choice","attributes":{"content":"ok"}}]MORE}`
	for _, c := range []struct{ span, more, want string }{
		{call, ``, ""},
		{call, `,"dropped_attributes_count":0,"dropped_events_count":0`, ""},
		{call, `,"dropped_attributes_count":2`, "refused: 2 attributes of the span"},
		{call, `,"dropped_events_count":3`, "3 events of the span were dropped on their way"},
		{inEvents, ``, ""},
		{inEvents, `,"dropped_events_count":1`, "refused: 1 events of the span"},
		{inEvents, `,"dropped_attributes_count":1`, "1 attributes of the span were dropped on their way"},
		{strings.Replace(inEvents, `"attributes":{"content":"ok"}`, `"dropped_attributes_count":1,"attributes":{"content":"ok"}`, 1),
			``, "refused: 1 attributes of an event"},
	} {
		f, err := open([]byte("["+strings.Replace(c.span, "MORE", c.more, 1)+"]"), Options{})
		got := ""
		if err == nil {
			var s *Session
			if s, err = f.Load(0); err == nil {
				got = strings.Join(s.Doubts, "; ")
			}
		}
		if err != nil {
			got = "refused: " + err.Error()
		}
		want, refused := strings.CutPrefix(c.want, "refused: ")
		if !strings.Contains(got, want) || c.want == "" && got != "" || refused != (err != nil) {
			t.Errorf("%s: %q, want %q", c.more, got, c.want)
		}
	}
}

// TestGuardrailsOfProxies: a proxy that stopped or changed a call tells so beside it.
func TestGuardrailsOfProxies(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		`"guardrail_information":null`: "",
		`"guardrail_information":[{"guardrail_name":"pii","guardrail_status":"success"}]`: "",
		`"guardrail_information":{"guardrail_name":"pii","guardrail_status":"guardrail_intervened"}`: "the guardrail pii of the " +
			"proxy tells: guardrail_intervened",
		`"metadata":{"standard_logging_guardrail_information":[{"guardrail_name":"pii","guardrail_status":"failure"}]}`: "the " +
			"guardrail pii of the proxy tells: failure",
	} {
		s := only(t, []byte(`{"id":"1","call_type":"acompletion","response_cost":0.1,"messages":[{"role":"user","content":"hi"}],`+
			`"response":{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]},`+told+`}`))
		if got := strings.Join(s.Doubts, "; "); got != want {
			t.Errorf("%s: %q, want %q", told, got, want)
		}
	}
}

// TestMetadataOfMessages: what stands beside a message may say that it is none.
func TestMetadataOfMessages(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		`"metadata":{"id":"x","status":"ok"}`: "",
		`"metadata":{"error":"boom"}`:         "the metadata of a message of the assistant report a failure: boom",
		`"meta":{"success":false}`:            "the metadata of a message of the assistant report a failure: its member",
		`"metadata":{"status":"failed"}`:      "the metadata of a message of the assistant report a failure: its status",
	} {
		s := only(t, []byte(`{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ok",`+told+`}]}`))
		if got := strings.Join(s.Doubts, "; "); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", told, got, want)
		}
	}
}

// TestMasks: a placeholder for hidden text is not a message.
func TestMasks(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		"ok": "", "It is [redacted].": "", "redacted-by-litellm": "refused", "<masked due to failed mask function>": "refused",
		"The ord... (litellm_truncated 5000 chars) ... bye": "refused", "[REDACTED]": "doubt", " *** ": "doubt",
	} {
		text := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":` + quoted(reply) + `}]}`
		var s *Session
		f, err := open([]byte(text), Options{})
		if err == nil {
			s, err = f.Load(0)
		}
		got := ""
		switch {
		case err != nil:
			got = "refused"
		case len(s.Doubts) > 0:
			got = "doubt"
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%v)", reply, got, want, err)
		}
	}
}
