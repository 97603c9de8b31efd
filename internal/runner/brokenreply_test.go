package runner

import (
	"strings"
	"testing"
)

func TestBrokenReply(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ok so far\nTraceback (most recent call last):\n  File \"x.py\", line 3\nKeyError: 5",
		"Traceback (most recent call last):\n  File \"agent.py\", line 3\nKeyError: 1",
		"Error: OPENAI_API_KEY is not set",
		"openai.RateLimitError: slow down", "KeyError: 'order'", "panic: runtime error",
		"2026-11-28 10:00:00,123 - ERROR agent: connection refused",
		"usage: agent.py [-h] message\nagent.py: error: the following arguments are required: message",
		"Usage: agent [OPTIONS] COMMAND [ARGS]...",
		"502 Bad Gateway", "Internal Server Error", "Error code: 429 - {'error': {'message': 'slow down'}}",
		"Rate limit exceeded.", "Request timed out.",
		`{"error": "rate limited"}`, `{"error": {"message": "x"}, "request_id": "1"}`, `{"detail": "Not Found"}`,
		"Agent stopped due to max iterations.", "Could not parse LLM output: `fine`",
	} {
		if got := brokenReply(text, true); got != printedFailure {
			t.Errorf("%q of a program: %q", text, got)
		}
		if got := brokenReply(text, false); got != "" {
			t.Errorf("%q of a model: %q", text, got)
		}
	}
	for _, text := range []string{
		"None", "nan", "<Response [500]>", "<object object at 0x7f00>", "<coroutine object answer at 0x7f00>",
		"<generator object Agent.run at 0x7f00>", "<function answer at 0x7f00>", "<agent.Reply object at 0x7f00>",
		"ChatCompletion(id='x', choices=[Choice(finish_reason='stop')])",
		"content='fine' additional_kwargs={} response_metadata={}",
		`{"choices": [{"message": {"content": "fine"}}]}`,
		`{"candidates": [{"content": {"parts": [{"text": "fine"}]}}]}`,
		`{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "fine"}]}`,
	} {
		if got := brokenReply(text, true); got != printedObject {
			t.Errorf("%q of a program: %q", text, got)
		}
	}
	for _, text := range []string{
		"undefined", "[object Object]", "{{response}}", "${reply}", "<html><title>502 Bad Gateway</title></html>",
	} {
		for _, program := range []bool{false, true} {
			if got := brokenReply(text, program); !strings.Contains(got, "lost") {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"fine", "There was an Error: the order is unknown.", "Error: no such order.\nTry another one.", "[]", "{}", "null",
		`{"answer": "fine", "error": null}`, `{"status": "denied"}`, `{"choices": []}`, `{"choices": "two"}`,
		`{"detail": "Not Found", "order": 1}`, "404 orders", "500 Tea Bags are left, madam", "The usage: agent",
		"<b>bold</b>", "Nonesuch", "{not json", "Message (id=1)",
	} {
		if got := brokenReply(text, true); got != "" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
