package checks

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// mediaFile is a test file of the package media.
func mediaFile(name string) string { return filepath.Join("..", "media", "testdata", name) }

func mediaBytes(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(mediaFile(name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// TestMediaThatDeclareNothing: real files without declared properties.
func TestMediaThatDeclareNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, kind, name, params, status, says string }{
		{"rgb.png", "image", "image_dimensions", `{"width": 64, "height": 48}`, "passed", "64×48"},
		{"moving.gif", "image", "image_dimensions", `{"max_width": 33}`, "passed", "33×21"},
		{"photo.jpg", "image", "image_dimensions", `{"min_width": 65}`, "failed", "has width 64"},
		{"lossy.webp", "image", "image_dimensions", `{"height": 48}`, "passed", "64×48"},
		{"565.bmp", "image", "image_format", `{"formats": "x-ms-bmp"}`, "passed", "bmp"},
		{"photo.jpg", "image", "image_format", `{"formats": ["jpg"]}`, "passed", "jpeg"},
		{"opus.ogg", "audio", "audio_format", `{"formats": ["opus"]}`, "passed", "ogg"},
		{"opus.ogg", "audio", "audio_format", `{"formats": ["ogg"]}`, "passed", "ogg"},
		{"opus.ogg", "audio", "audio_format", `{"formats": ["vorbis"]}`, "failed", "is ogg, expected vorbis"},
		{"tone.m4a", "audio", "audio_format", `{"formats": ["m4a"]}`, "passed", "mp4"},
		{"tagged.mp3", "audio", "audio_duration", `{"min_seconds": 0.49, "max_seconds": 0.51}`, "passed", "0.5 s"},
		{"piped.flac", "audio", "audio_duration", `{}`, "failed", "of unknown duration, which its flac bytes do not say"},
		{"plain.mp4", "video", "video_duration", `{"min_seconds": 1.2, "max_seconds": 1.2}`, "passed", "1.2 s"},
		{"plain.mov", "video", "video_resolution", `{"presets": ["64x48"]}`, "passed", "64×48"},
		{"plain.webm", "video", "video_duration", `{"max_seconds": 1}`, "failed", "lasts 1.2 s, at most 1 s allowed"},
	} {
		m := &chat.Media{Data: base64.StdEncoding.EncodeToString(mediaBytes(t, tc.file))}
		judgeMedium(t, tc.name, tc.params, chat.Part{Type: tc.kind, Media: m}, tc.status, tc.says)
	}
}

// TestMediaInFiles: only paths from the user's own files are opened.
func TestMediaInFiles(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large.png")
	if err := os.WriteFile(large, mediaBytes(t, "rgb.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxMediaFile+1); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path         string
		local        bool
		status, says string
	}{
		{mediaFile("rgb.png"), true, "passed", "1 image: 64×48"},
		{mediaFile("rgb.png"), false, "failed", "the image is of unknown size"},
		{mediaFile("none.png"), true, "error", "the image cannot be read: "},
		{mediaFile(""), true, "error", "is not a file"},
		{large, true, "error", "is larger than 64 MiB"},
	} {
		part := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Path: tc.path, Local: tc.local}}
		judgeMedium(t, "image_dimensions", `{}`, part, tc.status, tc.says)
	}
}

func TestMediaSpelledOddly(t *testing.T) {
	t.Parallel()
	data := mediaBytes(t, "rgb.png")
	lines := base64.StdEncoding.EncodeToString(data)
	lines = lines[:40] + "\r\n " + lines[40:] + "\n"
	for _, text := range []string{
		lines, base64.URLEncoding.EncodeToString(data), base64.RawStdEncoding.EncodeToString(data),
		base64.RawURLEncoding.EncodeToString(data),
	} {
		got, err := decodeBase64(text)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
	judgeMedium(t, "image_dimensions", `{}`, chat.Part{Type: "image"}, "failed", "the image is of unknown size")
}

func judgeMedium(t *testing.T, name, params string, part chat.Part, status, says string) {
	t.Helper()
	compiled, problems := compileJSON(&Compiler{}, name, params, ScopeTurn, nil)
	if compiled == nil {
		t.Fatal(problems)
	}
	v := compiled.Judge(t.Context(), &Subject{Messages: []chat.Message{
		{Role: chat.User, Content: "Make one."}, {Role: chat.Assistant, Parts: []chat.Part{part}},
	}})
	if text := v.Explanation + v.Error; v.Status.String() != status || !strings.Contains(text, says) {
		t.Errorf("%s %s: %s: %s\nwant %s: %s", name, params, v.Status, text, status, says)
	}
}

// benchMedia are media of each kind, as models send them.
var benchMedia = func() []chat.Part {
	var list []chat.Part
	for _, m := range []struct{ kind, mime, file string }{
		{"image", "image/png", "rgb.png"}, {"audio", "audio/mpeg", "tagged.mp3"}, {"video", "video/mp4", "plain.mp4"},
	} {
		data, err := os.ReadFile(mediaFile(m.file))
		if err != nil {
			panic(err)
		}
		list = append(list, chat.Part{Type: m.kind, Media: &chat.Media{
			MIMEType: m.mime, Data: base64.StdEncoding.EncodeToString(data),
		}})
	}
	return list
}()

// BenchmarkLargeImage runs three checks on an image of 3 MB: its base64 is decoded once.
func BenchmarkLargeImage(b *testing.B) {
	data := append(mediaBytes(b, "photo.jpg"), make([]byte, 3<<20)...)
	text := base64.StdEncoding.EncodeToString(data)
	part := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/jpeg", Data: text}}
	var list []*Compiled
	for _, params := range []string{`{"width": 64}`, `{"max_width": 100}`, `{"min_height": 48}`} {
		compiled, _ := compileJSON(&Compiler{}, "image_dimensions", params, ScopeTurn, nil)
		list = append(list, compiled)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s := &Subject{Messages: []chat.Message{{Role: chat.User}, {Role: chat.Assistant, Parts: []chat.Part{part}}}}
		for _, c := range list {
			if v := c.Judge(b.Context(), s); v.Status != result.Passed {
				b.Fatal(v.Explanation, v.Error)
			}
		}
	}
}
