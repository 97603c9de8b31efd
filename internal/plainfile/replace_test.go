package plainfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kept")
	if err := ReplaceSynced(path, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no more")
	err := Replace(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("after a write that failed the file holds %q: %v", text, err)
	}
	if err := Replace(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("the file holds %q: %v", text, err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v: %v", left, err)
	}
}

// TestErrorsNameNoFile: the caller says which file it is, and the temporary one is nobody's.
func TestErrorsNameNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nowhere := filepath.Join(dir, "none", "file")
	write := func(io.Writer) error { return nil }
	for name, err := range map[string]error{
		"replace in no folder":  Replace(nowhere, 0o644, write),
		"replace a folder":      Replace(dir, 0o644, write),
		"overwrite nothing":     Overwrite(nowhere, write),
		"sync into no folder":   ReplaceSynced(nowhere, 0o644, nil),
		"rename what is absent": WithoutPath(os.Rename(nowhere, dir)),
	} {
		if err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Overwrite(nowhere, write); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
}
