package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 { // made, and there already
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(Lock(f), f.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(filepath.Join(path, "lock")); err == nil || errors.Is(err, ErrNotOurs) {
		t.Errorf("a path that cannot be: %v", err)
	}
}

// TestOpenFollowsNothing: whatever stands at the place of a lock, no other file is made, opened or written.
func TestOpenFollowsNothing(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(other, path string) error{
		"link":          os.Symlink,
		"dangling link": func(_, path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "new"), path) },
		"second name":   os.Link,
		"folder":        func(_, path string) error { return os.Mkdir(path, 0o755) },
		"pipe":          func(_, path string) error { return pipe(path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			other, path := filepath.Join(dir, "other"), filepath.Join(dir, "lock")
			if err := os.WriteFile(other, []byte("precious"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := plant(other, path); err != nil {
				t.Skip(err)
			}
			f, err := Open(path)
			if !errors.Is(err, ErrNotOurs) {
				t.Errorf("%v", err)
			}
			if f != nil {
				t.Error("it was opened")
			}
			if text, err := os.ReadFile(other); string(text) != "precious" || err != nil {
				t.Errorf("the other file: %q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
				t.Error("a file was made where the link pointed")
			}
		})
	}
}
