package checks

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
)

func TestJudgeUses(t *testing.T) {
	t.Parallel()
	c := compiledJSON(t, "all_of", `{"checks": [
{"type": "bias", "params": {"judge": "strict", "model": "gpt-4o"}},
{"type": "contains", "params": {"patterns": "x"}},
{"type": "not", "params": {"check": {"type": "pii_leakage"}}},
{"type": "pii_leakage", "params": {"provider": "openai/gpt-4o"}},
{"type": "pii_leakage", "params": {"patterns_only": true}},
{"type": "llm_judge", "params": {"criteria": "Kind.", "prompt": "house"}},
{"type": "llm_judge_session", "params": {"criteria": "Kind."}},
{"type": "judge_verdict", "params": {"criteria": "Kind."}},
{"type": "llm_judge_tool_calls", "params": {"criteria": "Kind.", "system_prompt": "You grade."}}]}`)
	at := func(line, col int32) diag.Pos { return diag.Pos{File: paramsFile, Line: line, Col: col} }
	want := []grading.Need{
		{
			Use: grading.JudgeUse{Judge: "strict", Model: "gpt-4o"}, Votes: 1,
			Pos: grading.JudgePos{Check: at(2, 10), Judge: at(2, 38), Model: at(2, 57)},
		},
		{Votes: 1, Optional: true, Pos: grading.JudgePos{Check: at(4, 46)}},
		{
			Use: grading.JudgeUse{Provider: "openai/gpt-4o"}, Votes: 1,
			Pos: grading.JudgePos{Check: at(5, 10), Provider: at(5, 48)},
		},
		{Votes: 1, Prompt: "house", Pos: grading.JudgePos{Check: at(7, 10), Prompt: at(7, 65)}},
		{Votes: 1, DefaultPrompt: true, Pos: grading.JudgePos{Check: at(8, 10)}},
		{Votes: 1, Pos: grading.JudgePos{Check: at(9, 10)}},
		{Votes: 1, Pos: grading.JudgePos{Check: at(10, 10)}},
	}
	if diff := cmp.Diff(want, c.JudgeUses()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if uses := compiledJSON(t, "contains", `{"patterns": "x"}`).JudgeUses(); uses != nil {
		t.Errorf("%+v", uses)
	}
	only := compiledJSON(t, "pii_leakage", `{"patterns_only": true}`)
	if only.Needs() != NeedsReply || compiledJSON(t, "pii_leakage", `{}`).Needs()&NeedsModel == 0 {
		t.Errorf("pii_leakage needs %v without a judge", only.Needs())
	}
}
