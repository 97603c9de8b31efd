package calibrate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
)

const someScenario = `id: tone
turns:
  - role: user
    content: hi
    assertions:
      - {type: contains, params: {patterns: [a]}}
      - type: llm_judge
        min_score: 0.8
        when: {tool_called: refund}
        pass_threshold: 0.5
        params: {criteria: kind, judge: strict, votes: 3}
      - type: any_of
        params:
          checks:
            - {type: toxicity, params: {model: finer, min_score: 0.6}}
`

// about says what a compiled check is.
func about(c *checks.Compiled) string {
	s := fmt.Sprintf("%d %s", c.Pos.Line, c.Type)
	if c.MinScore != nil {
		s += fmt.Sprintf(" from %v", *c.MinScore)
	}
	if c.MaxScore != nil {
		s += fmt.Sprintf(" to %v", *c.MaxScore)
	}
	for _, need := range c.JudgeUses() {
		s += strings.TrimRight(fmt.Sprintf(" by %s%s", need.Use.Judge, need.Use.Model), " ")
	}
	if c.When != nil || c.PassThreshold != nil {
		s += " sometimes"
	}
	return s
}

func TestReadCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, data string
		line       int
		change     calibrate.Override
		want       string
	}{
		"parameters":       {"a.yaml", "criteria: kind\nmin_score: 0.7\n", 0, calibrate.Override{}, "1 llm_judge from 0.7 by"},
		"a check":          {"a.json", `{"type": "faithfulness", "params": {"contexts": ["x"]}}`, 0, calibrate.Override{}, "1 faithfulness by"},
		"of a scenario":    {"a.yaml", someScenario, 7, calibrate.Override{}, "7 llm_judge from 0.8 by strict"},
		"in a combination": {"a.yaml", someScenario, 15, calibrate.Override{}, "15 toxicity from 0.6 by finer"},
		"another judge":    {"a.yaml", someScenario, 15, calibrate.Override{Judge: true}, "15 toxicity from 0.6 by"},
		"another threshold": {"a.yaml", "criteria: kind\nmin_score: 0.7\nmax_score: 0.9\n", 0,
			calibrate.Override{Threshold: new(0.4)}, "1 llm_judge from 0.4 by"},
		"an eval": {"a.yaml", "evals:\n  - {id: kind, trigger: every_turn, groups: [g], type: llm_judge, threshold: {min_score: 0.6},\n" +
			"     params: {criteria: kind}}\n", 0, calibrate.Override{}, "2 llm_judge from 0.6 by"},
		"a guardrail": {"a.yaml", "validators:\n  - {type: llm_judge, params: {criteria: kind}, max_score: 0.2,\n" +
			"     fail_on_violation: false}\n", 0, calibrate.Override{}, "2 llm_judge to 0.2 by"},
		"with a weight": {"a.yaml", "type: weighted\nparams: {checks: [{type: toxicity, weight: 2, params: {min_score: 0.6}}]}\n", 0,
			calibrate.Override{}, "2 toxicity from 0.6 by"},
		"a list of one": {"a.yaml", "- {type: llm_judge, params: {criteria: kind}, max_score: 0.2}\n", 0, calibrate.Override{},
			"1 llm_judge to 0.2 by"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d diag.List
			spec := calibrate.ReadCheck(c.file, []byte(c.data), c.line, c.change, &d)
			if spec == nil {
				t.Fatalf("no check: %v", problems(&d))
			}
			if got := about(compiled(t, spec)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadCheckReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		line int
		want string
	}{
		"nothing":       {"", 0, "a.yaml: there is no check here that a model grades [no-check]"},
		"another line":  {someScenario, 6, "a.yaml:6: there is no check here that a model grades [no-check]"},
		"several":       {someScenario, 0, "a.yaml: a model grades several checks here [many-checks]"},
		"not a score":   {"type: bias\nmin_score: low\n", 0, `a.yaml:2:12: min_score must be a number, found text "low" [wrong-type]`},
		"a misspelling": {"type: bias\nmin_scroe: 0.5\n", 0, `a.yaml:2:1: unknown field "min_scroe"`},
		"not a check":   {"type: contains\nparams: {patterns: [a]}\n", 0, "a.yaml: there is no check here that a model grades [no-check]"},
		"not YAML":      {"a: [", 0, "a.yaml:1:1: a value is missing here [yaml-syntax]"},
		"only a number": {"42", 0, "a.yaml: there is no check here that a model grades [no-check]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d diag.List
			calibrate.ReadCheck("a.yaml", []byte(c.data), c.line, calibrate.Override{}, &d)
			got := problems(&d)
			if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCriteriaPassFromTheMiddle(t *testing.T) {
	t.Parallel()
	got := []string{
		about(compiled(t, calibrate.Criteria("kind", calibrate.Override{}))),
		about(compiled(t, calibrate.Criteria("kind", calibrate.Override{Threshold: new(0.9), Votes: 3}))),
	}
	if diff := cmp.Diff([]string{"0 llm_judge from 0.5 by", "0 llm_judge from 0.9 by"}, got); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}
