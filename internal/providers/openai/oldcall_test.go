package openai

import (
	"testing"
)

// TestOldCalls: a call in the form that came before tool_calls is a call, and a refusal beside text is said.
func TestOldCalls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"choices": [{"message": {"content": "hello", "function_call": {"name": "pay", "arguments": "{\"amount\": 1}"}},
			"finish_reason": "function_call"}]}`,
		`{"choices": [{"message": {"content": "hello", "function_call": {"name": "pay", "arguments": {"amount": 1}}},
			"finish_reason": "stop"}]}`,
		`data: {"choices": [{"delta": {"content": "hello"}}]}` + "\n\n" +
			`data: {"choices": [{"delta": {"function_call": {"name": "pay", "arguments": ""}}}]}` + "\n\n" +
			`data: {"choices": [{"delta": {"function_call": {"arguments": "{\"amount\""}}}]}` + "\n\n" +
			`data: {"choices": [{"delta": {"function_call": {"arguments": ": 1}"}}}]}` + "\n\n" +
			`data: {"choices": [{"delta": {}, "finish_reason": "function_call"}]}` + "\n\ndata: [DONE]\n\n",
	} {
		reply, err := answered(t, text)
		if err != nil || len(reply.ToolCalls) != 1 || reply.ToolCalls[0].Name != "pay" || len(reply.ToolCalls[0].Args) != 1 ||
			reply.Content != "hello" || reply.FinishReason != "tool_calls" || reply.Doubt != "" {
			t.Errorf("%s: %+v %v", text, reply, err)
		}
	}
	reply, err := answered(t, `{"choices": [{"message": {"content": "hello", "refusal": " I refuse."}, "finish_reason": "stop"}]}`)
	if err != nil || reply.Content != "hello I refuse." {
		t.Errorf("%+v %v", reply, err)
	}
}
