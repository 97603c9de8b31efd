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

// Target is a file that a command writes. It overwrites a file that arena wrote, and refuses any other.
type Target struct {
	What       string // what is written, for messages: JUnit, events
	Path       string
	Recognizes func(start []byte) bool // reports, by its first bytes, whether arena wrote the file
	ReadsAll   bool                    // Recognizes needs the whole file
}

// The first bytes of the files that arena writes, for all versions.
var (
	htmlStart     = begins(`(?s)^\s*<!doctype html>.*<meta name="generator" content="arena `)
	junitStart    = begins(`^<\?xml [^>]*>\s*<testsuites name="arena"`)
	markdownStart = begins(`(?s)^## .*\n\| \|` +
		`(?: (?:passed|failed|error|skipped|not run|total|[a-z ]*\[redacted\]) \|){6}\n`)
	resultsStart = begins(`^\{\s*"schema_version":\s*\d+,\s*"arena":`)
)

// begins compiles a pattern on first use.
func begins(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// startSize is how many bytes of a file are read to recognize it; mostRead for a Target with ReadsAll.
const (
	startSize = 1 << 16
	mostRead  = 1 << 26
)

// CheckTargets returns an error for each target that is a folder, that holds something that arena did not write, or
// that is the same file as another target or as one in taken (path to its purpose).
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

// isNamedPipe reports whether a path is a named pipe or a socket: writing could wait for a reader forever. Files that
// this process has open already, such as /dev/stdout, are none.
func isNamedPipe(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil || strings.HasPrefix(abs, "/dev/") || strings.HasPrefix(abs, "/proc/") {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// realPath returns the same path for all names of a file, even if it does not exist yet.
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

// check returns an error for a folder, and for a file that arena did not write.
func (t *Target) check() error {
	info, err := os.Stat(t.Path)
	if err != nil { // problems are reported when the file is written
		return nil
	}
	if err := t.folder(); err != nil {
		return err
	}
	ours, err := t.writtenByArena(info)
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

// writtenByArena reports whether a file is empty or was written by arena.
func (t *Target) writtenByArena(info os.FileInfo) (bool, error) {
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return true, nil
	}
	file, err := plainfile.Open(t.Path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	size := int64(startSize)
	if t.ReadsAll {
		size = mostRead
	}
	start, err := io.ReadAll(io.LimitReader(file, size))
	return err == nil && t.Recognizes(start), err
}

// StartsWith returns a function for Target.Recognizes that compares the first bytes.
func StartsWith(text string) func([]byte) bool {
	return func(start []byte) bool { return bytes.HasPrefix(start, []byte(text)) }
}
