package runner

import "testing"

// TestGenerousTolerance: a tolerance that lets rates far below the pass rate pass was meant as the lowest rate.
func TestGenerousTolerance(t *testing.T) {
	t.Parallel()
	for tolerance, want := range map[float64]bool{0.79: true, 0.6: true, 0.41: true, 0.4: false, 0.1: false, 0: false} {
		_, problems := (&TrialOptions{PassRate: new(0.8), Tolerance: &tolerance}).Alone(0)
		told := false
		for _, p := range problems {
			told = told || p.Key == "tolerance" && p.Warning && p.Code == "looks-like-slip"
		}
		if told != want {
			t.Errorf("tolerance %v: told %v of %v", tolerance, told, problems)
		}
	}
}
