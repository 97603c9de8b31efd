// Package bundle packs the files of a project for another machine, and unpacks what came from one. A bundle has the
// same bytes wherever the same files are packed. It holds plain files and nothing else, and so it has a form of its
// own, in gzip: before the content of each file stands a line with its header. A tar would have to be held against all
// else that it may hold.
package bundle

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The limits of a bundle.
const (
	MaxBytes = 256 << 20 // of all its files
	MaxFiles = 20_000
	maxPath  = 1 << 10 // bytes
)

// Source says what is packed.
type Source struct {
	Dir string // root of the paths within the bundle
	// Paths are files and folders in Dir, or Dir itself (".").
	Paths []string
	// Leave reports that a file or a folder is not packed, by its path with slashes; it may be nil. What is hidden (.git,
	// .env) and what is there for keys alone (*.pem, id_rsa) never is, nor what a private key is in.
	Leave func(rel string, dir bool) bool
	// Refuse is why the content of a file must not leave this machine; nil: it may. It may be nil itself.
	Refuse func(rel string, content []byte) error
	// Limit is the most bytes of all files; 0: MaxBytes.
	Limit int64
}

// File is one that was packed.
type File struct {
	Path string // with slashes
	Size int64
}

// Packed is a bundle that was written.
type Packed struct {
	SHA256 string
	Size   int64 // of the bundle
	Files  []File
	// Keys are files that were left out because a private key is in them.
	Keys []string
}

// Pack writes a bundle.
func (s *Source) Pack(w io.Writer) (*Packed, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read only
	files, err := s.list(root)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	counted := &counter{w: io.MultiWriter(w, sum)}
	zip, err := gzip.NewWriterLevel(counted, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	packed := &Packed{}
	for _, f := range files {
		added, err := s.add(zip, root, f)
		if err != nil {
			return nil, err
		}
		if added {
			packed.Files = append(packed.Files, f)
		} else {
			packed.Keys = append(packed.Keys, f.Path)
		}
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	packed.SHA256, packed.Size = hex.EncodeToString(sum.Sum(nil)), counted.n
	return packed, nil
}

// list finds the files, sorted and each once.
func (s *Source) list(root *os.Root) ([]File, error) {
	found := map[string]int64{}
	for _, from := range s.Paths {
		if err := s.walk(root, filepath.ToSlash(filepath.Clean(from)), found); err != nil {
			return nil, err
		}
	}
	files := make([]File, 0, len(found))
	total := int64(0)
	for rel, size := range found {
		files = append(files, File{rel, size})
		total += size
	}
	if limit := cmp.Or(s.Limit, MaxBytes); total > limit || len(files) > MaxFiles {
		return nil, tooLarge(files, total, limit)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

func (s *Source) walk(root *os.Root, from string, found map[string]int64) error {
	if !filepath.IsLocal(filepath.FromSlash(from)) {
		return fmt.Errorf("%s is not below %s", from, s.Dir)
	}
	return fs.WalkDir(root.FS(), from, func(rel string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if rel != from && hidden(rel) || s.Leave != nil && rel != "." && s.Leave(rel, e.IsDir()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		info, err := root.Stat(filepath.FromSlash(rel)) // a link within the project stands for its file
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			return nil // it leads out of the project, or nowhere: whoever needs it says so
		case err != nil:
			return err
		case info.Mode().IsRegular():
			if len(rel) > maxPath {
				return fmt.Errorf("%s: the path has %d bytes, and at most %d are packed", rel, len(rel), maxPath)
			}
			found[rel] = info.Size()
		}
		return nil
	})
}

// hidden reports whether a file is none that a project shows to others.
func hidden(rel string) bool {
	name := path.Base(rel)
	if strings.HasPrefix(name, ".") {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".pem", ".key", ".p8", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".creds", ".env", ".kdb", ".kdbx", ".tfstate",
		".tfvars":
		return true
	}
	switch strings.ToLower(name) {
	case "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "credentials.json", "env":
		return true
	}
	return false
}

// privateKey is how private keys begin in a file, and what the keys of service accounts have.
var privateKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----|"private_key"\s*:\s*"`)
})

// add packs a file, unless a private key is in it.
func (s *Source) add(out io.Writer, root *os.Root, f File) (added bool, err error) {
	in, err := root.Open(filepath.FromSlash(f.Path))
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }() // read only
	content, err := io.ReadAll(io.LimitReader(in, f.Size+1))
	if err != nil {
		return false, err
	}
	if int64(len(content)) != f.Size {
		return false, fmt.Errorf("%s was changed while it was packed", f.Path)
	}
	if privateKey().Match(content) {
		return false, nil
	}
	if s.Refuse != nil {
		if err := s.Refuse(f.Path, content); err != nil {
			return false, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	info, err := in.Stat()
	if err != nil {
		return false, err
	}
	head, err := json.Marshal(header{Path: f.Path, Size: f.Size, Program: info.Mode()&0o100 != 0})
	if err != nil {
		return false, err
	}
	if _, err := out.Write(append(head, '\n')); err != nil {
		return false, err
	}
	_, err = out.Write(content)
	return err == nil, err
}

// header stands before the content of a file.
type header struct {
	Path    string `json:"path"` // with slashes
	Size    int64  `json:"size"`
	Program bool   `json:"program,omitempty"` // it can be run
}

// maxHeader is the longest line of a header, in bytes: a path that is all escapes, and what is around it.
const maxHeader = 8 * maxPath

// tooLarge names the largest files.
func tooLarge(files []File, total, limit int64) error {
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Path, b.Path)) })
	var b strings.Builder
	if total > limit {
		fmt.Fprintf(&b, "the files have %s, and at most %s are sent to workers; the largest are", MiB(total), MiB(limit))
	} else {
		fmt.Fprintf(&b, "there are %d files, and at most %d are sent to workers; the largest are", len(files), MaxFiles)
	}
	const shown = 10
	for _, f := range files[:min(shown, len(files))] {
		fmt.Fprintf(&b, "\n  %9s  %s", MiB(f.Size), f.Path)
	}
	return errors.New(b.String())
}

// MiB is a number of bytes for people.
func MiB(n int64) string {
	const digits = 10 // of a MiB
	return fmt.Sprintf("%d.%d MiB", n>>20, n%(1<<20)*digits>>20)
}

// counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
