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

// Complete reports whether a finish reason says that the model came to its end, or says nothing.
func Complete(finishReason string) bool {
	return finishReason == "" || slices.Contains(complete, strings.ToLower(finishReason))
}

// BrokeOff reports whether a finish reason says that the model did not finish because something failed: what came until
// then is no reply. A reply that was cut at a limit or by a filter did not break off.
func BrokeOff(finishReason string) bool {
	return finishReason != "" && slices.Contains(brokeOff, strings.ToLower(finishReason))
}
