package harness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/plainfile"
)

// WritableDir makes a folder and tries to write into it.
func WritableDir(dir string) error {
	err := plainfile.MakeDir(dir)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".arena-*"); err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // its path may be that of the file that was tried
	}
	return fmt.Errorf("cannot write into the folder %s: %w", dir, err)
}

// WritableFile tries whether WriteWhole can write a file.
func WritableFile(path string) error {
	if Device(path) {
		return nil
	}
	return WritableDir(filepath.Dir(path))
}

// WriteWhole writes beside the target and renames: a file is whole or not there. What is no file, such as /dev/null or
// a pipe, is written into, and stays what it is.
func WriteWhole(path string, write func(io.Writer) error) (err error) {
	if Device(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return fill(f, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".arena-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(f.Chmod(0o644), fill(f, write)); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// fill writes a file and closes it.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// Device reports whether a path is there and neither a file nor a folder.
func Device(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
