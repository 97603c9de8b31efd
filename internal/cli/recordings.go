package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// openRecordings opens what the words of a command line name: files, patterns, and folders of results or recordings.
// What is wrong with any of them is shown, and is an exit status.
func openRecordings(app *App, words []string) ([]*recording.File, error) {
	var paths []string
	var errs []error
	for _, word := range words {
		found, err := recordingPaths(word)
		paths, errs = append(paths, found...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var problems []diag.Diagnostic
	var files []*recording.File
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			continue
		}
		file, err := recording.Open(path, recording.Options{})
		if bad, ok := errors.AsType[*recording.Error](err); ok {
			problems = append(problems, bad.Problems...)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, note := range file.Notes() {
			app.remark("%s: %s", path, note)
		}
		files = append(files, file)
	}
	if len(problems) > 0 {
		app.showDiags(app.Err, problems, len(paths), app.useColor("auto", app.ErrTTY), "nothing was written")
		return nil, exit(result.ExitUsage)
	}
	return files, app.keepNamesOfRecordings(files)
}

func pathsOf(files []*recording.File) []string {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = file.Path()
	}
	return paths
}

// recordingPaths finds the files that a word means, at least one.
func recordingPaths(word string) ([]string, error) {
	info, err := os.Stat(word)
	switch {
	case err == nil && info.IsDir():
		return recordingsIn(word)
	case err == nil:
		return []string{word}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	found, err := filepath.Glob(word)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", word, err)
	}
	if len(found) == 0 && strings.ContainsAny(word, "*?[") {
		return nil, fmt.Errorf("no recording matches %s", word)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no %s\nname a recording, a results.json or the folder of a run", word)
	}
	return found, nil
}

// recordingsIn finds the files of a folder: of a run of arena its results, in the order of the plan where it ended, of
// another tool's those that its index lists, else whatever may be a recording by its extension, also in folders below.
func recordingsIn(dir string) ([]string, error) {
	found, err := recordingsAt(dir, map[string]bool{})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the folder %s holds no recording", dir)
	}
	return found, err
}

func recordingsAt(dir string, seen map[string]bool) ([]string, error) {
	if results := filepath.Join(dir, harness.ResultsName); exists(results) {
		return []string{results}, nil
	}
	if input, err := reportInput(dir); err == nil {
		return []string{input}, nil
	}
	if listed, ok := indexed(dir); ok {
		return listed, nil
	}
	return recordingsBelow(dir, seen)
}

// recordingsBelow finds what may be a recording in a folder and, as if they were named, in those below it. Links are
// followed, each folder once.
func recordingsBelow(dir string, seen map[string]bool) (found []string, err error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || seen[real] {
		return nil, err
	}
	seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() && !strings.HasPrefix(e.Name(), "."):
			below, err := recordingsAt(path, seen)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case info.Mode().IsRegular() && scenario.MayBeRecording(path):
			found = append(found, path)
		}
	}
	return found, nil
}

// indexed reads which results a folder of another tool lists in its index; there may be older ones beside them.
func indexed(dir string) (paths []string, ok bool) {
	data, err := plainfile.Read(filepath.Join(dir, "index.json"))
	var index struct {
		Runs []string `json:"run_ids"`
	}
	if err != nil || json.Unmarshal(data, &index) != nil || len(index.Runs) == 0 {
		return nil, false
	}
	for _, id := range index.Runs {
		if id != filepath.Base(id) { // an id is no path
			return nil, false
		}
		paths = append(paths, filepath.Join(dir, id+".json"))
	}
	return paths, true
}

// eachSession reads the sessions of files one after the other.
func eachSession(app *App, files []*recording.File, visit func(*recording.Session) error) error {
	for _, file := range files {
		for i := range file.Sessions() {
			s, err := file.Load(i)
			if err != nil {
				return broken(err)
			}
			for _, note := range slices.Concat(s.Notes, s.Doubts) {
				app.remark("%s: session %q: %s", s.File, s.ID, note)
			}
			if err := app.keepNamesOfSession(s); err != nil {
				return err
			}
			if err := visit(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// remarks prints notes that are whole.
func (a *App) remarks(notes []string) {
	for _, note := range notes {
		a.remark("%s", note)
	}
}

// remark prints a line for people that changes nothing.
func (a *App) remark(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, "note: %s\n", diag.Safe(fmt.Sprintf(format, args...))) // a broken stderr takes no complaint
}
