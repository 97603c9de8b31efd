package plainfile

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file beside the path and renames it, so that the old file is replaced completely or not at all.
// Errors of the system do not name a file. Temporary files of killed processes are removed from the folder.
func Replace(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return replace(path, perm, false, write)
}

// ReplaceSynced is Replace for what cannot be made again: once it returns nil, the new file survives a crash of the
// machine.
func ReplaceSynced(path string, perm fs.FileMode, data []byte) error {
	return replace(path, perm, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func replace(path string, perm fs.FileMode, synced bool, write func(io.Writer) error) (err error) {
	f, err := temp(filepath.Dir(path))
	if err != nil {
		return WithoutPath(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = errors.Join(WithoutPath(f.Chmod(perm)), fill(f, write))
	if err == nil && synced {
		err = WithoutPath(f.Sync())
	}
	if err = cmp.Or(err, WithoutPath(f.Close())); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil || !synced {
		return WithoutPath(err)
	}
	return WithoutPath(syncFolder(filepath.Dir(path)))
}

// Overwrite writes to an existing device or pipe.
func Overwrite(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return WithoutPath(err)
	}
	return cmp.Or(fill(f, write), WithoutPath(f.Close()))
}

// fill writes a file. A write that failed is the error alone: what writes after it fails only likewise.
func fill(f *os.File, write func(io.Writer) error) error {
	out := &filling{f: f}
	w := bufio.NewWriterSize(out, 1<<16)
	err := errors.Join(write(w), w.Flush())
	return cmp.Or(out.err, err)
}

// filling is a file with the first error of writing into it.
type filling struct {
	f   *os.File
	err error
}

func (o *filling) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	o.err = cmp.Or(o.err, WithoutPath(err))
	return n, err
}

// WithoutPath is an error of the system without the file that it names: the message names it already, or nobody has
// heard of it.
func WithoutPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err
	}
	return err
}
