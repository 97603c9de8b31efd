// Package attach reads the media of messages, from files and from addresses. Each is read, held against its type and
// encoded once, however many trials send it.
package attach

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
)

// MaxBytes is the size of the largest medium.
const MaxBytes = 50 << 20

// heldBytes is how much encoded text of files is kept at least. What does not fit is read again when it is sent.
const heldBytes = 256 << 20

// Store holds the media of a project. Its zero value reads files and fetches nothing. It is safe for concurrent use.
type Store struct {
	// Fetch downloads from an address; nil: nothing is fetched.
	Fetch func(ctx context.Context, address string) (*Fetched, error)

	// Refuses says why an address is never fetched; nil: no reason is known. The function itself may be nil.
	Refuses func(address string) error

	read func(path string) (*raw, error) // nil: readFile; of tests

	mu      sync.Mutex
	files   map[fileKey]*file
	fetched map[string]*fetch
	held    int     // bytes of encoded text
	order   []*file // that are held, the latest last
}

// fileKey is a file as a kind of part, with its declared type.
type fileKey struct{ path, kind, declared string }

// file is one that was read.
type file struct {
	once    sync.Once
	err     error
	mime    string
	content chat.Content

	mu   sync.Mutex
	text string // encoded; "": it is read again
}

// Attach returns a copy of a medium with its bytes, from its file or its address. An error that wraps
// media.ErrOtherType comes with a medium, for callers that only read the declaration.
func (s *Store) Attach(ctx context.Context, kind string, m *chat.Media) (*chat.Media, error) {
	if m.URL != "" {
		return s.address(ctx, kind, m)
	}
	return s.AttachLocal(kind, m)
}

// AttachLocal is Attach for a medium that has no URL: it contacts nobody, and does not wait.
func (s *Store) AttachLocal(kind string, m *chat.Media) (*chat.Media, error) {
	switch {
	case m.Data != "":
		return inline(kind, m)
	case m.Path != "" && m.Local:
		return s.file(kind, m)
	}
	return nil, errors.New("it has no data")
}

// inline is a medium with its data in the file.
func inline(kind string, m *chat.Media) (*chat.Media, error) {
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return nil, errors.New("its data is not base64")
	}
	if len(data) > MaxBytes {
		return nil, tooLarge(int64(len(data)))
	}
	out := *m
	if out.MIMEType, err = media.Check(kind, m.MIMEType, data); err != nil && !errors.Is(err, media.ErrOtherType) {
		return nil, err
	}
	text := m.Data
	content := chat.ContentOf(chat.SumOf(data), len(data), func() (string, error) { return text, nil })
	return &out, errors.Join(err, out.SetContent(content))
}

// file is a medium of a file.
func (s *Store) file(kind string, m *chat.Media) (*chat.Media, error) {
	key := fileKey{m.Path, kind, cmp.Or(m.MIMEType, media.TypeOf(filepath.Ext(m.Path)))}
	s.mu.Lock()
	f := s.files[key]
	if f == nil {
		f = &file{}
		if s.files == nil {
			s.files = map[fileKey]*file{}
		}
		s.files[key] = f
	}
	s.mu.Unlock()
	f.once.Do(func() { s.load(f, key) })
	if f.content == nil {
		return nil, f.err
	}
	out := *m
	out.Path, out.Local, out.MIMEType = "", false, f.mime
	out.Source = cmp.Or(m.Source, filepath.Base(m.Path))
	return &out, errors.Join(f.err, out.SetContent(f.content))
}

func (s *Store) load(f *file, key fileKey) {
	in, err := s.readAll(key.path)
	if err != nil {
		f.err = err
		return
	}
	data := in.data()
	if f.mime, f.err = media.Check(key.kind, key.declared, data); f.err != nil && !errors.Is(f.err, media.ErrOtherType) {
		return
	}
	sum := chat.SumOf(data)
	f.text = in.encode()
	f.content = chat.ContentOf(sum, len(data), func() (string, error) { return s.again(f, key, sum) })
	s.keep(f)
}

// again is the encoded text of a file, which is read again if it is no longer cached.
func (s *Store) again(f *file, key fileKey, sum string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text != "" {
		return f.text, nil
	}
	in, err := s.readAll(key.path)
	if err != nil {
		return "", err
	}
	if chat.SumOf(in.data()) != sum {
		return "", fmt.Errorf("%s was changed while the run went on", filepath.Base(key.path))
	}
	return in.encode(), nil
}

// keep makes room for a file that was read.
func (s *Store) keep(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += len(f.text)
	s.order = append(s.order, f)
	for s.held > heldBytes && len(s.order) > 1 {
		old := s.order[0]
		s.order = s.order[1:]
		old.mu.Lock()
		s.held -= len(old.text)
		old.text = ""
		old.mu.Unlock()
	}
}

func (s *Store) readAll(path string) (*raw, error) {
	if s.read != nil {
		return s.read(path)
	}
	return readFile(path)
}

func tooLarge(size int64) error {
	return fmt.Errorf("it has %d MB; the limit is %d MB", (size+(1<<20)-1)>>20, MaxBytes>>20)
}

// fetch is the result of a download. Its lock is held during the download.
type fetch struct {
	mu          sync.Mutex
	contentType string // type, by the server
	content     chat.Content
	types       map[[2]string]string // by kind and declared type
}

// address is a medium at an address. The result is kept; a failure is not, so that the next trial tries again.
func (s *Store) address(ctx context.Context, kind string, m *chat.Media) (*chat.Media, error) {
	if s.Fetch == nil {
		return nil, errors.New("nothing is fetched here")
	}
	s.mu.Lock()
	f := s.fetched[m.URL]
	if f == nil {
		f = &fetch{types: map[[2]string]string{}}
		if s.fetched == nil {
			s.fetched = map[string]*fetch{}
		}
		s.fetched[m.URL] = f
	}
	s.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	var data []byte
	if f.content == nil {
		got, err := s.Fetch(ctx, m.URL)
		if err != nil {
			return nil, err
		}
		data, f.contentType, f.content = got.Data, mediaTypeOf(got.Type), chat.NewContent(got.Data)
	}
	return f.medium(kind, m, data)
}

// medium checks the downloaded bytes against the kind. data are the bytes, if available.
func (f *fetch) medium(kind string, m *chat.Media, data []byte) (*chat.Media, error) {
	declared := cmp.Or(m.MIMEType, f.contentType, byAddress(m.URL))
	key := [2]string{kind, declared}
	if f.types[key] == "" {
		if data == nil {
			text, err := f.content.Base64()
			if err != nil {
				return nil, err
			}
			data, _ = base64.StdEncoding.DecodeString(text) // it was encoded here
		}
		mime, err := media.Check(kind, declared, data)
		if err != nil {
			return nil, err
		}
		f.types[key] = mime
	}
	out := *m
	out.MIMEType, out.URL, out.Source = f.types[key], "", chat.WithoutQuery(m.URL)
	return &out, out.SetContent(f.content)
}

// mediaTypeOf is the server's type, unless it is generic.
func mediaTypeOf(header string) string {
	mime, _, _ := strings.Cut(header, ";")
	if mime = strings.TrimSpace(mime); mime == "application/octet-stream" || mime == "binary/octet-stream" {
		return ""
	}
	return mime
}

func byAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return media.TypeOf(path.Ext(u.Path))
}
