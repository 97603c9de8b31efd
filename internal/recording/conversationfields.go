package recording

import (
	"cmp"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// conversationFields are the fields beside the messages of a conversation: those of the formats, the parameters of chat
// APIs, and those that logging tools add. The latter two hold no words of the conversation.
var conversationFields = sync.OnceValue(func() *fieldNames {
	return newFieldNames(`messages system metadata request response choices error usage body
		id session_id conversation_id custom_id thread_id trace_id request_id run_id parent_id user user_id end_user name
		title tags note notes comment comments description version source object url method call_type
		created created_at updated_at timestamp time date start_time end_time started_at ended_at
		completion_start_time duration duration_ms latency latency_ms response_time
		model model_id model_group model_parameters provider custom_llm_provider api_base deployment environment status
		status_code finish_reason stop_reason system_fingerprint service_tier cost cost_usd total_cost total_cost_usd
		response_cost saved_cache_cost tokens total_tokens prompt_tokens completion_tokens input_tokens output_tokens
		cache_hit cache_key request_tags requester_ip_address hidden_params
		tools tool_choice functions function_call parallel_tool_calls temperature top_p top_k min_p max_tokens
		max_completion_tokens max_output_tokens stop stop_sequences seed stream stream_options n response_format logprobs
		top_logprobs logit_bias presence_penalty frequency_penalty reasoning reasoning_effort thinking verbosity store
		modalities audio prediction safety_settings extra_body extra_headers timeout weight`)
})

// nearConversation are the fields that are suggested for a misspelled name.
var nearConversation = []string{
	"messages", "system", "metadata", "request", "response", "choices", "session_id", "conversation_id", "custom_id",
	"model", "usage", "error",
}

// conversationHint says where to move a field that is beside the messages and is not known there.
func conversationHint(written string) string {
	switch foldKey([]byte(written)) {
	case "assert", "asserts", "assertion", "assertions", "conversationassertions", "turnassertions", "check", "checks",
		"evals", "tests", "expect", "expected", "expectations", "validators", "criteria", "rubric", "threshold":
		return `a recording holds no checks: write them into a file, and name that with --assert`
	case "output", "outputs", "completion", "reply", "answer", "generation", "prediction", "result":
		return `a reply that stands beside the messages is called "response"`
	case "input", "inputs", "prompt", "question", "query", "instruction", "instructions":
		return `what was said stands among the messages, or as "system" beside them`
	case "turns", "conversation", "conversations", "history", "transcript", "dialogue", "dialog", "chat":
		return `what was said stands among the messages`
	}
	return cmp.Or(diag.DidYouMean(written, nearConversation), unknownElsewhere)
}

// checkConversation reports unknown fields beside messages, and reads whether it failed.
func (b *builder) checkConversation(o object) {
	b.checkFieldsWith(o, "a conversation", conversationFields(), conversationHint)
	b.failed("", b.failureIn(o))
}

// checkYAMLConversation is checkConversation for a transcript in YAML.
func checkYAMLConversation(r *node.Reader, key string, k, v *node.Node) {
	known := conversationFields()
	switch {
	case key == "choices" || key == "response":
		r.Errorf(k, "unknown-field", "a transcript has no %s; the reply is the last of its messages", key)
	case known.folded()[foldKey([]byte(key))] || node.IsNull(v) || v.Kind != node.Scalar && len(v.Content) == 0:
	case v.Anchor != "": // an alias elsewhere in the file uses its content
	default:
		r.Errorf(k, "unknown-field", "a conversation has an unknown field %q, whose content would be lost", cutText(key, 40)).
			Hint = conversationHint(key)
	}
}
