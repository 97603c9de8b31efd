package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/plainfile"
)

// Target is a file that a command writes anew. What a command before wrote there makes way; anything else stays.
type Target struct {
	What  string // is written, in the words of messages: JUnit, events
	Path  string
	Ours  func(start []byte) bool // knows what arena writes there by how it starts
	Whole bool                    // Ours has to see all of it
}

// How the files start that arena writes, whatever its version.
var (
	htmlStart     = begins(`(?s)^\s*<!doctype html>.*<meta name="generator" content="arena `)
	junitStart    = begins(`^<\?xml [^>]*>\s*<testsuites name="arena"`)
	markdownStart = begins(`(?s)^## .*\n\| \|` +
		`(?: (?:passed|failed|error|skipped|not run|total|[a-z ]*\[redacted\]) \|){6}\n`)
	resultsStart = begins(`^\{\s*"schema_version":\s*\d+,\s*"arena":`)
)

// begins compiles a pattern when it is needed.
func begins(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// startSize is how much of a file is looked at to tell what it is, and wholeSize where that may stand anywhere.
const (
	startSize = 1 << 16
	wholeSize = 1 << 26
)

// CheckTargets refuses targets that are folders, that hold what arena did not write there, or that share a file with
// each other or with one of the files that are taken for something else. It tells of all of them.
func CheckTargets(targets []Target, taken map[string]string) error {
	var errs []error
	used := map[string]string{}
	for path, what := range taken {
		used[realPath(path)] = what
	}
	for i := range targets {
		t := &targets[i]
		if Device(t.Path) {
			if isNamedPipe(t.Path) {
				errs = append(errs, fmt.Errorf("cannot write %s to %s: it is a pipe or a socket, where arena would wait for a "+
					"reader\nname a file, or /dev/stdout", t.What, t.Path))
			}
			continue
		}
		at := realPath(t.Path)
		if other := used[at]; other != "" {
			errs = append(errs, fmt.Errorf(
				"cannot write %s to %s: that is the file of %s\nname another file", t.What, t.Path, other))
			continue
		}
		used[at] = t.What
		errs = append(errs, t.check())
	}
	return errors.Join(errs...)
}

// isNamedPipe reports whether a path is a named pipe or socket: writing could wait for a reader forever. What this
// process has open already, such as /dev/stdout, does not count.
func isNamedPipe(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil || strings.HasPrefix(abs, "/dev/") || strings.HasPrefix(abs, "/proc/") {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// realPath is the same for all names of a file, also of one that is not there yet.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if whole, err := filepath.EvalSymlinks(abs); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(dir, filepath.Base(abs))
	}
	return abs
}

// vacant refuses a folder, and a file that holds something else.
func (t *Target) check() error {
	info, err := os.Stat(t.Path)
	if err != nil { // what is wrong is found when it is written
		return nil
	}
	if err := t.folder(); err != nil {
		return err
	}
	ours, err := t.holdsOurs(info)
	if err != nil {
		return fmt.Errorf("cannot write %s to %s: what it holds cannot be read: %w", t.What, t.Path, err)
	}
	if !ours {
		return fmt.Errorf("cannot write %s to %s: it holds something else, which would be lost\n"+
			"name another file, or move that one away", t.What, t.Path)
	}
	return nil
}

func (t *Target) folder() error {
	if info, err := os.Stat(t.Path); err == nil && info.IsDir() {
		return fmt.Errorf("cannot write %s to %s: it is a folder", t.What, t.Path)
	}
	return nil
}

// holdsOurs reports whether a file is empty or holds what arena writes there.
func (t *Target) holdsOurs(info os.FileInfo) (bool, error) {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return true, nil
	}
	file, err := plainfile.Open(t.Path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	size := int64(startSize)
	if t.Whole {
		size = wholeSize
	}
	start, err := io.ReadAll(io.LimitReader(file, size))
	return err == nil && t.Ours(start), err
}

// StartsWith knows files by their first bytes.
func StartsWith(text string) func([]byte) bool {
	return func(start []byte) bool { return bytes.HasPrefix(start, []byte(text)) }
}
