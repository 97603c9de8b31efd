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

// mediaFolder holds the media of replies and tool results, named by their hash.
const mediaFolder = "media"

// inlineMedia is the largest size, in base64, of media in the cassette itself.
const inlineMedia = 512

// media is an image, audio, video or document. Large ones are in mediaFolder. For media in requests only the hash is
// kept.
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
	Source   string  `json:"source,omitempty"` // the address from which it was fetched
}

func (enc encoder) mediaOf(m *chat.Media, keep bool) (*media, error) {
	out := &media{
		MIMEType: m.MIMEType, Data: m.Data, URL: string(enc.text(m.URL)), Path: m.Path, Detail: m.Detail,
		Caption: m.Caption, Width: m.Width, Height: m.Height, Duration: m.Duration,
	}
	if keep {
		out.Source = string(enc.text(m.Source))
	}
	if m.Content != nil {
		if out.SHA256 = m.Content.SHA256(); !keep || enc.inline {
			return out, nil
		}
		text, err := m.Content.Base64()
		if err != nil {
			return nil, err
		}
		out.Data, out.SHA256 = text, ""
	}
	if m.Local { // the file may change
		if data, err := plainfile.Read(m.Path); err == nil {
			out.SHA256 = hashOf(data)
		}
	}
	if enc.inline {
		return out, nil
	}
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil { // not base64: keep it as it is
		return out, nil //nolint:nilerr // not base64: kept unchanged
	}
	if r := cmp.Or(enc.media, enc.redactor); r != nil && r.secrets.In(data) { // such as a text document
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
	return out, enc.folder.keepMedia(out.SHA256, data)
}

func (d *Folder) media(m *media) (*chat.Media, error) {
	out := &chat.Media{
		MIMEType: m.MIMEType, Data: m.Data, URL: m.URL, Path: m.Path, Detail: m.Detail, Caption: m.Caption,
		Width: m.Width, Height: m.Height, Duration: m.Duration, Source: m.Source,
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

func (d *Folder) mediaFile(hash string) string { return filepath.Join(d.Dir, mediaFolder, hash) }

// keepMedia writes media unless they exist.
func (d *Folder) keepMedia(hash string, data []byte) error {
	if _, err := os.Stat(d.mediaFile(hash)); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(d.Dir, mediaFolder), 0o755); err != nil {
		return err
	}
	return plainfile.ReplaceSynced(d.mediaFile(hash), 0o644, data)
}

var errNoHash = errors.New("a sha256 has 64 hexadecimal digits")

// readMedia reads media and verifies their hash.
func (d *Folder) readMedia(hash string) ([]byte, error) {
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
