package arena_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

const judged = `id: a
turns:
  - role: user
    content: Hello
    mock: [Good morning to you.]
    assertions:
      - {type: llm_judge, params: {criteria: It is polite., rubric: Much., min_score: 0.7}}
      - {type: llm_judge, params: {criteria: It is polite., judge: strict}, min_score: 0.9}
      - {type: judge_verdict, params: {criteria: It greets., judge: strict}}
`

func judgedRun(t *testing.T, judges map[string]arena.Judge) (*arena.Result, []arena.Verdict) {
	t.Helper()
	dir := files(t, "a.yaml", judged)
	res := run(t, arena.Options{Paths: []string{dir + "/a.yaml"}, Judges: judges, Judge: "kind"})
	return res, res.Trials[0].Turns[0].Assertions
}

func TestJudge(t *testing.T) {
	t.Parallel()
	kind := arena.JudgeFunc(func(_ context.Context, q *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
		if q.Judge != "kind" || q.Criteria != "It is polite." || q.Rubric != "Much." ||
			q.Text("reply") != "Good morning to you." || !strings.Contains(q.Prompt, q.Criteria) || q.System == "" {
			t.Errorf("%+v", q)
		}
		return arena.JudgeAnswer{Score: 0.75, Reasoning: "it wishes well"}, nil
	})
	strict := arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
		return arena.JudgeAnswer{Score: 0.5, Reasoning: "it could be warmer"}, nil
	})
	res, v := judgedRun(t, map[string]arena.Judge{"kind": kind, "strict": strict})
	if v[0].Status != arena.Passed || v[0].Explanation != "it wishes well" {
		t.Errorf("%+v", v[0])
	}
	for _, v := range v[1:] {
		if v.Status != arena.Failed || *v.Score != 0.5 {
			t.Errorf("%+v", v)
		}
	}
	if len(res.Trials) != 1 || res.ExitCode != 1 || res.JudgeCostUSD == nil || *res.JudgeCostUSD != 0 {
		t.Errorf("%+v", res)
	}
}

func TestMisbehavingJudges(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]func() (arena.JudgeAnswer, error){
		"panicked: boom":                    func() (arena.JudgeAnswer, error) { panic("boom") },
		"asleep":                            func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: 1}, errors.New("asleep") },
		"scores are between 0 and 1":        func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: 7}, nil },
		"the score NaN; scores are between": func() (arena.JudgeAnswer, error) { return arena.JudgeAnswer{Score: math.NaN()}, nil },
	} {
		j := arena.JudgeFunc(func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) { return answer() })
		res, verdicts := judgedRun(t, map[string]arena.Judge{"kind": j, "strict": j})
		if res.ExitCode != 3 {
			t.Errorf("%s: exit code %d", want, res.ExitCode)
		}
		for _, v := range verdicts {
			if v.Status != arena.Errored || !strings.Contains(v.Error, want) || !strings.Contains(v.Error, "judge ") {
				t.Errorf("want %q: %s %q", want, v.Status, v.Error)
			}
		}
	}
}
