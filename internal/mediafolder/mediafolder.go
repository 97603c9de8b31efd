// Package mediafolder keeps the media of a run in files beside its results, each once, named by the hash of its bytes.
package mediafolder

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/plainfile"
)

// Name is the name of the folder within the results folder.
const Name = "media"

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 64 << 20

// File is the path of a medium's file, relative to the results folder, with slashes. Browsers do not open files with
// these extensions as a page or a program.
func File(sum, mime string) string { return path.Join(Name, sum+Extension(mime)) }

// Extension is the extension of the files of a type, with its dot.
func Extension(mime string) string { return cmp.Or(media.ExtensionOf(strings.ToLower(mime)), ".bin") }

// IsSum reports whether a text is a valid hash. Results may be from anywhere.
func IsSum(sum string) bool {
	raw, err := hex.DecodeString(sum)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(sum) == sum
}

// Folder is the media of the results in a folder. It is safe for concurrent use.
type Folder struct {
	Dir string // of the results

	mu    sync.Mutex
	there map[string]bool // files that were written, or found whole
}

// Keep writes a medium, unless it exists. The write is atomic. It follows no link.
func (f *Folder) Keep(c chat.Content, mime string) error {
	file := File(c.SHA256(), mime)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.there[file] {
		return nil
	}
	if err := f.write(file, c); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Join(f.Dir, filepath.FromSlash(file)), plainfile.WithoutPath(err))
	}
	if f.there == nil {
		f.there = map[string]bool{}
	}
	f.there[file] = true
	return nil
}

func (f *Folder) write(file string, c chat.Content) (err error) {
	if err := plainfile.MakeDir(f.Dir); err != nil { // somebody may have removed it
		return err
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(Name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := root.Lstat(Name); err != nil || !info.IsDir() {
		return cmp.Or(err, fmt.Errorf("%s is no folder", filepath.Join(f.Dir, Name)))
	}
	if info, err := root.Lstat(file); err == nil && info.Mode().IsRegular() && info.Size() == int64(c.Size()) {
		return nil // its content is held against its name when it is read
	}
	text, err := c.Base64()
	if err != nil {
		return err
	}
	draft := path.Join(Name, ".draft-"+rand.Text())
	out, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = root.Rename(draft, file)
	}
	if err != nil {
		return errors.Join(err, root.Remove(draft))
	}
	return nil
}

// Read reads a medium, and checks its bytes against its name.
func (f *Folder) Read(sum, mime string) ([]byte, error) {
	if !IsSum(sum) {
		return nil, fmt.Errorf("%q is no hash of a medium", sum)
	}
	file := File(sum, mime)
	data, err := plainfile.ReadIn(f.Dir, filepath.FromSlash(file), MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not beside the results: %w", file, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case chat.SumOf(data) != sum:
		return nil, fmt.Errorf("%s was changed: its content has another hash than its name", file)
	}
	return data, nil
}

// Fill gives a medium whose bytes lie in the folder its content, which is read when it is asked for.
func (f *Folder) Fill(m *chat.Media) {
	if m.SHA256 == "" || m.Content != nil || !IsSum(m.SHA256) {
		return
	}
	sum, mime := m.SHA256, m.MIMEType
	if !f.Holds(m) {
		return // as long as it is not there, it is as if nothing had been kept
	}
	m.Content = chat.ContentOf(sum, m.Size, func() (string, error) {
		data, err := f.Read(sum, mime)
		return chat.Encode(data), err
	})
}

// Holds reports whether there is a file for a medium.
func (f *Folder) Holds(m *chat.Media) bool {
	if !IsSum(m.SHA256) {
		return false
	}
	info, err := os.Lstat(filepath.Join(f.Dir, filepath.FromSlash(File(m.SHA256, m.MIMEType))))
	return err == nil && info.Mode().IsRegular()
}

// Copy keeps a medium of another folder; a missing one is skipped.
func (f *Folder) Copy(from *Folder, m *chat.Media) error {
	own := *m
	if from.Fill(&own); own.Content == nil {
		return nil
	}
	if _, err := own.Content.Base64(); err != nil {
		return err // damaged: better none than a wrong one
	}
	return f.Keep(own.Content, own.MIMEType)
}
