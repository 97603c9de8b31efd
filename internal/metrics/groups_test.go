package metrics_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestGroups: the end of a run says what its gates showed; a run without groups says nothing of them.
func TestGroups(t *testing.T) {
	t.Parallel()
	write := func(build func() *metrics.Metrics) string {
		var b bytes.Buffer
		if err := build().Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	of := func(gated bool) func() *metrics.Metrics {
		return func() *metrics.Metrics {
			m, err := metrics.New(metrics.Options{Namespace: "arena"})
			if err != nil {
				t.Fatal(err)
			}
			run := resulttest.AllPassed()
			if gated {
				run = resulttest.Gated()
			}
			m.Start(run)
			m.Finish(run)
			return m
		}
	}
	got := write(of(true))
	for _, line := range []string{
		`arena_groups{status="undecided"} 2`, `arena_groups{status="passed"} 4`, `arena_groups{status="error"} 1`,
		`arena_undecided_allowed_groups 1`,
		`arena_gate_verdict{gate="refund-outside-window/gpt-4o-mini/default",verdict="failed"} 1`,
		`arena_gate_verdict{gate="order-status/claude-haiku/default",verdict="undecided"} 1`,
		`arena_gate_trials{gate="address-change/gpt-4o-mini/default",outcome="broken"} 1`,
		`arena_gate_rate_high{gate="refund-happy-path/gpt-4o-mini/default"} 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("the metrics lack %s:\n%s", line, got)
		}
	}
	if strings.Contains(got, `gate="opening-hours`) {
		t.Error("a count has the metrics of a gate")
	}
	if none := write(of(false)); strings.Contains(none, "arena_groups{") || strings.Contains(none, "arena_gate_verdict{") {
		t.Errorf("a run without groups tells of them:\n%s", none)
	}
}
