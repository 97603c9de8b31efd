// Package bundle packs the files of a project for another machine, and unpacks them there. The same files always make
// the same bytes. A bundle is a gzip stream with a header line and the content of each file. It is no tar archive:
// plain files are all that it can hold, so Unpack has nothing else to refuse.
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
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/sortby"
)

// The limits of a bundle.
const (
	MaxBytes = 256 << 20 // of all its files
	MaxFiles = 20_000
	maxPath  = 1 << 10 // bytes
)

// Source says which files are packed.
type Source struct {
	Dir string // root of the paths within the bundle
	// Paths are files and folders in Dir, or Dir itself (".").
	Paths []string
	// Leave reports that a file or folder is left out, by its path with slashes; it may be nil. Hidden files (.git, .env),
	// files for keys (*.pem, id_rsa) and files that contain a private key are always left out.
	Leave func(rel string, dir bool) bool
	// Refuse returns an error when the content of a file must not leave this machine. It may be nil.
	Refuse func(rel string, content []byte) error
	// Limit is the largest number of bytes of all files; 0: MaxBytes.
	Limit int64
}

// File is a packed file.
type File struct {
	Path string // with slashes
	Size int64
}

// Packed describes a finished bundle.
type Packed struct {
	SHA256 string
	Size   int64 // of the bundle
	Files  []File
	// Keys are the files that were left out because they contain a private key.
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
	sortby.Func(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
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
		info, err := root.Stat(filepath.FromSlash(rel)) // a link within the project counts as its file
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			return nil // it leads out of the project, or nowhere; who needs the file reports it
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

// hidden reports whether a file is hidden or a key file.
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

// privateKey matches the start of a private key, and the field that keys of service accounts have.
var privateKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----|"private_key"\s*:\s*"`)
})

// add packs a file, unless it contains a private key.
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

// header is the line before the content of a file.
type header struct {
	Path    string `json:"path"` // with slashes
	Size    int64  `json:"size"`
	Program bool   `json:"program,omitempty"` // it is executable
}

// maxHeader is the longest header line in bytes: a path in which each byte is escaped, and the rest of the line.
const maxHeader = 8 * maxPath

// tooLarge names the largest files.
func tooLarge(files []File, total, limit int64) error {
	sortby.Func(files, func(a, b File) int { return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Path, b.Path)) })
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
