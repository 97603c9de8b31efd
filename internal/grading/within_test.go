package grading

import "testing"

// What a judge lists beside its score may say that the score is too high; what agrees with it does not.
func TestAgainstScore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"score": 1, "issues": ["it lies"]}`:                                       `issues: ["it lies"]`,
		`{"score": 1.0, "Violations": 2}`:                                           `Violations: 2`,
		`{"score": 1, "problems": "it lies"}`:                                       `problems: "it lies"`,
		`{"score": 0.9, "scores": {"truth": 0.1, "tone": 0.2}}`:                     `scores: {"tone":0.2,"truth":0.1}`,
		`{"score": 1, "criteria": [{"score": 0.3}, {"score": 0.5}]}`:                `criteria: [{"score":0.3},{"score":0.5}]`,
		`{"score": 1, "checks": [{"name": "truth", "passed": false}]}`:              `checks: [{"name":"truth","passed":false}]`,
		`{"score": 1, "issues": ["x"], "passed": false}`:                            `passed: false`,
		`{"score": 0.8, "issues": ["a little long"]}`:                               "",
		`{"score": 1, "issues": [], "violations": 0, "problems": "None."}`:          "",
		`{"score": 1, "issues": ["No issues found"], "failures": null}`:             "",
		`{"score": 0.9, "scores": {"truth": 1, "tone": 0.8}}`:                       "",
		`{"score": 0.9, "scores": {"truth": 9, "tone": 8}}`:                         "",
		`{"score": 0.67, "checks": [{"passed": false}, {"passed": true}]}`:          "",
		`{"score": 1, "criteria": "the reply is true", "scores": [], "rubric": {}}`: "",
	} {
		for name, read := range map[string]func(answer) (Opinion, error){"judge": gradeOf, "evaluator": measured} {
			o, err := readReply(text, nil, read)
			if err != nil || o.Against != want {
				t.Errorf("%s: %s: %q %v, want %q", name, text, o.Against, err, want)
			}
		}
	}
}
