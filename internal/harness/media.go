package harness

import (
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/mediafolder"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// mediaStore keeps the media of a run beside its results.
type mediaStore struct {
	folder  *mediafolder.Folder
	secrets *Secrets // nil: none are known
	clean   sync.Map // hash → whether no secret is in it
}

// keep is runner.Options.KeepMedia. A medium that holds a secret, such as a document with a key, is not kept: only its
// hash and size are.
func (k *mediaStore) keep(m *chat.Media) (*chat.Media, error) {
	aside := m.Offloaded(0)
	if aside.Content == nil {
		return m, nil
	}
	clean, err := k.isClean(aside.Content)
	switch {
	case err != nil:
		return m, err
	case !clean:
		return aside, nil
	case aside.Size <= chat.InlineMedia && aside != m:
		return m, nil
	}
	return aside, k.folder.Keep(aside.Content, aside.MIMEType)
}

// isClean reports whether a medium holds no secret.
func (k *mediaStore) isClean(c chat.Content) (bool, error) {
	if k.secrets == nil || k.secrets.Set() == nil {
		return true, nil
	}
	if known, ok := k.clean.Load(c.SHA256()); ok {
		return known.(bool), nil
	}
	text, err := c.Base64()
	if err != nil {
		return false, err
	}
	found, err := secretIn(k.secrets.Set(), base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		return false, err
	}
	k.clean.Store(c.SHA256(), !found)
	return !found, nil
}

// longestSecret is the maximum length of a secret that is found across the border of two pieces.
const longestSecret = 8 << 10

// secretIn reports whether a stream holds a secret. It reads in pieces.
func secretIn(set *secret.Set, in io.Reader) (bool, error) {
	buffer := make([]byte, 0, 256<<10)
	for {
		n, err := io.ReadFull(in, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if set.In(buffer) {
			return true, nil
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil
		case err != nil:
			return false, err
		}
		buffer = append(buffer[:0], buffer[len(buffer)-longestSecret:]...)
	}
}

// medium reads a medium of the run that is reported.
func (o *Outputs) medium(m *chat.Media) ([]byte, error) {
	folder := &mediafolder.Folder{Dir: cmp.Or(o.Media, o.Dir)}
	return folder.Read(m.SHA256, m.MIMEType)
}

// mediaFrom returns a function for links from a page to media files in a results folder; nil: the folder is not below
// that of the page.
func mediaFrom(page, dir string) func(*chat.Media) string {
	way, err := filepath.Rel(filepath.Dir(page), dir)
	if err != nil || Device(page) || !filepath.IsLocal(way) {
		return nil
	}
	folder := &mediafolder.Folder{Dir: dir}
	return func(m *chat.Media) string {
		if own := *m; own.Content != nil || !folder.Holds(&own) {
			return ""
		}
		return path.Join(filepath.ToSlash(way), mediafolder.File(m.SHA256, m.MIMEType))
	}
}

// WithMedia adds the contents of the media of a trial, from the files beside the results. file is the run's journal or
// results.json.
func WithMedia(file string, t *result.Trial) *result.Trial {
	folder := &mediafolder.Folder{Dir: filepath.Dir(file)}
	t.EachMedium(func(part *chat.Part) { folder.Fill(part.Media) })
	return t
}

// CollectMedia copies the media of a run from other results folders into a folder. Media that are in none of them, for
// example because they hold a secret, are left out.
func CollectMedia(run *result.Run, into string, from ...string) error {
	to := &mediafolder.Folder{Dir: into}
	var sources []*mediafolder.Folder
	for _, dir := range from {
		if info, err := os.Stat(filepath.Join(dir, mediafolder.Name)); err == nil && info.IsDir() && !sameFolder(dir, into) {
			sources = append(sources, &mediafolder.Folder{Dir: dir})
		}
	}
	if len(sources) == 0 {
		return nil
	}
	var first error
	for i := range run.Briefs.Len() {
		t, err := run.Trials.Trial(i)
		if err != nil {
			return err
		}
		t.EachMedium(func(part *chat.Part) {
			for _, source := range sources {
				if err := to.Copy(source, part.Media); err != nil && first == nil {
					first = err
				}
			}
		})
	}
	return first
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
