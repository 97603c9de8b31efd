package harness

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/plainfile"
)

// WritableDir creates a folder and checks that files can be written there.
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

// WritableFile checks that WriteAtomic can write a file.
func WritableFile(path string) error {
	if Device(path) {
		return nil
	}
	return WritableDir(filepath.Dir(path))
}

// WriteAtomic writes a file atomically: to a temporary file, which it renames. If path is a link, its target is
// replaced.
// Devices and pipes, such as /dev/null, are written directly. The error names the file.
func WriteAtomic(path string, write func(io.Writer) error) error {
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

// followed resolves the links of a path.
func followed(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	return path // it does not exist yet, or is a broken link
}

// Device reports whether a path exists and is neither a file nor a folder.
func Device(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
