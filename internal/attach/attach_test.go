package attach

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/media"
)

func picture(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "media", "testdata", "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// large is an image that is too large for a message.
func large(t testing.TB) []byte {
	t.Helper()
	return append(picture(t), make([]byte, chat.InlineMedia)...)
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOnce: a thousand trials that send a file read and encode it once.
func TestOnce(t *testing.T) {
	t.Parallel()
	path := write(t, "red.png", large(t))
	var reads atomic.Int64
	s := &Store{read: func(path string) (*raw, error) {
		reads.Add(1)
		return readFile(path)
	}}
	texts := make([]string, 1000)
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() {
			m, err := s.Attach(t.Context(), "image", &chat.Media{Path: path, Local: true})
			if err == nil {
				texts[i], err = m.Base64()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if reads.Load() != 1 {
		t.Errorf("the file was read %d times", reads.Load())
	}
	want := chat.Encode(large(t))
	for _, text := range texts {
		if text != want {
			t.Fatal("a trial got other bytes")
		}
	}
}

// TestPeak: a medium of 40 MB takes no more than its encoded text, with everything that is thrown away.
func TestPeak(t *testing.T) {
	const size = 40 << 20
	data := append(picture(t), make([]byte, size)...)
	path := write(t, "red.png", data)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, err := (&Store{}).Attach(b.Context(), "image", &chat.Media{Path: path, Local: true})
			if err != nil || m.Size != len(data) || m.MIMEType != "image/png" || m.Data != "" {
				b.Fatalf("%+v %v", m, err)
			}
		}
	})
	if n := got.AllocedBytesPerOp(); n > size*3/2 {
		t.Errorf("%d MB were allocated for %d MB", n>>20, size>>20)
	}
}

// TestEncodedInPlace: bytes of every length are encoded to what the library makes of them.
func TestEncodedInPlace(t *testing.T) {
	t.Parallel()
	for _, around := range []int{0, 3 << 10, 9 << 10, 1 << 20} {
		for n := max(around-7, 0); n < around+8; n++ {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(i*i>>3 + i)
			}
			in, err := readFile(write(t, "bytes", data))
			if err != nil || !bytes.Equal(in.data(), data) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if in.encode() != base64.StdEncoding.EncodeToString(data) {
				t.Errorf("%d bytes are encoded to something else", n)
			}
		}
	}
}

