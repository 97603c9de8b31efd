package bundle_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/bundle"
)

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		found[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRoundTrip packs only files that may be shared: no hidden ones, no keys, no targets of links outside, no excluded
// ones.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	outside := project(t, map[string]string{"secret.txt": "secret"})
	dir := project(t, map[string]string{
		"config.arena.yaml": "kind: Arena", "media/a.png": "png", "out/journal.jsonl": "{}", ".env": "KEY=1",
		".git/config": "x", "prod.env": "KEY=1", "keys/server.pem": "pem", "keys/a.key": "key", "run.sh": "#!/bin/sh",
		"keys/id_rsa": "key", "vault.kdbx": "v", "terraform.tfstate": "{}", "credentials.json": "{}",
		"note.txt": "-----BEGIN OPENSSH PRIVATE KEY-----", "service.json": "{\"private_key\" : \"x\"}",
	})
	err := errors.Join(os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "link.txt")),
		os.Symlink("media", filepath.Join(dir, "folder")), os.Symlink("config.arena.yaml", filepath.Join(dir, "other.yaml")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling")), os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	source := bundle.Source{
		Dir: dir, Paths: []string{".", "media"}, Leave: func(rel string, isDir bool) bool { return isDir && rel == "out" },
	}
	var first, second bytes.Buffer
	packed, err := source.Pack(&first)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := source.Pack(&second); err != nil || again.SHA256 != packed.SHA256 || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the same files make another bundle: %v", err)
	}
	if diff := cmp.Diff([]string{"note.txt", "service.json"}, packed.Keys); diff != "" {
		t.Errorf("left out for a private key: -want +got:\n%s", diff)
	}
	if packed.Size != int64(first.Len()) {
		t.Errorf("%d bytes, want %d", packed.Size, first.Len())
	}
	to := t.TempDir()
	if err := bundle.Unpack(&first, packed.SHA256, to); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"config.arena.yaml": "kind: Arena", "media/a.png": "png", "run.sh": "#!/bin/sh", "other.yaml": "kind: Arena",
	}
	if diff := cmp.Diff(want, content(t, to)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(to, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("a program is none any more: %v, %v", info, err)
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"a.txt": "0123456789", "b/c.txt": "01234567890123456789", "d.txt": "0"})
	for want, source := range map[string]bundle.Source{
		"the files have 0.0 MiB, and at most 0.0 MiB are sent to workers; the largest are\n    0.0 MiB  b/c.txt\n    0.0 MiB  a.txt\n    0.0 MiB  d.txt": {
			Dir: dir, Paths: []string{"."}, Limit: 30,
		},
		"../x is not below " + dir: {Dir: dir, Paths: []string{"../x"}},
		"a.txt: it is a secret": {Dir: dir, Paths: []string{"."}, Refuse: func(string, []byte) error {
			return errors.New("it is a secret")
		}},
	} {
		if _, err := source.Pack(&bytes.Buffer{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// entry is the header of a file and its content.
type entry struct {
	header string
	size   int64
}

// archive makes a bundle of anything, and its sum.
func archive(t *testing.T, entries ...entry) (packed []byte, sum string) {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	for _, e := range entries {
		if _, err := io.WriteString(zip, e.header+"\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(zip, zeros{}, e.size); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	s := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(s[:])
}

// zeros is endless.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestUnpackRefuses: hostile bundles are refused.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	file := func(name string, size int64) entry {
		return entry{fmt.Sprintf(`{"path":%q,"size":%d}`, name, size), size}
	}
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"out of the folder":  {[]entry{file("../x", 1)}, "no path within it"},
		"out by a detour":    {[]entry{file("a/../../x", 1)}, "no path within it"},
		"within by a detour": {[]entry{file("a/../x", 1)}, "no path within it"},
		"from the root":      {[]entry{file("/etc/x", 1)}, "no path within it"},
		"no path":            {[]entry{file("", 1)}, "no path within it"},
		"a long path":        {[]entry{file(strings.Repeat("a/", 600)+"a", 1)}, "no path within it"},
		"the folder itself":  {[]entry{file(".", 0)}, "exists"},
		"twice":              {[]entry{file("a", 1), file("a", 1)}, "exists"},
		"a file as a folder": {[]entry{file("a", 1), file("a/b", 1)}, "a"},
		"a bomb":             {[]entry{file("a", bundle.MaxBytes), file("b", 1)}, "more than 256.0 MiB of files"},
		"one that overflows": {[]entry{{`{"path":"a","size":9223372036854775807}`, 1}}, "more than 256.0 MiB of files"},
		"less than nothing":  {[]entry{{`{"path":"a","size":-1}`, 0}}, "with -1 bytes"},
		"a file that is cut": {[]entry{{`{"path":"a","size":5}`, 1}}, "ends after 1 of 5 bytes"},
		"no header":          {[]entry{{"", 5}}, "cannot be read"},
		"an endless header":  {[]entry{{strings.Repeat(" ", 1<<20), 0}}, "buffer full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			packed, sum := archive(t, c.entries...)
			err := bundle.Unpack(bytes.NewReader(packed), sum, dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "x")); err == nil {
				t.Error("a file was written outside")
			}
		})
	}
	packed, sum := archive(t, file("a", 1))
	for name, data := range map[string][]byte{
		"cut": packed[:len(packed)-5], "empty": nil, "no bundle": []byte("kind: Arena"), "more": append(bytes.Clone(packed), 1),
	} {
		if err := bundle.Unpack(bytes.NewReader(data), sum, t.TempDir()); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if err := bundle.Unpack(bytes.NewReader(packed), strings.Repeat("0", 64), t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "was announced") {
		t.Errorf("another sum: %v", err)
	}
}

// TestHugeProject: a file of 3 GB is named, and not read, before anything is sent.
func TestHugeProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int64{"model.bin": 3 << 30, "small.yaml": 5} { // holes, which take no room
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), nil, 0o600),
			os.Truncate(filepath.Join(dir, name), size)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := (&bundle.Source{Dir: dir, Paths: []string{"."}}).Pack(io.Discard)
	want := "the files have 3072.0 MiB, and at most 256.0 MiB are sent to workers; the largest are\n" +
		"  3072.0 MiB  model.bin\n    0.0 MiB  small.yaml"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
