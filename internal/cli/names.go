package cli

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// A name is written unchanged, even if it contains a secret; see harness.Secrets.KeepNames.

// nameList collects names.
type nameList []harness.Named

func (l *nameList) add(what string, names ...string) {
	for _, name := range names {
		if name != "" {
			*l = append(*l, harness.Named{What: what, Name: name})
		}
	}
}

// addInvented adds names that a model chose. Secrets in them are removed, and nothing is lost by it.
func (l *nameList) addInvented(what string, names ...string) {
	for _, name := range names {
		*l = append(*l, harness.Named{What: what, Name: name, Redactable: true})
	}
}

// learnSecrets collects the secrets of a suite, and finds those that are a part of a name.
func (a *App) learnSecrets(suite *scenario.Suite, d *diag.List) {
	a.secrets.WatchAll(suite)
	a.secrets.CheckSuiteNames(suite, d)
}

// keepNames finds secrets that are a part of a name in a run, or of a file that it reads or writes.
func (f *runFlags) keepNames(app *App, suite *scenario.Suite, plan *runner.Plan, d *diag.List) {
	app.secrets.CheckSuiteNames(suite, d) // the plan brought more secrets
	app.secrets.CheckSpecNames(f.spec(), d)
	if app.secrets.Set() == nil {
		return
	}
	var names nameList
	f.metrics.names(&names)
	names.add("the name of the recording", f.over...)
	names.add("the name of the run", f.judgedRun)
	if plan == nil {
		app.secrets.CheckNames(slices.Values(names), d)
		return
	}
	for t := range plan.Groups() { // the suite has every part of the names of other trials
		switch {
		case t.Recorded != nil:
			names.add("the name of the conversation", t.ID())
		case t.Finished != nil:
			names.add("the name of the trial", t.ID())
		}
	}
	app.secrets.CheckNames(slices.Values(names), d)
}

// keepNamesOfRun finds secrets that are a part of a name in a finished run, or of files that are read or written.
func (a *App) keepNamesOfRun(run *result.Run, files ...string) error {
	if a.secrets.Set() == nil {
		return nil
	}
	d := &diag.List{}
	if then, err := specOf(run); err == nil && then != nil {
		a.secrets.CheckSpecNames(then, d)
	}
	var names nameList
	names.add("the name of the run", files...)
	names.add("the name of the project", run.Name)
	for i := range run.Coverage {
		run.Coverage[i].Map(func(name string) string {
			names.add("a name in the project", name)
			return name
		})
	}
	for i := range run.Declared {
		run.Declared[i].Map(func(name string) string {
			names.add("a name in the project", name)
			return name
		})
	}
	a.secrets.CheckNames(slices.Values(names), d) // a run may have no trials
	for i := range run.Briefs.Len() {
		t, err := run.Trials.Trial(i)
		if err != nil {
			return broken(err)
		}
		names.ofTrial(t)
		a.secrets.CheckNames(slices.Values(names), d)
		names = names[:0]
	}
	return a.reportNames(d)
}

func (l *nameList) ofTrial(t *result.Trial) {
	l.add("the name of the trial", t.ID, t.Scenario, t.Provider, t.Model, t.TaskType, t.Position.File)
	l.add("a tag of the trial", t.Tags...)
	l.add("the name of a variant", slices.Sorted(maps.Values(t.Variant))...)
	for i := range t.Evals {
		l.add("the name of the eval", t.Evals[i].ID)
	}
	for i := range t.Turns {
		for _, call := range t.Turns[i].ToolCalls {
			l.addInvented("the name of the tool", call.Name)
			l.addInvented("an argument of the tool", slices.Sorted(maps.Keys(call.Args))...)
		}
	}
}

// keepNamesOfRecordings finds secrets that are a part of the names of recordings and their conversations.
func (a *App) keepNamesOfRecordings(files []*recording.File) error {
	var names nameList
	for _, file := range files {
		names.add("the name of the recording", file.Path())
		for _, s := range file.Sessions() {
			names.add("the name of the conversation", s.Scenario, s.ID, s.Provider)
		}
	}
	d := &diag.List{}
	a.secrets.CheckNames(slices.Values(names), d)
	return a.reportNames(d)
}

// keepNamesOfSession finds secrets that are a part of a name in a recorded conversation.
func (a *App) keepNamesOfSession(s *recording.Session) error {
	if a.secrets.Set() == nil {
		return nil
	}
	var names nameList
	names.add("a name in the conversation", s.Model, s.TaskType)
	names.add("a tag of the conversation", s.Tags...)
	for i := range s.Evals {
		names.add("the name of the eval", s.Evals[i].ID)
	}
	for i := range s.Messages {
		for _, call := range s.Messages[i].ToolCalls {
			names.add("the name of the tool", call.Name)
			names.add("an argument of the tool", slices.Sorted(maps.Keys(call.Args))...)
		}
	}
	d := &diag.List{}
	a.secrets.CheckNames(slices.Values(names), d)
	return a.reportNames(d)
}

// reportNames prints the problems with names. An error ends the command.
func (a *App) reportNames(d *diag.List) error {
	list := d.Sorted()
	if len(list) == 0 {
		return nil
	}
	a.showDiags(a.Err, list, 1, a.useColor("auto", a.ErrTTY), "nothing was written")
	if d.Errors() > 0 {
		return exit(result.ExitUsage)
	}
	return nil
}
