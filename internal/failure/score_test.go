package failure_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

func TestBesideScore(t *testing.T) {
	t.Parallel()
	type o = jsonvalue.Object
	for _, c := range []struct {
		o    o
		key  string
		want failure.Stance
	}{
		{o{"error": "boom"}, "error", failure.Unjudged},
		{o{"isError": true}, "isError", failure.Unjudged},
		{o{"exception": "x"}, "exception", failure.Unjudged},
		{o{"status": "Error"}, "status", failure.Unjudged},
		{o{"status": "timeout"}, "status", failure.Unjudged},
		{o{"status": 500.0}, "status", failure.Unjudged},
		{o{"status_code": 500.0}, "status_code", failure.Unjudged},
		{o{"skipped": true}, "skipped", failure.Unjudged},
		{o{"refusal": "I cannot"}, "refusal", failure.Unjudged},
		{o{"passed": false, "error": "boom"}, "error", failure.Unjudged},

		{o{"success": false}, "success", failure.Against},
		{o{"ok": "false"}, "ok", failure.Against},
		{o{"Passed": false}, "Passed", failure.Against},
		{o{"passed": "no"}, "passed", failure.Against},
		{o{"status": "failed"}, "status", failure.Against},
		{o{"outcome": "rejected"}, "outcome", failure.Against},
		{o{"errors": []any{"x"}}, "errors", failure.Against},
		{o{"failed": true}, "failed", failure.Against},
		{o{"verdict": " FAIL "}, "verdict", failure.Against},
		{o{"result": "fail"}, "result", failure.Against},
		{o{"decision": "reject"}, "decision", failure.Against},
		{o{"grade": "F"}, "grade", failure.Against},
		{o{"is_valid": false}, "is_valid", failure.Against},
		{o{"meets_criteria": false}, "meets_criteria", failure.Against},
		{o{"accept": false}, "accept", failure.Against},
		{o{"safe": false}, "safe", failure.Against},
		{o{"uncertain": true}, "uncertain", failure.Against},

		{o{"passed": true, "success": true, "status": "ok", "verdict": "pass", "grade": "A"}, "", failure.Silent},
		{o{"error": nil, "errors": []any{}, "skipped": false, "failed": 0.0, "uncertain": false}, "", failure.Silent},
		{o{"hallucinated": false, "violation": false, "toxic": false, "result": "a text", "passed": nil}, "", failure.Silent},
		{o{"status": 200.0, "state": "completed"}, "", failure.Silent},
	} {
		if m, got := failure.BesideScore(c.o); got != c.want || m.Key != c.key {
			t.Errorf("%v: %q, %d; want %q, %d", c.o, m.Key, got, c.key, c.want)
		}
	}
}
