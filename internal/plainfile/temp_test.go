package plainfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/filelock"
)

// TestSweep has files of killed processes in a folder, and others that look like them.
func TestSweep(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(dir string) error{
		"replace": func(dir string) error { return ReplaceSynced(filepath.Join(dir, "new"), 0o600, nil) },
		"probe":   Probe,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			held := left(t, dir, true)
			if err := write(dir); err != nil {
				t.Fatal(err)
			}
			want := []string{".arena-tmp-2", ".arena-tmp-3", ".arena-tmp-4", ".arena-tmp-notes", "arena-tmp-5"}
			if got := namesIn(t, dir); !slices.Equal(got, want) {
				t.Errorf("the folder holds %q, want %q", got, want)
			}
			left(t, dir, false)
			if err := write(dir); err != nil {
				t.Fatal(err)
			}
			if got := namesIn(t, dir); !slices.Contains(got, ".arena-tmp-1") {
				t.Errorf("a folder is swept once in a process; it holds %q", got)
			}
			Sweep(dir)
			want = []string{".arena-tmp-2", ".arena-tmp-4", ".arena-tmp-notes", "arena-tmp-5"}
			if got := namesIn(t, dir); !slices.Equal(got, want) {
				t.Errorf("a folder that is held holds %q, want %q", got, want)
			}
			if err := held.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	Sweep(filepath.Join(t.TempDir(), "not there"))
}

// left makes files: 1 was left long ago, 2 is held, 3 is young, 4 is a folder, and the others have other names.
func left(t *testing.T, dir string, all bool) (held *os.File) {
	t.Helper()
	names := []string{".arena-tmp-1"}
	if all {
		names = append(names, ".arena-tmp-2", ".arena-tmp-3", ".arena-tmp-notes", "arena-tmp-5")
		if err := os.Mkdir(filepath.Join(dir, ".arena-tmp-4"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	for _, name := range names {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == ".arena-tmp-2" {
			held = f
			if err := filelock.Lock(f); err != nil {
				t.Fatal(err)
			}
		} else if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if name == ".arena-tmp-3" {
			continue
		}
		if err := os.Chtimes(f.Name(), long, long); err != nil {
			t.Fatal(err)
		}
	}
	return held
}

// namesIn are the names in a folder but for the new file.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "new" {
			names = append(names, e.Name())
		}
	}
	return names
}
