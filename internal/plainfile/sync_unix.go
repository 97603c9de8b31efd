//go:build unix

package plainfile

import (
	"errors"
	"os"
)

// syncFolder writes the names in a folder to disk.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
