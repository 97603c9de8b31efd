package plainfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Whereabouts is where an open file is.
type Whereabouts int

// Whereabouts of a file.
const (
	InPlace  Whereabouts = iota // at its path
	Gone                        // nothing is at its path
	Replaced                    // another file is at its path
)

// Find says whether an open file still is at its path, or was removed or moved while it was written.
func Find(f *os.File, path string) (Whereabouts, error) {
	own, err := f.Stat()
	if err != nil {
		return InPlace, err
	}
	there, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone, nil
	case err == nil && os.SameFile(own, there):
		return InPlace, nil
	}
	return Replaced, nil
}

// Again writes to a path what an open file holds, which must be readable.
func Again(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	const perm = 0o644
	return Replace(path, perm, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, info.Size()))
		return err
	})
}
