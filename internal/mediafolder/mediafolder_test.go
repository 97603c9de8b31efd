package mediafolder

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	data := bytes.Repeat([]byte("\x00\xffpicture"), 100_000)
	content := chat.NewContent(data)
	f := &Folder{Dir: dir}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if err := f.Keep(content, "image/png"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(filepath.Join(dir, Name))
	if err != nil || len(entries) != 1 || entries[0].Name() != content.SHA256()+".png" {
		t.Fatalf("%v %v", entries, err)
	}
	if got, err := f.Read(content.SHA256(), "image/png"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	m := &chat.Media{MIMEType: "image/png", SHA256: content.SHA256(), Size: len(data)}
	f.Fill(m)
	if text, err := m.Base64(); err != nil || text != chat.Encode(data) {
		t.Errorf("%d characters, %v", len(text), err)
	}
	other := &Folder{Dir: filepath.Join(dir, "other")}
	if err := other.Copy(f, &chat.Media{MIMEType: "image/png", SHA256: content.SHA256(), Size: len(data)}); err != nil {
		t.Error(err)
	}
	if got, err := other.Read(content.SHA256(), "image/png"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := other.Copy(f, &chat.Media{MIMEType: "image/png", SHA256: strings.Repeat("0", 64)}); err != nil {
		t.Error(err)
	}
}

// TestChanged: a file whose bytes do not fit its name is refused.
func TestChanged(t *testing.T) {
	t.Parallel()
	f := &Folder{Dir: t.TempDir()}
	content := chat.NewContent([]byte("a picture"))
	if err := f.Keep(content, "image/png"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, File(content.SHA256(), "image/png")), []byte("A picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(content.SHA256(), "image/png"); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Error(err)
	}
	if _, err := f.Read(strings.Repeat("0", 64), "image/png"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, sum := range []string{"", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("0", 63) + "/"} {
		if _, err := f.Read(sum, "image/png"); err == nil || !strings.Contains(err.Error(), "is no hash") {
			t.Errorf("%q: %v", sum, err)
		}
	}
}

// TestNoLinks: links in the way are not followed.
func TestNoLinks(t *testing.T) {
	t.Parallel()
	content := chat.NewContent([]byte("a picture"))
	elsewhere := t.TempDir()
	f := &Folder{Dir: t.TempDir()}
	if err := os.Symlink(elsewhere, filepath.Join(f.Dir, Name)); err != nil {
		t.Skip(err)
	}
	if err := f.Keep(content, "image/png"); err == nil || !strings.Contains(err.Error(), "is no folder") {
		t.Error(err)
	}
	g := &Folder{Dir: t.TempDir()}
	victim := filepath.Join(elsewhere, "victim")
	if err := os.WriteFile(victim, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(g.Dir, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(g.Dir, File(content.SHA256(), "image/png"))); err != nil {
		t.Fatal(err)
	}
	if err := g.Keep(content, "image/png"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "untouched" {
		t.Errorf("%s %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(g.Dir, Name, ".draft*")); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// TestExtension: no file has a name that a browser takes for a page or a program.
func TestExtension(t *testing.T) {
	t.Parallel()
	for mime, want := range map[string]string{
		"image/png": ".png", "IMAGE/JPEG": ".jpeg", "application/pdf": ".pdf", "text/html": ".bin", "image/svg+xml": ".bin",
		"text/javascript": ".bin", "": ".bin", "../x": ".bin", "video/mp4": ".mp4",
	} {
		if got := Extension(mime); got != want {
			t.Errorf("%s: %s, want %s", mime, got, want)
		}
	}
}
