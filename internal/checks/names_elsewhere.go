package checks

import "strings"

// elsewhere returns arena's name of a check for its name in other tools; "": not known. A similar name may mean the
// opposite, as not_contains does.
func elsewhere(name string) string {
	switch strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(strings.ToLower(name)) {
	case "not_contains", "not_contain", "does_not_contain", "must_not_contain", "not_icontains", "not_contains_any",
		"not_includes", "not_include", "excludes", "exclude", "not_content_includes", "forbidden_words", "banned_phrases":
		return "content_excludes"
	case "not_regex", "not_matches", "not_match", "does_not_match", "must_not_match":
		return "regex, with expect_match: false"
	case "not_equals", "not_equal", "not_is_json", "not_similar", "not_starts_with":
		return "not, around the check"
	case "icontains", "includes", "include", "contains_all", "icontains_all", "must_contain", "contains_text", "substring":
		return "contains"
	case "icontains_any", "includes_any":
		return "contains_any"
	case "is_json", "json", "isjson":
		return "json_valid"
	case "is_valid_json_schema", "matches_schema", "schema":
		return "json_schema"
	case "exact_match", "exact", "match", "equal", "equals_to", "string_match":
		return "equals"
	case "matches", "pattern", "regexp", "matches_regex":
		return "regex"
	case "llm_rubric", "rubric", "model_graded_closedqa", "model_graded", "factuality", "g_eval", "geval", "llm_eval",
		"llm_as_judge", "ai_judge", "grader", "score_model":
		return "llm_judge"
	case "similar", "semantic_similarity", "embedding_similarity", "text_similarity":
		return "cosine_similarity"
	case "latency", "response_time", "max_latency":
		return "latency_budget"
	case "cost", "price":
		return "cost_budget"
	case "max_words", "min_words", "words":
		return "word_count"
	case "answer_relevance":
		return "answer_relevancy"
	case "context_recall":
		return "contextual_recall"
	case "context_precision":
		return "contextual_precision"
	case "context_relevance", "context_relevancy":
		return "contextual_relevancy"
	case "groundedness", "context_faithfulness":
		return "faithfulness"
	case "tool_call", "function_call", "calls_tool", "uses_tool", "expect_tool", "expected_tools",
		"is_valid_openai_tools_call":
		return "tools_called"
	case "tool_correctness", "trajectory_match":
		return "trajectory"
	case "refusal", "is_refused":
		return "is_refusal"
	case "python", "javascript", "script", "custom":
		return "a program of your own: declare it under evals of a RuntimeConfig"
	}
	return ""
}

// Meant is a hint for an unknown check name: its name here, or the nearest name; "": none.
func Meant(name string, nearest func(string) string) string {
	if word := elsewhere(name); word != "" {
		return "that is " + word + " here"
	}
	if near := nearest(name); near != "" {
		return `did you mean "` + near + `"?`
	}
	return ""
}
