package wire

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
)

// Body is the body of a request. Large media are not copied into it: their encoded form is shared by all requests.
type Body struct {
	pieces []piece
	size   int64
}

// piece is a part of a body: bytes, or a text.
type piece struct {
	data []byte
	text string
}

// BodyOf returns a body with these bytes.
func BodyOf(data []byte) *Body { return &Body{[]piece{{data: data}}, int64(len(data))} }

// SHA256 is the hash of the whole body.
func (b *Body) SHA256() (sum [sha256.Size]byte) {
	h := sha256.New()
	_, _ = io.Copy(h, b.reader()) // these readers and the hash return no errors
	return [sha256.Size]byte(h.Sum(nil))
}

// reader reads the whole body. One in one piece is written to a connection as it is, without room for copies.
func (b *Body) reader() io.Reader {
	if len(b.pieces) == 1 && b.pieces[0].text == "" {
		return bytes.NewReader(b.pieces[0].data)
	}
	all := make([]io.Reader, 0, 2*len(b.pieces))
	for _, p := range b.pieces {
		all = append(all, bytes.NewReader(p.data), strings.NewReader(p.text))
	}
	return io.MultiReader(all...)
}

// into sets the body and the length of a request. The request can be sent again.
func (b *Body) into(req *http.Request) {
	if b.size == 0 {
		return
	}
	req.ContentLength = b.size
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(b.reader()), nil }
	req.Body, _ = req.GetBody()
}

// placeholderPrefix is the prefix of the placeholder for the data of a medium in an encoded request; the hash follows.
// It is random, so that no text of a conversation is taken for a placeholder.
var placeholderPrefix = sync.OnceValue(func() string { return "arena-medium-" + rand.Text() + "-" })

// encode encodes a request for an API.
func encode(codec Codec, req *chat.Request) (*Body, error) {
	light, held := withPlaceholders(req)
	data, err := codec.Encode(light)
	if err != nil || len(held) == 0 {
		return BodyOf(data), err
	}
	b := &Body{}
	for {
		before, after, more := bytes.Cut(data, []byte(placeholderPrefix()))
		p := piece{data: before}
		if more {
			c := held[string(after[:2*sha256.Size])]
			data = after[2*sha256.Size:]
			if p.text, err = c.Base64(); err != nil {
				return nil, err
			}
		}
		b.pieces, b.size = append(b.pieces, p), b.size+int64(len(p.data)+len(p.text))
		if !more {
			return b, nil
		}
	}
}

// withPlaceholders returns a copy of a request with placeholders for the data of large media, and the data by their
// hash.
func withPlaceholders(req *chat.Request) (*chat.Request, map[string]chat.Content) {
	held := map[string]chat.Content{}
	var own []chat.Message
	for i := range req.Messages {
		m := req.Messages[i]
		parts, changed := replaceMedia(m.Parts, held)
		m.Parts = parts
		if r := m.ToolResult; r != nil {
			if parts, is := replaceMedia(r.Parts, held); is {
				result := *r
				result.Parts = parts
				m.ToolResult, changed = &result, true
			}
		}
		if !changed {
			continue
		}
		if own == nil {
			own = slices.Clone(req.Messages)
		}
		own[i] = m
	}
	if own == nil {
		return req, nil
	}
	light := *req
	light.Messages = own
	return &light, held
}

// replaceMedia returns parts with placeholders for large media. Media that an API takes as text are not replaced.
func replaceMedia(parts []chat.Part, held map[string]chat.Content) (_ []chat.Part, changed bool) {
	for i := range parts {
		m := parts[i].Media
		if m == nil || m.Data != "" || m.Content == nil || isText(m.MIMEType) {
			continue
		}
		if !changed {
			parts, changed = slices.Clone(parts), true
		}
		short, sum := *m, m.Content.SHA256()
		short.Data, short.Content = placeholderPrefix()+sum, nil
		parts[i].Media, held[sum] = &short, m.Content
	}
	return parts, changed
}

// isText reports whether some APIs take media of a type as text.
func isText(mime string) bool { return strings.HasPrefix(mime, "text/") || mime == "application/json" }
