package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/arena-evals/arena/internal/harness"
)

// newFile is a file to write.
type newFile struct{ path, text string }

// printFiles shows what would be written; a path goes before each of several.
func printFiles(w io.Writer, files []newFile) error {
	for i, file := range files {
		if file.path != "" {
			if i > 0 {
				file.path = "\n# " + file.path
			} else {
				file.path = "# " + file.path
			}
			if _, err := fmt.Fprintln(w, file.path); err != nil {
				return broken(err)
			}
		}
		if _, err := io.WriteString(w, file.text); err != nil {
			return broken(err)
		}
	}
	return nil
}

// writeNew writes files that must not be there yet, unless force; nothing is written when one of them is. What the
// command has read is not overwritten even so.
func writeNew(files []newFile, force bool, read []string) error {
	for _, file := range files {
		if slices.ContainsFunc(read, func(path string) bool { return sameFile(path, file.path) }) {
			return fmt.Errorf("%s would be overwritten, which this command reads\nwrite to another place with -o", file.path)
		}
		switch info, err := os.Lstat(file.path); {
		case err != nil:
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is there and is not a regular file", file.path)
		case !force:
			return fmt.Errorf("%s is there already\n--force overwrites it", file.path)
		}
	}
	for _, file := range files {
		if err := harness.MakeDir(filepath.Dir(file.path)); err != nil {
			return broken(err)
		}
		err := harness.WriteWhole(file.path, func(w io.Writer) error {
			_, err := io.WriteString(w, file.text)
			return err
		})
		if err != nil {
			return broken(fmt.Errorf("write %s: %w", file.path, err))
		}
	}
	return nil
}
