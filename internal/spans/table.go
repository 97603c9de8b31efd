package spans

import "strings"

// The attributes that hold messages, also as prefixes of names such as llm.output_messages.0.message.role.
const (
	ConversationID      = "gen_ai.conversation.id"
	SystemInstructions  = "gen_ai.system_instructions"
	InputMessages       = "gen_ai.input.messages"
	OutputMessages      = "gen_ai.output.messages"
	Prompt              = "gen_ai.prompt"
	Completion          = "gen_ai.completion"
	InferenceSession    = "session.id"
	InferenceInput      = "llm.input_messages"
	InferenceOutput     = "llm.output_messages"
	InferenceKindOfSpan = "openinference.span.kind"
	InputValue          = "input.value"
	OutputValue         = "output.value"
)

// Field is something that spans tell by an attribute, whatever its name is in a convention.
type Field uint8

// The fields.
const (
	Operation Field = iota
	InferenceKind
	ModelName
	ProviderName
	InputTokens
	OutputTokens
	TotalTokens
	CachedTokens
	CacheWriteTokens
	ReasoningTokens
	CostUSD
	InputCostUSD
	OutputCostUSD
	FinishReason
	ToolID
	ToolName
	ToolArgs
	ToolResult
	Output
	OutputText
	ReplyCalls
	ErrorType
	Failed
	StatusCode
	OfCheck
	DialectKind // the kind of a span in other conventions
	DialectName // of a tool, if the kind says that it is one
	fieldCount
)

// table lists the attribute names of the conventions: those of OpenTelemetry for generative AI in their versions, and
// those of OpenInference. Of several attributes of a span the first in the list is used.
var table = [fieldCount][]string{
	Operation:     {"gen_ai.operation.name"},
	InferenceKind: {InferenceKindOfSpan},
	ModelName: {"gen_ai.response.model", "gen_ai.request.model", "llm.response.model_name", "llm.model_name",
		"llm.request.model_name"},
	ProviderName: {"gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"},
	InputTokens:  {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"},
	OutputTokens: {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"},
	TotalTokens:  {"gen_ai.usage.total_tokens", "llm.token_count.total"},
	CachedTokens: {"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
		"llm.token_count.prompt_details.cache_read", "llm.token_count.cache_read"},
	CacheWriteTokens: {"gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"},
	ReasoningTokens:  {"llm.token_count.completion_details.reasoning"},
	CostUSD:          {"arena.cost_usd", "gen_ai.usage.cost", "llm.cost.total"},
	InputCostUSD:     {"llm.cost.prompt"},
	OutputCostUSD:    {"llm.cost.completion"},
	FinishReason:     {"gen_ai.response.finish_reasons", "llm.finish_reason"},
	ToolID: {"gen_ai.tool.call.id", "tool_call.id", "tool.id", "tool_call.tool_call.id",
		"ai.toolCall.id"},
	ToolName: {"gen_ai.tool.name", "tool.name", "tool_call.function.name", "ai.toolCall.name"},
	ToolArgs: {"gen_ai.tool.call.arguments", "tool_call.function.arguments", InputValue, "tool.parameters",
		"tool_arguments", "ai.toolCall.args"},
	ToolResult: {"gen_ai.tool.call.result", OutputValue, "tool_response", "ai.toolCall.result"},
	Output:     {OutputMessages, Completion, InferenceOutput},
	OutputText: {OutputValue},
	ReplyCalls: {"llm.tool_calls"},
	ErrorType:  {"error.type", "error.message", "exception.message", "exception.type"},
	Failed:     {"error"}, // as OpenTracing marks a span
	StatusCode: {"otel.status_code"},
	OfCheck:    {"arena.judge", "arena.by_check"},
	DialectKind: {"traceloop.span.kind", "mlflow.spanType", "langfuse.observation.type", "langsmith.span.kind",
		"gen_ai.span.kind", "lmnr.span.type", "agentops.span.kind", "ai.operationId"},
	DialectName: {"traceloop.entity.name"},
}

// Names are the attributes of a field, in order of precedence. Callers must not change them.
func (f Field) Names() []string { return table[f] }

// InferenceOperation is what the conventions for generative AI call a kind of span of OpenInference, which may be
// written in any case.
func InferenceOperation(kind string) string {
	switch strings.ToUpper(kind) {
	case "LLM":
		return "chat"
	case "TOOL":
		return "execute_tool"
	case "AGENT":
		return "invoke_agent"
	case "EMBEDDING":
		return "embeddings"
	case "EVALUATOR":
		return "evaluator"
	}
	return strings.ToLower(kind)
}

// IsInferenceKind reports whether a word is a kind of span of OpenInference.
func IsInferenceKind(kind string) bool {
	switch strings.ToUpper(kind) {
	case "LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return true
	}
	return false
}

// IsWhole reports whether an attribute that is an object means that object, and not attributes with dotted names.
func IsWhole(name string) bool {
	switch name {
	case "metadata", "tool.parameters", "input.value", "output.value", "gen_ai.tool.call.arguments",
		"gen_ai.tool.call.result":
		return true
	}
	return false
}

// trees are the fields whose attributes may be written in pieces, such as llm.output_messages.0.message.role.
var trees = []Field{Output, ReplyCalls}

// isRead reports whether arena uses an attribute.
func isRead(name string) bool {
	if alone[name] {
		return true
	}
	for _, f := range trees {
		for _, n := range table[f] {
			if rest, ok := strings.CutPrefix(name, n); ok && rest[0] == '.' {
				return true
			}
		}
	}
	return false
}

// alone are the attributes with names of their own that arena keeps.
var alone = func() map[string]bool {
	kept := map[string]bool{}
	for _, names := range table {
		for _, name := range names {
			kept[name] = true
		}
	}
	return kept
}()
