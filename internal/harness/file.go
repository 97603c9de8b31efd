package harness

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/plainfile"
)

// WritableDir makes a folder and tries to write into it.
func WritableDir(dir string) error {
	err := plainfile.MakeDir(dir)
	if err == nil {
		err = plainfile.Probe(dir)
	}
	if err == nil {
		return nil
	}
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		return fmt.Errorf("cannot write into the folder %s: it is a file; name another folder", dir)
	}
	return fmt.Errorf("cannot write into the folder %s: %w", dir, plainfile.WithoutPath(err))
}

// WritableFile tries whether WriteWhole can write a file.
func WritableFile(path string) error {
	if Device(path) {
		return nil
	}
	return WritableDir(filepath.Dir(path))
}

// WriteWhole writes beside the target and renames: a file is whole or not there. A link stays, and what it leads to is
// written. What is no file, such as /dev/null or a pipe, is written into, and stays what it is. The error names the file.
func WriteWhole(path string, write func(io.Writer) error) error {
	var err error
	if Device(path) {
		err = plainfile.Overwrite(path, write)
	} else {
		err = plainfile.Replace(followed(path), 0o644, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// followed is the file that a path leads to.
func followed(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	return path // it is not there yet, or is a link to nothing
}

// Device reports whether a path is there and neither a file nor a folder.
func Device(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
