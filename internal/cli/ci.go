package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/github"
	"github.com/arena-evals/arena/internal/report/markdown"
	"github.com/arena-evals/arena/internal/report/screen"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// checkouts lists, for each CI system, a variable that says that arena runs there, and one with the folder of the
// checkout. Paths in reports are relative to that folder.
var checkouts = []struct{ running, folder string }{
	{"GITHUB_ACTIONS", "GITHUB_WORKSPACE"},
	{"GITLAB_CI", "CI_PROJECT_DIR"},
	{"TF_BUILD", "BUILD_SOURCESDIRECTORY"},
	{"BUILDKITE", "BUILDKITE_BUILD_CHECKOUT_PATH"},
	{"BITBUCKET_BUILD_NUMBER", "BITBUCKET_CLONE_DIR"},
	{"CIRCLECI", "CIRCLE_WORKING_DIRECTORY"},
	{"JENKINS_URL", "WORKSPACE"},
}

// inCheckout returns a function that makes paths relative to the checkout of the CI system, for files within it. nil:
// no CI system.
func (a *App) inCheckout() func(file string) string {
	for _, system := range checkouts {
		running, _ := a.Getenv(system.running)
		folder, _ := a.Getenv(system.folder)
		if running == "" || running == "false" || !filepath.IsAbs(folder) {
			continue
		}
		here, err := os.Getwd()
		if err != nil {
			return nil
		}
		root := resolved(folder)
		from, err := filepath.Rel(root, resolved(here))
		if err != nil || from == "." {
			return nil
		}
		return func(file string) string {
			at := filepath.Join(root, from, file)
			if filepath.IsAbs(file) {
				at = resolved(file)
			}
			rel, err := filepath.Rel(root, at)
			if err != nil || file == "" || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return file
			}
			return filepath.ToSlash(rel)
		}
	}
	return nil
}

// resolved resolves the links of a path, if it can.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func (a *App) onGitHub() bool {
	v, _ := a.Getenv("GITHUB_ACTIONS")
	return v == "true"
}

// annotate writes GitHub's annotations and the summary of the step, if the run is part of a workflow.
func (a *App) annotate(out io.Writer, run *result.Run, rerun func(...*result.Brief) string) error {
	if !a.onGitHub() {
		return nil
	}
	return errors.Join(github.Write(screen.Workflow(out), run, a.inCheckout()), a.summarise(run, rerun))
}

// annotateFiles writes GitHub's annotations of mistakes in files.
func (a *App) annotateFiles(out io.Writer, list []diag.Diagnostic) error {
	if !a.onGitHub() {
		return nil
	}
	return github.WriteMistakes(screen.Workflow(out), list, a.inCheckout())
}

// summarise appends the Markdown report to the summary of the step.
func (a *App) summarise(run *result.Run, rerun func(...*result.Brief) string) error {
	name, _ := a.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	if err := plainfile.Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the summary of the step: %w", err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the summary of the step: %w", err)
	}
	clean := a.secrets.Document(f, secret.Plain)
	err = markdown.Write(clean, run, markdown.Options{Rerun: rerun})
	if err := errors.Join(err, clean.Close(), f.Close()); err != nil {
		return fmt.Errorf("the summary of the step: %w", err)
	}
	return nil
}
