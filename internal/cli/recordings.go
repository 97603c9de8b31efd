package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
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
		found, others, err := recordingPaths(word)
		paths, errs = append(paths, found...), append(errs, err)
		app.remarkOthers(word, others)
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

// recordingPaths finds the files that a word means, at least one. others are files of a folder that hold what
// recordings do, and are none by their names.
func recordingPaths(word string) (files, others []string, err error) {
	info, err := os.Stat(word)
	switch {
	case err == nil && info.IsDir():
		return recordingsIn(word)
	case err == nil:
		return []string{word}, nil, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	found, err := filepath.Glob(word)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", word, err)
	}
	if len(found) == 0 && strings.ContainsAny(word, "*?[") {
		return nil, nil, fmt.Errorf("no recording matches %s", word)
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("there is no %s\nname a recording, a results.json or the folder of a run", word)
	}
	return found, nil, nil
}

// recordingsIn finds the files of a folder: of a run of arena its results, in the order of the plan where it ended, of
// another tool's those that its index lists, else whatever may be a recording by its extension, also in folders below.
func recordingsIn(dir string) (files, others []string, err error) {
	search := recordingSearch{seen: map[string]bool{}}
	found, err := search.at(dir)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the folder %s holds no recording", dir)
		if len(search.others) > 0 {
			err = fmt.Errorf("the folder %s holds no recording by the names of its files\nname what is one, such as %s", dir,
				search.others[0])
		}
	}
	return found, search.others, err
}

// recordingSearch finds recordings in a folder.
type recordingSearch struct {
	seen   map[string]bool // folders
	others []string        // files that hold what recordings do, and are none by their names
}

func (r *recordingSearch) at(dir string) ([]string, error) {
	if results := filepath.Join(dir, harness.ResultsName); exists(results) {
		return []string{results}, nil
	}
	if input, err := reportInput(dir); err == nil {
		return []string{input}, nil
	}
	if listed, ok := indexed(dir); ok {
		return listed, nil
	}
	return r.below(dir)
}

// below finds what may be a recording in a folder and, as if they were named, in those below it. Links are followed,
// each folder once.
func (r *recordingSearch) below(dir string) (found []string, err error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || r.seen[real] {
		return nil, err
	}
	r.seen[real] = true
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
			below, err := r.at(path)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case info.Mode().IsRegular() && scenario.MayBeRecording(path):
			found = append(found, path)
		case info.Mode().IsRegular() && holdsData(path):
			r.others = append(r.others, path)
		}
	}
	return found, nil
}

// holdsData reports whether a file begins as JSON does, or as what is packed with gzip or zip.
func holdsData(path string) bool {
	f, err := plainfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // read only
	start := make([]byte, 64)
	n, _ := io.ReadFull(f, start)
	start = bytes.TrimLeft(bytes.TrimPrefix(start[:n], []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("[")) ||
		bytes.HasPrefix(start, []byte("\x1f\x8b")) || bytes.HasPrefix(start, []byte("PK\x03\x04"))
}

// remarkOthers tells of files in a folder of recordings that are not read.
func (a *App) remarkOthers(dir string, others []string) {
	if len(others) > 0 {
		a.remark("%s not read in %s, because recordings are not named so: %s; name what is to be judged",
			plural.Of(len(others), "file is", "files are"), dir, someIDs(others))
	}
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
