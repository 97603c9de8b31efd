package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/result"
)

func TestJudgePrompts(t *testing.T) {
	t.Parallel()
	prompts := &grading.Prompts{Default: "house", Texts: map[string]string{
		"house":  "House: {{criteria}} / {{rubric}} / {{ response }} / {{conversation}}",
		"expert": "Expert: {{.criteria}}",
		"shop":   "You sell {{product}}.",
		"empty":  "\n",
	}}
	const there = "(in the material, in the next message)"
	for _, tc := range []struct{ check, params, want, problem string }{
		{"llm_judge", `{"criteria": "Kind.", "rubric": "Strict."}`, "House: Kind. / Strict. / " + there + " / " + there, ""},
		{"llm_judge", `{"criteria": "Kind.", "prompt": "expert"}`, "Expert: Kind.", ""},
		{"llm_judge", `{"criteria": "Kind.", "system_prompt": "Me. {{criteria}} {{ .rubric }}", "rubric": "Strict."}`, "Me. Kind. Strict.", ""},
		{"bias", `{}`, biasSystem, ""}, // the default is for checks without a prompt of their own
		{"bias", `{"prompt": "expert"}`, "Expert: " + biasCriteria, ""},
		{"judge_verdict", `{"criteria": "Kind."}`, judgeVerdictSystem, ""},
		{"llm_judge", `{"criteria": "Kind.", "prompt": "nobody"}`, "", `the project has no prompt "nobody"`},
		{"llm_judge", `{"criteria": "Kind.", "prompt": "shop"}`, "", "prompt shop: nothing fills the variable {{product}}"},
		{"llm_judge", `{"criteria": "Kind.", "prompt": "empty"}`, "", "prompt empty: it is empty"},
	} {
		judges := judgesSaying(`{"score": 1, "verdict": "pass"}`)
		s := spokenSubject(judges, "Hello.")
		s.JudgePrompts = prompts
		v := compiledJSON(t, tc.check, tc.params).Judge(t.Context(), s)
		if tc.problem != "" {
			if v.Status != result.Errored || !strings.Contains(v.Error, tc.problem) || len(judges.asked) > 0 {
				t.Errorf("%s %s: %s %s", tc.check, tc.params, v.Status, v.Error)
			}
			continue
		}
		if got := judges.prompts()[0]; got != tc.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tc.check, tc.params, got, tc.want)
		}
	}
}
