package chat

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// InlineMedia is the maximum size in bytes of media inside a message in results and journals. Larger ones are
// represented by their hash and size.
const InlineMedia = 32 << 10

// Content is the bytes of a medium, which all messages share that have it. It does not change, and is safe for
// concurrent use.
type Content interface {
	SHA256() string // of the bytes, in hexadecimal digits
	Size() int      // in bytes
	// Base64 returns the bytes in base64. It may have to read them.
	Base64() (string, error)
}

type content struct {
	sum  string
	size int
	load func() (string, error)
}

// NewContent makes content of bytes, and keeps them encoded.
func NewContent(data []byte) Content {
	text := Encode(data)
	return ContentOf(SumOf(data), len(data), func() (string, error) { return text, nil })
}

// ContentOf makes content whose bytes are loaded on demand. load returns them in base64. It is called concurrently, and
// should cache its result.
func ContentOf(sum string, size int, load func() (string, error)) Content {
	return &content{sum, size, load}
}

// SHA256 implements Content.
func (c *content) SHA256() string { return c.sum }

// Size implements Content.
func (c *content) Size() int { return c.size }

// Base64 implements Content.
func (c *content) Base64() (string, error) { return c.load() }

// Equal reports whether two contents are the same bytes.
func (c *content) Equal(other Content) bool { return other != nil && c.sum == other.SHA256() }

// Encode is bytes in base64, made in one piece: they may be large.
func Encode(data []byte) string {
	var out strings.Builder
	out.Grow(base64.StdEncoding.EncodedLen(len(data)))
	enc := base64.NewEncoder(base64.StdEncoding, &out)
	_, _ = enc.Write(data) // a builder does not fail
	_ = enc.Close()
	return out.String()
}

// SumOf is the name of bytes in results and folders: their SHA-256 in hexadecimal digits.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Holds reports whether the bytes of the medium are at hand, without a file or an address.
func (m *Media) Holds() bool { return m.Data != "" || m.Content != nil }

// Base64 returns the bytes of the medium in base64; "": it has none.
func (m *Media) Base64() (string, error) {
	if m.Data != "" || m.Content == nil {
		return m.Data, nil
	}
	return m.Content.Base64()
}

// SetContent gives the medium its bytes: within the message where they are few, and else by hash and size.
func (m *Media) SetContent(c Content) error {
	if c.Size() > InlineMedia {
		m.Data, m.SHA256, m.Size, m.Content = "", c.SHA256(), c.Size(), c
		return nil
	}
	text, err := c.Base64()
	m.Data, m.SHA256, m.Size, m.Content = text, "", 0, nil
	return err
}

// Offload returns parts whose large media are replaced by their hash and size. It does not change the given list and
// its media. Data that are not base64 stay.
func Offload(parts []Part) []Part {
	own := false
	for i := range parts {
		m := parts[i].Media
		if m == nil || base64.StdEncoding.DecodedLen(len(m.Data)) <= InlineMedia {
			continue
		}
		offloaded := m.Offloaded(InlineMedia)
		if offloaded == m {
			continue
		}
		if !own {
			parts, own = slices.Clone(parts), true
		}
		parts[i].Media = offloaded
	}
	return parts
}

// Offloaded is the medium with its hash and size in the place of its bytes, if these are more than a limit; otherwise,
// and when they are not base64, the medium itself.
func (m *Media) Offloaded(limit int) *Media {
	if base64.StdEncoding.DecodedLen(len(m.Data)) <= limit {
		return m
	}
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil || len(data) <= limit {
		return m
	}
	offloaded, text := *m, m.Data
	offloaded.Data = ""
	offloaded.Content = ContentOf(SumOf(data), len(data), func() (string, error) { return text, nil })
	offloaded.SHA256, offloaded.Size = offloaded.Content.SHA256(), offloaded.Content.Size()
	return &offloaded
}

// WithData are parts with the data of their media in them, for others who know no hashes. The list and its media do not
// change.
func WithData(parts []Part) ([]Part, error) {
	own := false
	for i := range parts {
		m := parts[i].Media
		if m == nil || m.Content == nil {
			continue
		}
		whole, err := m.WithData()
		if err != nil {
			return nil, err
		}
		if !own {
			parts, own = slices.Clone(parts), true
		}
		parts[i].Media = whole
	}
	return parts, nil
}

// WithData is the medium with its data in it, where its bytes are at hand.
func (m *Media) WithData() (*Media, error) {
	if m.Content == nil {
		return m, nil
	}
	whole := *m
	var err error
	if whole.Data, err = m.Base64(); err != nil {
		return nil, err
	}
	whole.SHA256, whole.Size, whole.Content = "", 0, nil
	return &whole, nil
}

// WithData is the message with the data of all media in it; see WithData. Nothing that it shares with others changes.
func (m *Message) WithData() (Message, error) {
	own := *m
	var err, failed error
	own.Parts, err = WithData(m.Parts)
	if r := m.ToolResult; r != nil {
		whole := *r
		whole.Parts, failed = WithData(r.Parts)
		own.ToolResult = &whole
	}
	return own, errors.Join(err, failed)
}
