package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/result"
)

// workingDirFrom is the working directory, relative to a results folder; "": there is no relative path.
func workingDirFrom(dir string) string {
	here, errHere := os.Getwd()
	from, errFrom := filepath.Abs(dir)
	if errHere != nil || errFrom != nil {
		return ""
	}
	home, err := filepath.Rel(from, here)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(home)
}

// defaultFiles are the files of a run that names none.
var defaultFiles = []string{"config.arena.yaml", "scenarios"}

// refuseOtherProject refuses to use the files of the working directory for a run of another directory: a copied project
// has the same names and other checks. dir is the results folder. If the directory of the run does not exist any more,
// as in CI when results are handed on, the working directory is used. The error says how to name the files.
func (f *runFlags) refuseOtherProject(then *result.Spec, dir, do, command string) error {
	if then == nil || then.Home == "" {
		return nil
	}
	home := filepath.Join(dir, filepath.FromSlash(then.Home))
	if sameFile(home, ".") {
		return nil
	}
	files := slices.Clone(then.Paths)
	if then.Config != "" {
		files = append(files, then.Config)
	}
	if len(files) == 0 {
		files = defaultFiles
	}
	there := slices.IndexFunc(files, func(file string) bool {
		return !filepath.IsAbs(file) && exists(filepath.Join(home, file))
	})
	if there < 0 {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	return fmt.Errorf("the run in %s was made in %s, with %s there, and the working directory is %s\n"+
		"work in %s, or name the files to %s: %s %s", dir, home, files[there], here, home, do, command,
		shellQuote(files[there]))
}

// knownSpec is the spec of the run: from results.json, or from the journal beside it.
func (f *rejudgeFlags) knownSpec(then *result.Spec) *result.Spec {
	if then == nil || then.Home == "" {
		if owner := harness.OwnerOf(filepath.Dir(f.source)); owner.Spec != nil {
			return owner.Spec
		}
	}
	return then
}

// inWorkingDir reports whether a path is in the working directory.
func inWorkingDir(path string) bool {
	if filepath.IsLocal(path) {
		return true
	}
	here, errHere := os.Getwd()
	full, errFull := filepath.Abs(path)
	if errors.Join(errHere, errFull) != nil {
		return false
	}
	within := func(dir string) bool {
		rel, err := filepath.Rel(dir, full)
		return err == nil && filepath.IsLocal(rel)
	}
	linked, err := filepath.EvalSymlinks(here)
	return within(here) || err == nil && within(linked)
}
