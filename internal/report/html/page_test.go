package html

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

func TestHeadline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		planned int
		summary result.Summary
		want    string
	}{
		{"nothing", 0, result.Summary{}, "no trials"},
		{"one", 1, result.Summary{Counts: result.Counts{Trials: 1, Passed: 1}}, "the trial passed"},
		{"all", 1200, result.Summary{Counts: result.Counts{Trials: 1200, Passed: 1200}}, "all 1,200 trials passed"},
		{"skips", 3, result.Summary{Counts: result.Counts{Trials: 3, Passed: 2, Skipped: 1}}, "2 passed, 1 skipped"},
		{"only skips", 2, result.Summary{Counts: result.Counts{Trials: 2, Skipped: 2}}, "all 2 trials skipped"},
		{"failed", 5, result.Summary{Counts: result.Counts{Trials: 5, Passed: 3, Failed: 1, Errors: 1}}, "1 failed, 1 error of 5 trials"},
		{"tolerated", 5, result.Summary{Counts: result.Counts{Trials: 5, Passed: 3, Failed: 2}, Tolerated: 2}, "2 tolerated of 5 trials"},
		{"stopped", 9, result.Summary{Counts: result.Counts{Trials: 2, Passed: 1, Cancelled: 1}}, "1 cancelled, 7 not run of 9 trials"},
		{"never began", 4, result.Summary{}, "4 not run of 4 trials"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			briefs := result.BriefsOf(slices.Repeat([]result.Brief{result.BriefOf(result.BriefShared{})}, c.summary.Trials)...)
			p := page{Run: &result.Run{Planned: c.planned, Summary: c.summary, Briefs: briefs}}
			if got := p.headline(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
