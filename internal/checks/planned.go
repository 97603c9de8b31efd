package checks

import "sync"

// comingNames are the checks of the catalogue that this version does not have. A file that names one is refused with a
// text that says so, which is neither "unknown" nor a pass.
var comingNames = map[Family][]string{
	FamilyContent: {"cosine_similarity", "field_presence", "required_fields"},
	FamilyTools: {
		"no_tool_errors", "tool_anti_pattern", "tool_args", "tool_args_excluded_session", "tool_args_session",
		"tool_call_chain", "tool_call_sequence", "tool_efficiency", "tool_exec", "tool_no_repeat",
		"tool_result_has_media", "tool_result_includes", "tool_result_matches", "tool_result_media_type",
		"tools_not_called_with_args",
	},
	FamilyAgents: {
		"agent_invoked", "agent_not_invoked", "agent_response_contains", "skill_activated", "skill_activation_order",
		"skill_not_activated",
	},
	FamilyWorkflow: {
		"composition_branch_taken", "composition_output", "composition_parallel_complete", "composition_step_output",
		"spoke_in_state", "state_is", "transitioned_to", "workflow_complete", "workflow_spoke_in_state",
		"workflow_state_is", "workflow_tool_access", "workflow_transition_order", "workflow_transitioned_to",
	},
	FamilyMedia: {
		"audio_duration", "audio_format", "image_dimensions", "image_format", "video_duration", "video_resolution",
	},
	FamilyJudge: {"llm_judge", "llm_judge_conversation", "llm_judge_session", "llm_judge_tool_calls"},
	FamilyRAG: {
		"answer_relevancy", "contextual_precision", "contextual_recall", "contextual_relevancy", "faithfulness",
		"hallucination",
	},
	FamilySafety:    {"bias", "pii_leakage", "role_violation", "toxicity"},
	FamilyExternal:  {"a2a_eval", "a2a_eval_session", "rest_eval", "rest_eval_session"},
	FamilyMeta:      {"guardrail_triggered", "invariant_fields_preserved"},
	FamilyBehaviour: {"directional", "outcome_equivalent"},
	FamilyTrace: {
		"max_cost", "max_duration", "max_turns", "no_repeat_calls", "output_contains", "output_matches", "tool_order",
		"trajectory",
	},
}

// planned maps the names of comingNames to their families.
var planned = sync.OnceValue(func() map[string]Family {
	m := map[string]Family{}
	for family, names := range comingNames {
		for _, name := range names {
			m[name] = family
		}
	}
	return m
})
