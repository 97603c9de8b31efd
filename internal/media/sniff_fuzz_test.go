package media

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCheck: a detected type fits the kind of the part, detected text is text, and bytes of another format than
// declared are never accepted.
func FuzzCheck(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.*"))
	if err != nil || len(names) == 0 {
		f.Fatal("no files", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for kind := range 4 {
			f.Add(byte(kind), TypeOf(filepath.Ext(name)), data)
			f.Add(byte(kind), "", data)
		}
	}
	for _, text := range []string{
		"%PDF-1.7\n%%EOF", "<svg onload='x'/>", "<!doctype html><script>", "{\"a\": 1}", "a\x00b", "caf\xe9", "\xff\xfea\x00",
		"PK\x03\x04[Content_Types].xml word/", "version https://git-lfs", "GIF89a<script>", "\xef\xbb\xbftext", "",
	} {
		for kind := range 4 {
			f.Add(byte(kind), "", []byte(text))
			f.Add(byte(kind), "text/plain; charset=utf-8", []byte(text))
			f.Add(byte(kind), "application/json", []byte(text))
		}
	}
	kinds := []string{"image", "audio", "video", "document"}
	f.Fuzz(func(t *testing.T, of byte, declared string, data []byte) {
		kind := kinds[int(of)%len(kinds)]
		mime, err := Check(kind, declared, data)
		if again, second := Check(kind, declared, data); again != mime || (err == nil) != (second == nil) {
			t.Fatalf("%q and %q, %v and %v", mime, again, err, second)
		}
		if err != nil {
			if errors.Is(err, ErrOtherType) && mime == "" {
				t.Fatalf("bytes of another type, and none is named: %v", err)
			}
			return
		}
		if mime == "" || KindOf(mime) != kind {
			t.Fatalf("%q for a part of type %s", mime, kind)
		}
		ext := ExtensionOf(mime)
		if kind != "document" {
			if _, err := Inspect(data); errors.Is(err, ErrUnknown) && Name(kind, mime) != "pcm" {
				t.Fatalf("%q of bytes that show no format", mime)
			}
			return
		}
		if ext == "" || ext == ".html" || ext == ".svg" {
			t.Fatalf("the extension %q for %q", ext, mime)
		}
		if text := strings.HasPrefix(mime, "text/") || mime == "application/json"; text &&
			(!utf8.Valid(data) || strings.ContainsRune(string(data), 0)) {
			t.Fatalf("%q of bytes that are no text", mime)
		}
	})
}
