package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxStdin is how much of a recording may come in by stdin.
const maxStdin = 8 << 30

// keepStdin writes what comes in to a file, because recordings are read more than once. remove takes it away.
func (f *evalFlags) keepStdin(app *App) (remove func(), err error) {
	if app.In == nil {
		return nil, errors.New("- is the recording that comes in by stdin, and nothing does")
	}
	dir, err := os.MkdirTemp("", "arena-stdin-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // nobody can do more
	f.stdin = filepath.Join(dir, "stdin")
	if err := copyLimited(f.stdin, app.In); err != nil {
		remove()
		return nil, fmt.Errorf("read the recording from stdin: %w", err)
	}
	return remove, nil
}

func copyLimited(path string, in io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(in, maxStdin+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if n > maxStdin {
		return fmt.Errorf("it has more than %d GiB, the limit; name a file", maxStdin>>30)
	}
	return nil
}
