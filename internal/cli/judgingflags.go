package cli

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
)

// judgingFlags say who judges, and which evals are run.
type judgingFlags struct {
	judge     string
	judgeGate bool
	filter    evals.Filter
}

func (f *judgingFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.judge, "judge", "", "the judge of checks that name none: a `judge`, a provider, or type/model\n"+
		"(default: the config's first judge)")
	fl.BoolVar(&f.judgeGate, "judge-gate", false, "ask no judge once a check without one has failed in the trial\n"+
		"(default: as the files say)")
	fl.StringSliceVar(&f.filter.Groups, "eval-groups", nil, "only evals in one of these groups, a `list` such as\n"+
		"fast-running,safety")
	fl.StringSliceVar(&f.filter.Types, "eval-types", nil, "only evals by one of these checks, a `list` such as\n"+
		"contains,llm_judge")
	fl.BoolVar(&f.filter.Skip, "skip-evals", false, "run no evals")
}

func (f *judgingFlags) validate(g givenFlags) error {
	f.judge = strings.TrimSpace(f.judge)
	return errors.Join(
		g.empties(map[string][]string{"eval-groups": f.filter.Groups, "eval-types": f.filter.Types}),
		g.notEmpty("judge", "name who is to judge", f.judge),
	)
}

func (f *judgingFlags) toSpec(g givenFlags, s *result.Spec) {
	s.Judge, s.JudgeGate = f.judge, pointerTo(g, "judge-gate", f.judgeGate)
	s.EvalGroups, s.EvalTypes, s.SkipEvals = f.filter.Groups, f.filter.Types, f.filter.Skip
}

func (f *judgingFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "judge", &f.judge, then.Judge)
	recallPointer(g, "judge-gate", &f.judgeGate, then.JudgeGate)
	f.recallFilter(g, then)
}

// recallFilter recalls which evals are run, where nothing is said about them now.
func (f *judgingFlags) recallFilter(g givenFlags, then *result.Spec) {
	if f.filter.Skip && g.has("skip-evals") {
		return
	}
	recallList(g, "eval-groups", &f.filter.Groups, then.EvalGroups)
	recallList(g, "eval-types", &f.filter.Types, then.EvalTypes)
	if !g.typed("eval-groups") && !g.typed("eval-types") {
		recallValue(g, "skip-evals", &f.filter.Skip, then.SkipEvals)
	}
}
