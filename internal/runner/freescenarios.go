package runner

import (
	"errors"
	"sync"

	"github.com/arena-evals/arena/internal/scenario"
)

// errFreed is the error of a trial whose scenario was freed too early: a conversation without turns would pass.
var errFreed = errors.New("the scenario was freed before its last trial: this is a bug in arena")

// holding counts the unfinished trials of each scenario, and frees the scenario after its last trial, to save memory in
// large suites. It is safe for concurrent use; a nil holding frees nothing.
type holding struct {
	mu   sync.Mutex
	left map[*scenario.Scenario]int
}

func newHolding(plan *Plan) *holding {
	h := &holding{left: make(map[*scenario.Scenario]int, len(plan.spans))}
	for i := range plan.spans {
		h.left[plan.spans[i].Scenario] += plan.spans[i].count
	}
	return h
}

// over counts a trial that needs its scenario no longer.
func (h *holding) over(t *Trial) {
	if h == nil {
		return
	}
	s := t.shared()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left[s]--; h.left[s] == 0 {
		delete(h.left, s)
		s.Free()
	}
}
