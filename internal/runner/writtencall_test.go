package runner

import "testing"

func TestWrittenCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`<tool_call>{"name": "refund", "arguments": {}}</tool_call>`, "<tool_call>{"},
		{`[TOOL_CALLS] [{"name": "refund"}]`, "[TOOL_CALLS] ["},
		{"Sure.\n<function=other>{}</function>", "<function=other>"},
		{`<|channel|>commentary to=functions.refund <|message|>{}`, "to=functions.refund"},
		{`to=functions.refund code{"id":"A-1"}`, "to=functions.refund"},
		{`<invoke name="refund"><parameter name="id">A-1</parameter></invoke>`, `<invoke name="refund">`},
		{"I will.\nAction: refund\nAction Input: {\"id\":\"A-1\"}", "Action: refund\nAction Input:"},
		{`functools[{"name":"refund"}]`, "functools[{"},
		{`✿FUNCTION✿: refund`, "✿FUNCTION✿: refund"},
		{"```tool_call\n{\"name\":\"refund\"}\n```", "```tool_call"},
		{"```tool_code\nprint(refund())\n```", "```tool_code"},
		{`<tool_use>refund</tool_use>`, "<tool_use>refund"},
		{`<execute_tool>refund()</execute_tool>`, "<execute_tool>refund"},
		{`<tools>refund</tools>`, "<tools>refund"},
		{`<refund><id>A-1</id></refund>`, "<refund>"},

		{`[refund(id="A-1")]`, "refund("},
		{`[refund(id="A-1"), other()]`, "refund("},
		{`refund(id="A-1")`, "refund("},
		{`refund(reason="a) b (c")`, "refund("},
		{`default_api.refund(id="A-1")`, "refund("},
		{"```python\nrefund(id=\"A-1\")\n```", "refund("},
		{"assistant<|header_end|>\n\n[refund(id=1)]", "refund("},
		{`refund {"id":"A-1"}`, "refund"},
		{`refund: {"id":"A-1"}`, "refund"},

		{`{"name": "refund", "arguments": {"order_id": "A-1"}}`, "refund"},
		{`{"type":"function","name":"refund","parameters":{"id":"A-1"}}`, "refund"},
		{`{"type":"function","function":{"name":"refund","arguments":"{}"}}`, "refund"},
		{`{"tool_calls":[{"name":"refund","arguments":{}}]}`, "refund"},
		{`[{"name":"refund","arguments":{}}]`, "refund"},
		{"Sure:\n```json\n{\"name\": \"refund\", \"parameters\": {\"amount\": 1}}\n```", "refund"},
		{"```json\n{\"tool\": \"refund\", \"args\": {\"id\":\"A-1\"}}\n```", "refund"},
		{`{"action": "refund", "action_input": "A-1"}`, "refund"},

		{`{"name": "Ada", "arguments": {}}`, ""},
		{`{"name": "refund"}`, ""},
		{`{"name": "refund", "price": 3}`, ""},
		{"The tag <tool_call> marks a call.", ""},
		{"refund (the whole sum) is what you get (in a week)", ""},
		{"refund(s) are paid in a week (or two)", ""},
		{"refund", ""},
		{"refunds(id=1)", ""},
		{"cancel(id=1)", ""},
		{"Call refund(id=1) to pay it back.", ""},
		{"Action: we pay it back.\nThen you are done.", ""},
		{"<tool>hammer</tool>", ""},
		{"<refund> is the tag", ""},
	} {
		if got := writtenCall(tt.text, []string{"ref", "refund"}); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