func TestSmallStandsInTheMessage(t *testing.T) {
	t.Parallel()
	path := write(t, "red.png", picture(t))
	of := &chat.Media{Path: path, Local: true, Source: "pictures/red.png", Detail: "low"}
	m, err := (&Store{}).Attach(t.Context(), "image", of)
	if err != nil {
		t.Fatal(err)
	}
	if m.Data != chat.Encode(picture(t)) || m.SHA256 != "" || m.Path != "" || m.Source != "pictures/red.png" || m.Detail != "low" {
		t.Errorf("%+v", m)
	}
	if of.Path != path || of.Data != "" {
		t.Errorf("the file's own medium was changed: %+v", of)
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	text := []byte("Some words.\n")
	for _, c := range []struct {
		name, kind, declared string
		data                 []byte
		want                 string
	}{
		{"a.png", "image", "", nil, "it is empty"},
		{"a.png", "image", "", picture(t)[:300], "cut off"},
		{"a.jpg", "image", "", picture(t), "image/jpeg, and its bytes are png"},
		{"a.png", "image", "image/jpeg", picture(t), "image/jpeg, and its bytes are png"},
		{"a.png", "image", "", []byte("<!DOCTYPE html><script>alert(1)</script>"), "look like HTML"},
		{"a.png", "image", "", []byte(`<svg onload="alert(1)"/>`), "look like SVG"},
		{"a.svg", "image", "", []byte(`<svg/>`), "its bytes are of no format that such a part can have; they look like SVG"},
		{"a.svg", "image", "image/svg+xml", []byte(`<svg/>`), "image/svg+xml is not a type of image"},
		{"a", "image", "", text, "of no known format; name its mime_type"},
		{"a.md", "document", "", []byte(" \n"), "it holds nothing but white space"},
		{"a.wav", "audio", "", []byte("<html>404</html>"), "look like HTML"},
		{"a.wav", "image", "", picture(t), "audio/wav, which is no image"},
		{"a.pdf", "document", "", text, "application/pdf, and its bytes are not"},
		{"a.pdf", "document", "", []byte("%PDF-1.7\n1 0 obj"), "cut off"},
		{"a.pdf", "document", "", []byte("MZ\x90\x00 %PDF-1.7 %%EOF"), "application/pdf, and its bytes are not"},
		{"a.pdf", "document", "", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF"), "it has no page"},
		{"a.wav", "audio", "", append([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00"+
			"\x01\x00\x08\x00data"), 0, 0, 0, 0), "it has no samples"},
		{"a.txt", "document", "", []byte("%PDF-1.7\n%%EOF"), "text/plain, and its bytes are not; they look like pdf"},
		{"a.txt", "document", "", []byte("a\x00b"), "text/plain, and its bytes are not"},
		{"a.md", "document", "", []byte("caf\xe9"), "text/markdown, and its bytes are not"},
		{"b.csv", "document", "text/csv", []byte("<!doctype html><title>Log in</title>"), "text/csv, and its bytes are not; they look like HTML"},
		{"b.txt", "document", "", []byte("<html>Log in</html>"), "text/plain, and its bytes are not; they look like HTML"},
		{"a.csv", "document", "text/csv", []byte("\xff\xfea\x00"), "text/csv, and its bytes are not"},
		{"a.json", "document", "", []byte(`{"a": 1`), "application/json, and its bytes are not"},
		{"a.txt", "document", "", []byte("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
		{"a.docx", "document", "", []byte("PK\x03\x04 archive"), "look like a zip archive"},
		{"a.exe", "document", "application/x-msdownload", []byte("MZ"), "is not a type of document"},
		{"a.png", "image", "", []byte("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
		{"a.mp4", "video", "", text, "video/mp4, and its bytes are not"},
	} {
		path := write(t, c.name, c.data)
		m, err := (&Store{}).Attach(t.Context(), c.kind, &chat.Media{Path: path, Local: true, MIMEType: c.declared})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("%s as %s %s: %+v, %v; want %s", c.name, c.kind, c.declared, m, err, c.want)
		}
	}
	good := []struct{ name, kind, declared, want string }{
		{"notes.md", "document", "", "text/markdown"}, {"notes.csv", "document", "", "text/csv"},
		{"notes", "document", "", "text/plain"}, {"notes.json", "document", "text/plain; charset=utf-8", "text/plain"},
		{"sound.pcm", "audio", "", "audio/pcm"},
	}
	for _, c := range good {
		m, err := (&Store{}).Attach(t.Context(), c.kind, &chat.Media{Path: write(t, c.name, text), Local: true, MIMEType: c.declared})
		if err != nil || m.MIMEType != c.want {
			t.Errorf("%s: %+v, %v", c.name, m, err)
		}
	}
}

// TestTooLarge: what is too large is not read.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	path := write(t, "huge.png", picture(t))
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	_, err := (&Store{}).Attach(t.Context(), "image", &chat.Media{Path: path, Local: true})
	if err == nil || err.Error() != "it has 1024 MB; the limit is 50 MB" {
		t.Error(err)
	}
}

// TestEvicted: evicted data are read again, and refused if they changed.
func TestEvicted(t *testing.T) {
	t.Parallel()
	path := write(t, "red.png", large(t))
	s := &Store{}
	m, err := s.Attach(t.Context(), "image", &chat.Media{Path: path, Local: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.order {
		f.text = ""
	}
	if text, err := m.Base64(); err != nil || text != chat.Encode(large(t)) {
		t.Error(err)
	}
	if err := os.WriteFile(path, append(large(t), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Base64(); err == nil || !strings.Contains(err.Error(), "red.png was changed while the run went on") {
		t.Error(err)
	}
}

func local(string) bool { return true }

func fetcher(t *testing.T) *Fetcher {
	f := &Fetcher{Dialer: dial.Public{Allowed: local}}
	t.Cleanup(f.Close)
	return f
}

func TestFetch(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		switch r.URL.Path {
		case "/red":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(picture(t))
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "/huge":
			w.Header().Set("Content-Length", "1073741824")
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/to-file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/to-password":
			http.Redirect(w, r, "http://a:b@"+r.Host+"/red", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("<html></html>"))
		case "/part":
			w.Header().Set("Content-Type", "image/png")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(picture(t))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	s := &Store{Fetch: fetcher(t).Fetch}
	for range 3 {
		m, err := s.Attach(t.Context(), "image", &chat.Media{URL: server.URL + "/red"})
		if err != nil || m.MIMEType != "image/png" || m.URL != "" || m.Data == "" || m.Source != server.URL+"/red" {
			t.Fatalf("%+v %v", m, err)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("it was fetched %d times", calls.Load())
	}
	if _, err := s.Attach(t.Context(), "image", &chat.Media{URL: server.URL + "/red", MIMEType: "image/gif"}); !errors.Is(err, media.ErrOtherType) {
		t.Error(err)
	}
	for path, want := range map[string]string{
		"/endless": "more than 50 MB", "/huge": "1024 MB; the limit is 50 MB", "/round": "redirects more than 10 times",
		"/to-file": `the scheme "file"`, "/to-password": "a name or a password", "/page": "look like HTML",
		"/none": "Not Found (404)", "/part": "a part of it (206)",
	} {
		if _, err := s.Attach(t.Context(), "image", &chat.Media{URL: server.URL + path}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := s.Attach(ctx, "image", &chat.Media{URL: server.URL + "/other"}); !errors.Is(err, why) {
		t.Error(err)
	}
}

// TestRedirectWithin: a public address that redirects to this machine is not followed.
func TestRedirectWithin(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the server within was asked")
	}))
	defer inner.Close()
	outer := httptest.NewServer(http.RedirectHandler(inner.URL+"/secret.png", http.StatusFound))
	defer outer.Close()
	port := outer.URL[strings.LastIndexByte(outer.URL, ':')+1:]
	public := "http://pictures.example:" + port
	f := &Fetcher{Dialer: dial.Public{
		Allowed: func(host string) bool { return host == "pictures.example" },
		Open: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dial.New(false)(ctx, network, strings.Replace(address, "pictures.example", "127.0.0.1", 1))
		},
	}}
	defer f.Close()
	_, err := f.Fetch(t.Context(), public+"/red.png")
	if err == nil || !strings.Contains(err.Error(), "it redirects: 127.0.0.1 is not a public address") {
		t.Error(err)
	}
}
