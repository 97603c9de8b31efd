package checks

import "sync"

// comingNames are the checks of the catalogue that this version does not have. A file that names one is refused with a
// text that says so, which is neither "unknown" nor a pass.
var comingNames = map[Family][]string{
	FamilyJudge: {"llm_judge", "llm_judge_conversation", "llm_judge_session", "llm_judge_tool_calls"},
	FamilyRAG: {
		"answer_relevancy", "contextual_precision", "contextual_recall", "contextual_relevancy", "faithfulness",
		"hallucination",
	},
	FamilySafety:   {"bias", "pii_leakage", "role_violation", "toxicity"},
	FamilyExternal: {"a2a_eval", "a2a_eval_session", "rest_eval", "rest_eval_session"},
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
