package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// selectionFlags choose among the trials of the files.
type selectionFlags struct {
	scenarios, providers, regions, tags, evalIDs, rows []string

	sample int
}

func (f *selectionFlags) register(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.scenarios, "scenario", nil, "only this scenario: an `id`, or a pattern such as refund-* or "+
		"re:^refund;\n!id leaves it out; repeat the flag or use commas")
	fl.StringSliceVar(&f.providers, "provider", nil, "only this provider: a configured `id`, mock, or type/model\n"+
		"such as openai/gpt-4o-mini, ollama/llama3.2")
	fl.StringSliceVar(&f.regions, "region", nil, "run once for each region `name`, which templates see as {{region}}")
	fl.StringSliceVar(&f.tags, "tag", nil, "only scenarios with this `tag`, or, behind a !, without it; also patterns")
	fl.StringSliceVar(&f.rows, "rows", nil, "only these rows of datasets: an `id`, a number, or a range such as 1-20")
	fl.IntVar(&f.sample, "sample", 0, "only `n` rows of each dataset, drawn by --seed: the same ones everywhere")
	fl.StringSliceVar(&f.evalIDs, "eval", nil, "only the recording eval with this `id`")
}

func (f *selectionFlags) validate(g givenFlags) error {
	return errors.Join(g.empties(map[string][]string{
		"scenario": f.scenarios, "provider": f.providers, "region": f.regions, "tag": f.tags, "eval": f.evalIDs,
		"rows": f.rows,
	}), g.atLeast(1, "sample", f.sample))
}

func (f *selectionFlags) toSpec(s *result.Spec) {
	s.Scenarios, s.Providers, s.Regions, s.Tags, s.Evals = f.scenarios, f.providers, f.regions, f.tags, f.evalIDs
	s.Rows, s.Sample = f.rows, f.sample
}

func (f *selectionFlags) recall(g givenFlags, then *result.Spec) {
	recallList(g, "scenario", &f.scenarios, then.Scenarios)
	recallList(g, "provider", &f.providers, then.Providers)
	recallList(g, "region", &f.regions, then.Regions)
	recallList(g, "tag", &f.tags, then.Tags)
	recallList(g, "eval", &f.evalIDs, then.Evals)
	recallList(g, "rows", &f.rows, then.Rows)
	recallValue(g, "sample", &f.sample, then.Sample)
}

// selection is what the planner gets.
func (f *selectionFlags) selection() runner.Selection {
	return runner.Selection{
		Scenarios: f.scenarios, Evals: f.evalIDs, Providers: f.providers, Regions: f.regions, Tags: f.tags,
		Rows: f.rows, Sample: f.sample,
	}
}

// narrowing are the flags that leave out trials, those of an earlier run aside.
func (f *selectionFlags) narrowing(g givenFlags) (flags []string) {
	for _, flag := range []string{"scenario", "provider", "region", "tag", "eval", "rows", "sample", "shard", "trials"} {
		if g.has(flag) && g[flag] != byEarlierRun {
			flags = append(flags, "--"+flag)
		}
	}
	return flags
}
