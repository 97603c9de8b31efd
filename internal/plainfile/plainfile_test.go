package plainfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/plainfile"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "plain")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := plainfile.Read(path); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	f, err := plainfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		dir:                               "open " + dir + ": it is a folder, and a plain file is needed",
		filepath.Join(dir, "not", "here"): "open ",
	} {
		_, readErr := plainfile.Read(name)
		_, openErr := plainfile.Open(name)
		for _, err := range []error{readErr, openErr, plainfile.Check(name)} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
	if err := plainfile.Check(filepath.Join(dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestLinksToNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(link, "below", "it")} {
		want := link + " is a link to nowhere, which is not there"
		if err := plainfile.Dangling(path); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", path, err)
		}
		if err := plainfile.MakeDir(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	circle := filepath.Join(dir, "circle")
	if err := os.Symlink("circle", circle); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{circle, filepath.Join(circle, "below")} {
		want := circle + " is a link to circle, which cannot be followed: "
		err := plainfile.MakeDir(path)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "\nremove the link") {
			t.Errorf("%s: got %v", path, err)
		}
	}
	made := filepath.Join(dir, "a", "b")
	if err := errors.Join(plainfile.Dangling(made), plainfile.MakeDir(made)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(made); err != nil || !info.IsDir() {
		t.Errorf("no folder: %v", err)
	}
}
