// Package plainfile opens regular files for reading, replaces files atomically, and makes folders. It never waits for a
// pipe, and never reads a device that has no end.
package plainfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a regular file for reading. Anything else at the path is an error that names it.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check returns the error of Open for anything but a regular file.
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

// kind names anything but a regular file; "": it is one.
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

// MaxRead is the maximum size in bytes of a file that is read at once. Files of arena and of people are far smaller.
const MaxRead = 512 << 20

// Read reads a plain file of at most MaxRead bytes.
func Read(path string) ([]byte, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxRead {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it has %d MiB; the limit is %d MiB",
			info.Size()>>20, MaxRead>>20)}
	}
	data := make([]byte, 0, info.Size()+bytes.MinRead)
	in := bytes.NewBuffer(data)
	_, err = in.ReadFrom(io.LimitReader(f, MaxRead)) // it may grow
	return in.Bytes(), err
}

// MakeDir makes a folder and those that it is in, and says so where a link that leads nowhere is in the way.
func MakeDir(dir string) error {
	switch err := Dangling(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w\nmake that folder, or remove the link", err)
	case err != nil:
		return fmt.Errorf("%w\nremove the link", err)
	}
	return os.MkdirAll(dir, 0o755)
}

// Dangling says which part of a path is a link to nothing, for an fs.ErrNotExist, or a link that cannot be followed,
// such as one in a cycle, for which the system only says that a file exists.
func Dangling(path string) error {
	for path := filepath.Clean(path); ; path = filepath.Dir(path) {
		if to, err := os.Readlink(path); err == nil {
			if err := astray(path, to); err != nil {
				return err
			}
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

// astray says why nothing is found at a link.
func astray(path, to string) error {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return nowhere(fmt.Sprintf("%s is a link to %s, which is not there", path, to))
	}
	return fmt.Errorf("%s is a link to %s, which cannot be followed: %w", path, to, WithoutPath(err))
}

// nowhere is the error of a link to nothing.
type nowhere string

func (e nowhere) Error() string      { return string(e) }
func (nowhere) Is(target error) bool { return target == fs.ErrNotExist }

// ReadIn reads a plain file of at most limit bytes that lies in a folder or below it. The path is relative to the
// folder; it may not lead out of it, neither by "..", nor by a link. Its errors do not name the folder.
func ReadIn(dir, path string, limit int64) (data []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, WithoutPath(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return nil, WithoutPath(err)
	case kind(info.Mode()) != "":
		return nil, fmt.Errorf("it is %s, and a plain file is needed", kind(info.Mode()))
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", info.Size(), limit)
	}
	data, err = root.ReadFile(path)
	return data, WithoutPath(err)
}
