package chat

import (
	"slices"
	"strings"
)

// brokeOff are the words with which servers end a reply that failed on the way, in lower case.
var brokeOff = []string{
	"error", "failed", "failure", "abort", "aborted", "cancelled", "canceled", "timeout", "network_error", "other",
	"insufficient_system_resource", "engine_overloaded", "malformed_function_call", "unexpected_tool_call",
	"too_many_tool_calls", "missing_thought_signature", "malformed_response",
}

// complete are the words with which servers end a reply that is all that the model wanted to say, in lower case.
var complete = []string{
	"stop", "end_turn", "stop_sequence", "end", "eos", "eos_token", "stop_token", "complete", "completed", "finished",
	"done", "success", "tool_calls", "tool_use", "tool_call", "function_call",
}

// cut are the words with which servers end a reply that was cut at a limit, in lower case. filtered are those for one
// that was stopped by a filter, and asked those for one that calls tools.
var (
	cut = []string{
		"length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded",
		"error_limit",
	}
	filtered = []string{
		"content_filter", "content_filtered", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii",
		"language", "model_armor", "image_safety", "error_toxic", "guardrail_intervened",
	}
	asked = []string{"tool_calls", "tool_use", "tool_call", "function_call"}
)

// FinishOf is the finish reason that a word of any vendor means: stop, length, tool_calls or content_filter. Other
// words stay as they are.
func FinishOf(word string) string {
	switch lower := strings.ToLower(word); {
	case slices.Contains(asked, lower):
		return "tool_calls"
	case slices.Contains(complete, lower):
		return "stop"
	case slices.Contains(cut, lower):
		return "length"
	case slices.Contains(filtered, lower):
		return "content_filter"
	}
	return word
}

// Stopped reports whether a word for the end of a reply says that something else than the model ended it.
func Stopped(word string) bool {
	lower := strings.ToLower(word)
	return BrokeOff(word) || slices.Contains(cut, lower) || slices.Contains(filtered, lower)
}

// Complete reports whether a finish reason says that the model finished, or is unknown.
func Complete(finishReason string) bool {
	return finishReason == "" || slices.Contains(complete, strings.ToLower(finishReason))
}

// BrokeOff reports whether a finish reason says that a failure ended the reply, so that the text so far is not a reply.
// A reply that was cut at a limit or by a filter did not break off.
func BrokeOff(finishReason string) bool {
	return finishReason != "" && slices.Contains(brokeOff, strings.ToLower(finishReason))
}
