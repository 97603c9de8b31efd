package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
)

// separateOutputs keeps rejudge and eval from overwriting the results of arena run: settings and files about outputs
// are meant for run. Unless the command line names a folder, the command writes beside that of run.
func (f *runFlags) separateOutputs(c *harness.Choice) {
	if !f.given.typed("out") {
		home := f.judgedRun
		if home == "" {
			home = cmp.Or(c.Dir, harness.DefaultOut)
		}
		if c.Dir = filepath.Clean(home) + f.folderSuffix; filepath.Clean(home) == "." {
			c.Dir = f.folderSuffix[1:]
		}
	}
	for flag, file := range map[string]*string{
		"junit-file": &c.JUnit, "html-file": &c.HTML, "markdown-file": &c.Markdown, "events": &f.events,
		"metrics-file": &f.metrics.File,
	} {
		if *file == "" || f.given.typed(flag) || *file == stdoutName || harness.Device(*file) {
			continue
		}
		*file = filepath.Join(c.Dir, filepath.Base(*file))
	}
}

// refuseOtherCommand refuses a folder with results of another command, unless the command line names it.
func (f *runFlags) refuseOtherCommand(out *harness.Outputs) error {
	owner := harness.OwnerOf(out.Dir)
	if f.given.typed("out") || f.resumes() || owner.Command == "" || owner.Command == f.words[1] {
		return nil
	}
	return fmt.Errorf("%s holds the results of arena %s, which arena %s would replace\n"+
		"name another folder with -o; to replace them, name this one: -o %s",
		out.Dir, shellQuote(owner.Command), f.words[1], shellQuote(out.Dir))
}

// refuseOtherRun refuses to write the reports of a run beside the journal of another one, or, unless the command line
// names the folder, over other reports.
func (f *reportFlags) refuseOtherRun(run *result.Run, dir, input string) error {
	owner := harness.OwnerOf(dir)
	if owner.File == "" || sameFile(owner.File, input) || sameFile(filepath.Join(dir, harness.ResultsName), input) {
		return nil
	}
	if filepath.Base(owner.File) == harness.ResultsName && (f.out != "" || owner.Started.Equal(run.Started)) {
		return nil
	}
	return fmt.Errorf("%s holds another run than %s, whose reports would be replaced: %s\nname another folder with -o",
		dir, input, owner.File)
}

// noteJournalFolder notes in the folder of reports where the journal of their run is. The run was read from input.
func noteJournalFolder(out *harness.Outputs, input string) error {
	journal := input
	if filepath.Base(input) == harness.ResultsName {
		if journal = harness.OwnerOf(filepath.Dir(input)).Journal; journal == "" {
			journal = filepath.Join(filepath.Dir(input), harness.JournalName)
		}
	}
	if !exists(journal) || sameFile(out.Dir, filepath.Dir(journal)) {
		return nil
	}
	return out.PointTo(journal)
}

// reportsAlone says where to resume the run of a folder that has reports and no journal.
func (f *runFlags) reportsAlone(path string) error {
	dir := path
	if filepath.Base(path) == harness.ResultsName {
		dir = filepath.Dir(path)
	}
	owner := harness.OwnerOf(dir)
	if filepath.Base(owner.File) != harness.ResultsName || owner.Started.IsZero() ||
		harness.HoldsJournal(dir) {
		return nil // reported when the journal is needed
	}
	where := "name the folder where that run left it"
	if owner.Journal != "" {
		where = "resume the run where it left it: arena run " + f.resumeFlag() + " " + shellQuote(filepath.Dir(owner.Journal))
	}
	return fmt.Errorf("%s: %s holds the reports of a run, without the journal to go on with\n%s",
		f.resumeFlag(), dir, where)
}
