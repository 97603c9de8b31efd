package checks

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/say"
)

// medium is an image, a sound or a video of an assistant or a tool. Properties are read from its bytes. Declared ones
// are used if bytes are missing or do not show them; a declaration that differs from the bytes is a violation.
type medium struct {
	name       string // its name in explanations
	declared   string // its declared format; "": none
	info       media.Info
	read       bool     // info is read from the bytes
	violations []string // differences between declaration and bytes
	*chat.Media
}

// mediaNouns are the words for the kinds of parts.
var mediaNouns = map[string]string{"image": "image", "audio": "sound", "video": "video"}

// gallery is the media of one kind in scope, read once for all checks of a subject.
type gallery struct {
	list []medium
	err  error
}

// media returns the media of a kind (image, audio, video) in the replies and tool results in scope. An error means that
// one of them cannot be read.
func (s *Subject) media(kind string) ([]medium, error) {
	if g, ok := s.galleries[kind]; ok {
		return g.list, g.err
	}
	var g gallery
	g.list = s.gather(kind)
	for i := range g.list {
		if err := g.list[i].open(); err != nil {
			g.err = fmt.Errorf("%s cannot be read: %w", g.list[i].name, err)
			break
		}
	}
	if s.galleries == nil {
		s.galleries = map[string]gallery{}
	}
	s.galleries[kind] = g
	return g.list, g.err
}

func (s *Subject) gather(kind string) []medium {
	var list []medium
	add := func(parts []chat.Part, from string) {
		for i := range parts {
			if p := &parts[i]; p.Type == kind {
				list = append(list, newMedium(kind, p.Media, from))
			}
		}
	}
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		switch {
		case m.Role == chat.Assistant:
			add(m.Parts, "")
		case m.Role == chat.ToolRole && m.ToolResult != nil:
			add(m.ToolResult.Parts, " from "+say.Named(m.ToolResult.Name))
		}
	}
	for i := range list {
		noun := "the " + mediaNouns[kind]
		if len(list) > 1 {
			noun = fmt.Sprintf("%s %d of %d", mediaNouns[kind], i+1, len(list))
		}
		list[i].name = noun + list[i].name
	}
	return list
}

func newMedium(kind string, m *chat.Media, from string) medium {
	if m == nil {
		m = &chat.Media{}
	}
	return medium{name: from, declared: media.Name(kind, m.MIMEType), Media: m}
}

// open inspects the bytes, if there are any.
func (m *medium) open() error {
	data, there, err := m.bytes()
	if err != nil || !there {
		return err
	}
	if m.declared == "pcm" { // samples without a header
		m.info.Seconds, m.info.Timed = media.RawSeconds(m.MIMEType, len(data))
		m.info.Format, m.read = m.declared, true
		return nil
	}
	m.info, err = media.Inspect(data)
	if errors.Is(err, media.ErrUnknown) {
		if media.Readable(m.declared) {
			m.violate("is declared as %s and its bytes are not", say.Named(m.declared))
		}
		return nil
	}
	if m.read = err == nil; m.read && m.declared != "" && !m.info.Fits(m.declared) {
		m.violate("is declared as %s and its bytes are %s", say.Named(m.declared), m.info.Format)
	}
	return err
}

func (m *medium) violate(format string, args ...any) {
	m.violations = append(m.violations, fmt.Sprintf(format, args...))
}

// maxMediaFile is the size limit of a file that is opened.
const maxMediaFile = 64 << 20

// bytes returns the content if it is inline or in a local file. URLs are not fetched.
func (m *medium) bytes() (data []byte, there bool, err error) {
	text, err := m.Base64()
	if err != nil {
		return nil, false, err
	}
	if text == "" {
		if _, inline, ok := strings.Cut(m.URL, ";base64,"); ok && strings.HasPrefix(m.URL, "data:") {
			text = inline
		}
	}
	switch {
	case text != "":
		data, err = decodeBase64(text)
	case m.Path != "" && m.Local:
		data, err = readSmall(m.Path)
	case m.SHA256 != "":
		return nil, false, errors.New("its bytes are not at hand: the result holds their hash alone")
	default:
		return nil, false, nil
	}
	return data, err == nil, err
}

// decodeBase64 decodes both alphabets, with or without padding and line breaks.
func decodeBase64(text string) ([]byte, error) {
	if data, err := base64.StdEncoding.DecodeString(text); err == nil {
		return data, nil
	}
	text = strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "").Replace(text)
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "=\r\n"))
	if err != nil {
		return nil, errors.New("its data is not base64")
	}
	return data, nil
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxMediaFile+1))
	if err == nil && len(data) > maxMediaFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, maxMediaFile>>20)
	}
	return data, err
}

// unknown returns the error for a property that is not known, with the reason.
func (m *medium) unknown(what string) string {
	text := "is of unknown " + what
	switch {
	case m.read:
		text += ", which its " + m.info.Format + " bytes do not say"
	case m.URL != "":
		text += ": only its address is given"
	}
	return text
}
