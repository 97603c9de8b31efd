package harness

import (
	"bufio"
	"cmp"
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
	return fmt.Errorf("cannot write into the folder %s: %w", dir, bare(err))
}

// WritableFile tries whether WriteWhole can write a file.
func WritableFile(path string) error {
	if Device(path) {
		return nil
	}
	return WritableDir(filepath.Dir(path))
}

// WriteWhole writes beside the target and renames: a file is whole or not there. What is no file, such as /dev/null or
// a pipe, is written into, and stays what it is. The error names the file.
func WriteWhole(path string, write func(io.Writer) error) error {
	if err := writeWhole(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func writeWhole(path string, write func(io.Writer) error) (err error) {
	if Device(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return bare(err)
		}
		return fill(f, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".arena-*")
	if err != nil {
		return bare(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(bare(f.Chmod(0o644)), fill(f, write)); err != nil {
		return err
	}
	return bare(os.Rename(f.Name(), path))
}

// fill writes a file and closes it. A write that failed is the error alone: what writes after it fails only likewise.
func fill(f *os.File, write func(io.Writer) error) error {
	out := &filling{f: f}
	w := bufio.NewWriterSize(out, 1<<16)
	err := errors.Join(write(w), w.Flush())
	closed := f.Close()
	return cmp.Or(out.err, err, bare(closed))
}

// filling is a file with the first error of writing into it.
type filling struct {
	f   *os.File
	err error
}

func (o *filling) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	o.err = cmp.Or(o.err, bare(err))
	return n, err
}

// bare is an error without the file that it names, which may be one that nobody has heard of.
func bare(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err
	}
	return err
}

// Device reports whether a path is there and neither a file nor a folder.
func Device(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
