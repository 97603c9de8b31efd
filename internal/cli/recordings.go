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

// openRecordings opens the recordings that the arguments name: files, patterns, and folders of results or recordings.
// It prints what is wrong with them, and returns an exit status.
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

// recordingPaths finds the files that an argument names, at least one. skipped are files of a folder that look like
// recordings but have another extension.
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

// recordingsIn finds the recordings of a folder: the results of a run of arena, the files listed in the index of
// another tool, or else every file with the extension of a recording, also in subfolders.
func recordingsIn(dir string) (files, others []string, err error) {
	search := recordingSearch{seen: map[string]bool{}}
	found, err := search.findIn(dir)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the folder %s holds no recording", dir)
		if len(search.skipped) > 0 {
			err = fmt.Errorf("the folder %s holds no recording by the names of its files\nname what is one, such as %s", dir,
				search.skipped[0])
		}
	}
	return found, search.skipped, err
}

// recordingSearch finds recordings in a folder.
type recordingSearch struct {
	seen    map[string]bool // visited folders
	skipped []string        // files that look like recordings but have another extension
}

func (r *recordingSearch) findIn(dir string) ([]string, error) {
	if results := filepath.Join(dir, harness.ResultsName); exists(results) {
		return []string{results}, nil
	}
	if input, err := reportInput(dir); err == nil {
		return []string{input}, nil
	}
	if listed, ok := indexed(dir); ok {
		return listed, nil
	}
	return r.findBelow(dir)
}

// findBelow finds recordings in a folder and its subfolders. It follows links, and visits each folder once.
func (r *recordingSearch) findBelow(dir string) (found []string, err error) {
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
			below, err := r.findIn(path)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case info.Mode().IsRegular() && scenario.MayBeRecording(path):
			found = append(found, path)
		case info.Mode().IsRegular() && holdsData(path):
			r.skipped = append(r.skipped, path)
		}
	}
	return found, nil
}

// holdsData reports whether a file begins like JSON, gzip or zip.
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

// remarkOthers names files in a folder of recordings that are not read.
func (a *App) remarkOthers(dir string, others []string) {
	if len(others) > 0 {
		a.remark("%s not read in %s, because recordings are not named so: %s; name what is to be judged",
			plural.Of(len(others), "file is", "files are"), dir, someIDs(others))
	}
}

// indexed reads the index of another tool: the folder may also hold older results.
func indexed(dir string) (paths []string, ok bool) {
	data, err := plainfile.Read(filepath.Join(dir, "index.json"))
	var index struct {
		Runs []string `json:"run_ids"`
	}
	if err != nil || json.Unmarshal(data, &index) != nil || len(index.Runs) == 0 {
		return nil, false
	}
	for _, id := range index.Runs {
		if id != filepath.Base(id) { // a path is not an id
			return nil, false
		}
		paths = append(paths, filepath.Join(dir, id+".json"))
	}
	return paths, true
}

// eachSession visits the sessions of all files.
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

// remarks prints notes that begin with their own label.
func (a *App) remarks(notes []string) {
	for _, note := range notes {
		a.remark("%s", note)
	}
}

// remark prints a note to stderr.
func (a *App) remark(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Err, "note: %s\n", diag.Safe(fmt.Sprintf(format, args...))) // stderr may be broken
}
