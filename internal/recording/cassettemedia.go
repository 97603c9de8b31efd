package recording

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// mediaFolder, beside cassettes, holds the media of replies and tool results, named by their hash.
const mediaFolder = "media"

// cassetteMedia reads media of a cassette. Media with a hash are read from mediaFolder. Media of users were not kept.
func (b *builder) cassetteMedia(v value) *chat.Media {
	o, ok := b.strictObject(v, "media", "mime_type", "data", "sha256", "url", "path", "source", "detail", "caption",
		"width",
		"height", "duration")
	if !ok {
		return nil
	}
	m, sum := b.media(v), o.get("sha256")
	hash := b.textOrLines(sum, "sha256")
	switch {
	case hash == "" || m == nil || m.Data != "" || !o.get("path").missing():
		return m
	case len(hash) != 2*sha256.Size || strings.Trim(hash, "0123456789abcdef") != "":
		b.errorf(sum, "wrong-value", "a sha256 has 64 hexadecimal digits, found %q", cutText(hash, 80))
		return m
	}
	m.URL, m.Path, m.SHA256 = "", mediaFolder+"/"+hash, ""
	data, err := b.readMedia(hash)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		b.errorf(sum, "bad-media", "the media %s beside the cassette cannot be used: %v", hash, err)
	default:
		m.Data, m.Path = base64.StdEncoding.EncodeToString(data), ""
	}
	return m
}

var (
	errOtherHash  = errors.New("their content has another hash, so it was changed")
	errMediaLarge = errors.New("the media of the session are larger than the limit")
)

// readMedia reads media and verifies their hash.
func (b *builder) readMedia(hash string) (_ []byte, err error) {
	if b.dir == "" {
		return nil, fs.ErrNotExist
	}
	in, err := openDisk(filepath.Join(b.dir, mediaFolder, hash))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if b.mediaBytes += in.Size(); b.mediaBytes > b.limits.SessionBytes {
		return nil, errMediaLarge
	}
	data := make([]byte, in.Size())
	if n, err := in.ReadAt(data, 0); err != nil && !(errors.Is(err, io.EOF) && n == len(data)) {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
		return nil, errOtherHash
	}
	return data, nil
}
