package runner

import "github.com/arena-evals/arena/internal/result"

// again returns the trial with a finished conversation in which evals could not judge; nil: the trial itself.
func (t Trial) again(left *Finished) Trial {
	if left == nil {
		return t
	}
	past := *left
	past.unjudgedOnly = true
	t.Finished = &past
	t.Endpoint = &Endpoint{Spec: t.Endpoint.Spec, Client: t.Endpoint.Client, Simulated: true} // it is not called
	return t
}

// isUnjudgedOnly reports whether only evals judge the trial again that could not.
func (f *Finished) isUnjudgedOnly() bool { return f != nil && f.unjudgedOnly }

// keepUnjudged makes the result that of the trial as it was left, with what its evals say now that could not judge
// then. It is as it was where the trial was stopped before.
func (s *session) keepUnjudged() {
	was, err := s.trial.Finished.Load()
	if err != nil { // the result reports it
		return
	}
	was.Index = s.trial.Index
	if now := s.out; now.Status != result.Cancelled && now.Error == was.Error {
		takeUnjudged(was.Evals, now.Evals)
	}
	was.Judges = result.JudgesOf(was)
	was.Settle()
	s.out = was
}

// evalPlace is where in a trial an eval gave a result, as the n-th there.
type evalPlace struct {
	id, step string
	turn, n  int
}

// takeUnjudged replaces results without a threshold that could not be given by those of today.
func takeUnjudged(was, now []result.EvalResult) {
	places := func(list []result.EvalResult, visit func(evalPlace, *result.EvalResult)) {
		seen := map[evalPlace]int{}
		for i := range list {
			at := evalPlace{id: list[i].ID, step: list[i].Step, turn: list[i].Turn}
			seen[at]++
			visit(evalPlace{at.id, at.step, at.turn, seen[at]}, &list[i])
		}
	}
	today := map[evalPlace]*result.EvalResult{}
	places(now, func(at evalPlace, e *result.EvalResult) { today[at] = e })
	places(was, func(at evalPlace, e *result.EvalResult) {
		if again := today[at]; again != nil && e.Unjudged() {
			*e = *again
		}
	})
}
