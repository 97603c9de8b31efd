package html

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// Limits of the media in a page, in bytes. A larger medium is a link to the file beside the page.
const (
	maxMedium  = 16 << 20
	maxMedia   = 64 << 20
	smallMedia = 768 // those of a trial that are not larger stay in its JSON
)

// pageMedia are the media of a run, each once in the page, for any number of trials. Trials refer to them by hash, and
// they come after the trials.
type pageMedia struct {
	read   func(*chat.Media) ([]byte, error) // nil: there is no results folder
	file   func(*chat.Media) string          // address of a file from the page; "" or nil: it has none
	known  map[string]bool
	list   []*chat.Media
	inline int // bytes that the trials themselves held
}

func newPageMedia(opts Options) *pageMedia {
	return &pageMedia{read: opts.Media, file: opts.MediaFile, known: map[string]bool{}}
}

var mediaKey = []byte(`"media":{`)

// take moves the media out of the JSON of a trial. Media that cannot be read stay in it.
func (p *pageMedia) take(raw []byte) []byte {
	if !bytes.Contains(raw, mediaKey) {
		return raw
	}
	t, err := result.DecodeTrial(raw, 0)
	if err != nil {
		return raw
	}
	t.EachMedium(func(part *chat.Part) {
		m := part.Media
		if m.SHA256 != "" {
			p.note(m)
			return
		}
		aside := m.Offloaded(smallMedia)
		if aside == m || !p.known[aside.SHA256] && p.inline+aside.Size > maxMedia {
			return
		}
		if !p.known[aside.SHA256] {
			p.inline += aside.Size
		}
		p.note(aside)
		// Base64 has one form in JSON.
		raw = bytes.ReplaceAll(raw, []byte(`"data":"`+m.Data+`"`),
			fmt.Appendf(nil, `"sha256":%q,"size":%d`, aside.SHA256, aside.Size))
	})
	return raw
}

// note keeps a medium. The text of one that lies in a file is read when it is written.
func (p *pageMedia) note(m *chat.Media) {
	if !isSum(m.SHA256) || p.known[m.SHA256] {
		return
	}
	p.known[m.SHA256] = true
	p.list = append(p.list, &chat.Media{SHA256: m.SHA256, Size: m.Size, MIMEType: m.MIMEType, Content: m.Content})
}

func isSum(sum string) bool {
	return len(sum) == 64 && !slices.ContainsFunc([]byte(sum), func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f')
	})
}

// write writes the media as data blocks, which no browser executes, and the place of their files.
func (p *pageMedia) write(w io.Writer) error {
	if len(p.list) == 0 {
		return nil
	}
	files, room := map[string]string{}, maxMedia
	for _, m := range p.list {
		if p.file != nil {
			if file := p.file(m); file != "" {
				files[m.SHA256] = file
			}
		}
		data, err := p.bytes(m, room)
		if err != nil || data == nil {
			continue // its file is gone, or it is too large: it is named
		}
		room -= len(data)
		if _, err := fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"medium-%s\">", m.SHA256); err != nil {
			return err
		}
		if _, err := w.Write(encode7Bit(data)); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "</script>\n"); err != nil {
			return err
		}
	}
	text, err := json.Marshal(files) // escapes <, > and &
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script type=\"application/json\" id=\"media\">%s</script>\n", text)
	return err
}

// bytes are the bytes of a medium that fits into room; nil: it does not.
func (p *pageMedia) bytes(m *chat.Media, room int) ([]byte, error) {
	if m.Size > min(maxMedium, room) {
		return nil, nil
	}
	if m.Content != nil {
		text, err := m.Content.Base64()
		if err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(text)
	}
	if p.read == nil {
		return nil, nil
	}
	data, err := p.read(m)
	if err != nil || len(data) > min(maxMedium, room) {
		return nil, err
	}
	return data, nil
}

// encode7Bit writes bytes as text with seven bits a character, most of them one byte long: 1.17 bytes for each byte,
// where base64 needs 1.33. À, Á and Â replace the three characters that an HTML block cannot contain.
func encode7Bit(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/5+8)
	put := func(v byte) {
		switch v {
		case 0:
			out = append(out, "À"...)
		case '\r':
			out = append(out, "Á"...)
		case '<':
			out = append(out, "Â"...)
		default:
			out = append(out, v)
		}
	}
	bits, n := 0, 0
	for _, b := range data {
		for bits, n = bits<<8|int(b), n+8; n >= 7; n -= 7 {
			put(byte(bits >> (n - 7) & 0x7f))
		}
		bits &= 1<<n - 1
	}
	if n > 0 {
		put(byte(bits << (7 - n) & 0x7f))
	}
	return out
}
