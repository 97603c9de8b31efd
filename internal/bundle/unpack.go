package bundle

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Unpack writes the files of a bundle into an empty folder. sum is the SHA-256 of the bundle. It returns an error for
// what Pack does not write: another sum, paths outside of the folder, a file twice, and more bytes or files than
// allowed. After an error the folder may hold some of the files.
func Unpack(r io.Reader, sum, dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	hash := sha256.New()
	packed := io.TeeReader(r, hash)
	zip, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("the bundle cannot be read: %w", err)
	}
	if err := unpackAll(bufio.NewReaderSize(zip, maxHeader), root); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(packed, MaxBytes)); err != nil { // the sum covers the rest, too
		return fmt.Errorf("the bundle cannot be read: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return fmt.Errorf("the bundle has the SHA-256 %s, and %s was announced", got, sum)
	}
	return nil
}

func unpackAll(in *bufio.Reader, root *os.Root) error {
	for total, files := int64(0), 1; ; files++ {
		line, err := in.ReadSlice('\n') // at most as long as the buffer
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the bundle cannot be read: %w", err)
		}
		var h header
		if err := json.Unmarshal(line, &h); err != nil {
			return fmt.Errorf("the bundle cannot be read: %w", err)
		}
		total += max(h.Size, 0)
		switch {
		case h.Size < 0:
			return fmt.Errorf("the bundle has a file %q with %d bytes", short(h.Path), h.Size)
		case !filepath.IsLocal(filepath.FromSlash(h.Path)) || path.Clean(h.Path) != h.Path || len(h.Path) > maxPath:
			return fmt.Errorf("the bundle has a file at %q, which is no path within it", short(h.Path))
		case files > MaxFiles:
			return fmt.Errorf("the bundle has more than %d files", MaxFiles)
		case total > MaxBytes || h.Size > MaxBytes:
			return fmt.Errorf("the bundle has more than %s of files", MiB(MaxBytes))
		}
		if err := unpackFile(in, root, &h); err != nil {
			return err
		}
	}
}

func unpackFile(in io.Reader, root *os.Root, h *header) (err error) {
	name := filepath.FromSlash(h.Path)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if h.Program {
		mode = 0o700
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if n, err := io.CopyN(f, in, h.Size); err != nil {
		return fmt.Errorf("the bundle cannot be read: the file %q ends after %d of %d bytes: %w", short(h.Path), n, h.Size,
			err)
	}
	return nil
}

// short is an untrusted path, cut for an error message.
func short(name string) string {
	const limit = 100
	if len(name) > limit {
		return name[:limit] + "…"
	}
	return name
}
