// Package plainfile opens files that are read to their end, and folders that are written into. It never waits for a
// pipe, and never reads a device that has no end.
package plainfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a plain file to read it. Anything else at the path is an error that says what stands there.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check fails where Open would refuse what stands at the path.
func Check(path string) error {
	info, err := os.Stat(path)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Op = "open"
	}
	if err != nil {
		return err
	}
	if what := kind(info.Mode()); what != "" {
		return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, and a plain file is needed", what)}
	}
	return nil
}

// kind is what stands in the place of a plain file; "" is one.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Read reads a plain file.
func Read(path string) ([]byte, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// MakeDir makes a folder and those that it is in, and says so where a link to nothing is in the way.
func MakeDir(dir string) error {
	if err := Dangling(dir); err != nil {
		return fmt.Errorf("%w\nmake that folder, or remove the link", err)
	}
	return os.MkdirAll(dir, 0o755)
}

// Dangling says which part of a path is a link to nothing; of that the system only says that a file exists.
func Dangling(path string) error {
	for path := filepath.Clean(path); ; path = filepath.Dir(path) {
		to, err := os.Readlink(path)
		if _, gone := os.Stat(path); err == nil && errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("%s is a link to %s, which is not there", path, to)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}
