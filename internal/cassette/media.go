package cassette

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
)

// mediaFolder holds the media of replies and tool results, each under its hash.
const mediaFolder = "media"

// inlineMedia is the size, in base64, up to which media stand in the cassette itself.
const inlineMedia = 512

// media is an image, a sound, a video or a document. What is larger stands beside the cassettes, under the hash of its
// bytes; of what only goes out the hash is all that is kept.
type media struct {
	MIMEType string  `json:"mime_type"`
	Data     string  `json:"data,omitempty"` // base64
	SHA256   string  `json:"sha256,omitempty"`
	URL      string  `json:"url,omitempty"`
	Path     string  `json:"path,omitempty"`
	Detail   string  `json:"detail,omitempty"`
	Caption  string  `json:"caption,omitempty"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	Duration float64 `json:"duration,omitempty"`
}

func (p pen) mediaOf(m *chat.Media, keep bool) (*media, error) {
	out := &media{
		MIMEType: m.MIMEType, Data: m.Data, URL: string(p.text(m.URL)), Path: m.Path, Detail: m.Detail,
		Caption: m.Caption, Width: m.Width, Height: m.Height, Duration: m.Duration,
	}
	if m.Local { // the same path may hold another picture the next time
		if data, err := plainfile.Read(m.Path); err == nil {
			out.SHA256 = hashOf(data)
		}
	}
	if p.inline {
		return out, nil
	}
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil { // what is no base64 is kept as it is
		return out, nil //nolint:nilerr // it says so
	}
	if r := cmp.Or(p.media, p.redactor); r != nil && r.secrets.In(data) { // a document may show them
		data = r.secrets.Bytes(data)
		out.Data = base64.StdEncoding.EncodeToString(data)
	}
	if len(out.Data) <= inlineMedia {
		return out, nil
	}
	out.Data, out.SHA256 = "", hashOf(data)
	if !keep {
		return out, nil
	}
	return out, p.deck.keepMedia(out.SHA256, data)
}

func (d *Deck) media(m *media) (*chat.Media, error) {
	out := &chat.Media{
		MIMEType: m.MIMEType, Data: m.Data, URL: m.URL, Path: m.Path, Detail: m.Detail, Caption: m.Caption,
		Width: m.Width, Height: m.Height, Duration: m.Duration,
	}
	if m.SHA256 == "" || m.Path != "" {
		return out, nil
	}
	data, err := d.readMedia(m.SHA256)
	out.Data = base64.StdEncoding.EncodeToString(data)
	return out, err
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (d *Deck) mediaFile(hash string) string { return filepath.Join(d.Dir, mediaFolder, hash) }

// keepMedia stores media unless they are there.
func (d *Deck) keepMedia(hash string, data []byte) error {
	if _, err := os.Stat(d.mediaFile(hash)); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(d.Dir, mediaFolder), 0o755); err != nil {
		return err
	}
	return replace(d.mediaFile(hash), data)
}

var errNoHash = errors.New("a sha256 has 64 hexadecimal digits")

// readMedia reads media and makes sure that they are what they are called.
func (d *Deck) readMedia(hash string) ([]byte, error) {
	if sum, err := hex.DecodeString(hash); err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("%w, found %q", errNoHash, hash)
	}
	data, err := plainfile.Read(d.mediaFile(hash))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the media %s are not in the folder %s", hash, filepath.Join(d.Dir, mediaFolder))
	case err != nil:
		return nil, err
	case hashOf(data) != hash:
		return nil, fmt.Errorf("%s was changed: its content has another hash than its name", d.mediaFile(hash))
	}
	return data, nil
}
