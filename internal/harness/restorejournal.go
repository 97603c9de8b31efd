package harness

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/arena-evals/arena/internal/plainfile"
)

// RestoreJournal completes the journal that LastJournal opens with trials that could not be written to it: then a
// longer copy is in the working directory, or in the folder for temporary files. It returns the path of that copy,
// which is removed; "": none.
func (o *Outputs) RestoreJournal() (from string, err error) {
	home, err := o.LastJournal()
	if err != nil {
		return "", nil // reported when the journal is needed
	}
	defer func() { err = errors.Join(err, home.Close()) }()
	for _, place := range fallbackFolders() {
		copies, _ := filepath.Glob(filepath.Join(place, fallbackPattern)) // none in a folder whose name is a pattern
		for _, path := range copies {
			switch size, err := isLonger(path, home); {
			case err != nil:
				return "", fmt.Errorf("read %s: %w", path, plainfile.WithoutPath(err))
			case size > 0:
				return path, appendRest(home, path, size)
			}
		}
	}
	return "", nil
}

// isLonger returns the size of a file that starts with the whole of another and continues; 0: it does not. Files of
// other users do not count: anybody can create one in a folder for temporary files.
func isLonger(path string, home *os.File) (size int64, err error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		return 0, nil
	}
	own, err := home.Stat()
	if err != nil || info.Size() <= own.Size() || own.Size() == 0 {
		return 0, err
	}
	f, err := plainfile.Open(path)
	if errors.Is(err, os.ErrPermission) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // read only
	same, err := sameBytes(io.LimitReader(f, own.Size()), io.NewSectionReader(home, 0, own.Size()))
	if err != nil || !same {
		return 0, err
	}
	return info.Size(), nil
}

// sameBytes reports whether two readers of equal length have the same content.
func sameBytes(a, b io.Reader) (bool, error) {
	const at = 1 << 16
	one, other := bufio.NewReaderSize(a, at), bufio.NewReaderSize(b, at)
	for {
		x, errX := one.Peek(at)
		y, errY := other.Peek(at)
		if !bytes.Equal(x, y) {
			return false, nil
		}
		if len(x) < at {
			return errors.Is(errX, io.EOF) && errors.Is(errY, io.EOF), nil
		}
		_, _ = one.Discard(len(x)) // they are in the buffers
		_, _ = other.Discard(len(y))
	}
}

// appendRest appends what a copy has in addition.
func appendRest(home *os.File, path string, size int64) error {
	f, err := plainfile.Open(path)
	if err != nil {
		return err
	}
	own, err := home.Stat()
	if err == nil {
		err = copyOver(home, f, own.Size(), size)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		if own != nil {
			_ = home.Truncate(own.Size()) // the copy has it
		}
		return fmt.Errorf("%s has trials of this run that %s lacks, and they cannot be written there: %w", path, home.Name(),
			plainfile.WithoutPath(err))
	}
	return os.Remove(path)
}
