package arenatest

import (
	"fmt"

	"github.com/arena-evals/arena"
)

// Option changes how Run runs. Any function that changes [arena.Options] is one.
type Option func(*arena.Options)

// Mock answers for every provider from mock replies, without a network.
func Mock() Option { return func(o *arena.Options) { o.Mock = true } }

// Files are files that are not on disk, by their names; see [arena.Options]. Run with the path "" runs them.
func Files(files map[string][]byte) Option { return func(o *arena.Options) { o.Files = files } }

// Record keeps what models, agents, tools and judges say in a folder, and Replay answers from it without calling any of
// them. See [arena.Options].
func Record(dir string) Option { return func(o *arena.Options) { o.Record = dir } }

// Replay is the counterpart of [Record]. A trial that was not recorded fails, and says how to record it.
func Replay(dir string) Option { return func(o *arena.Options) { o.Replay = dir } }

// Provider chooses providers: ids of the files, mock, or type/model for a model that no file configures.
func Provider(names ...string) Option {
	return func(o *arena.Options) { o.Providers = append(o.Providers, names...) }
}

// Scenario chooses scenarios by their ids.
func Scenario(ids ...string) Option {
	return func(o *arena.Options) { o.Scenarios = append(o.Scenarios, ids...) }
}

// Temperature sets the temperature of every model call of an agent.
func Temperature(t float64) Option { return func(o *arena.Options) { o.Temperature = &t } }

// Checks adds the checks of a registry to those of arena.
func Checks(r *arena.Registry) Option { return func(o *arena.Options) { o.Checks = r } }

// Hooks adds hooks around every call of a model.
func Hooks(hooks ...arena.ProviderHook) Option {
	return func(o *arena.Options) { o.Hooks = append(o.Hooks, hooks...) }
}

// Agent tests an agent in Go, instead of the provider with that id, or instead of those that no scenario names.
func Agent(id string, a arena.Agent) Option {
	return func(o *arena.Options) {
		if o.Agents == nil {
			o.Agents = map[string]arena.Agent{}
		}
		o.Agents[id] = a
	}
}

// Judge puts a judge into the place of the model that files call by that name.
func Judge(name string, j arena.Judge) Option {
	return func(o *arena.Options) {
		if o.Judges == nil {
			o.Judges = map[string]arena.Judge{}
		}
		o.Judges[name] = j
	}
}

// Out is a folder for the journal and the reports, which are not written otherwise.
func Out(dir string) Option { return func(o *arena.Options) { o.Out = dir } }

// PassRate has the trials of every scenario show that at least this share of them passes, such as 0.8; see
// [arena.Options].
func PassRate(share float64) Option { return func(o *arena.Options) { o.PassRate = &share } }

// share says how many of a trial's group passed.
func share(tr *arena.Trial, groups []arena.Group) string {
	for _, g := range groups {
		if g.Scenario == tr.Scenario && g.Provider == tr.Provider && g.Region == tr.Region {
			return fmt.Sprintf("%d of %d trials passed", g.Passed, g.Trials)
		}
	}
	return "its group passed"
}
