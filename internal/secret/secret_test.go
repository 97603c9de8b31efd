package secret

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	s := NewSet([]string{`top/se"cret`, "abc", "k-12", "none", "aaaa", "sk-long-0123456789", "sk-long"})
	for text, want := range map[string]string{
		"nothing to hide":                 "nothing to hide",
		`key top/se"cret here`:            "key [redacted] here",
		`in JSON top/se\"cret, once more`: "in JSON [redacted], once more",
		"in an address top%2Fse%22cret":   "in an address [redacted]",
		"in markup top/se&#34;cret":       "in markup [redacted]",
		"abc is too short":                "abc is too short",
		"k-12, xk-12 and k-123":           "[redacted], xk-12 and k-123",
		"none is a word, and so is aaaa":  "none is a word, and so is aaaa",
		"sk-long-0123456789 sk-long":      "[redacted] [redacted]",
		"at its end sk-lon":               "at its end sk-lon",
		"":                                "",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if got := string(s.Bytes([]byte(s.Text(text)))); got != want {
			t.Errorf("twice: %q became %q", text, got)
		}
	}
	if NewSet([]string{"", "abc", "EMPTY"}) != nil {
		t.Error("there is something to hide")
	}
}

// TestDocument writes a document in pieces of every size, so that secrets are cut everywhere.
func TestDocument(t *testing.T) {
	t.Parallel()
	var g Guard
	g.Learn("secret-one", "secret-two-longer", "k-12")
	text := strings.Repeat("some text secret-one, secret-two-longer k-12 k-123 ", 3000)
	want := strings.Repeat("some text [redacted], [redacted] [redacted] k-123 ", 3000)
	for _, size := range []int{1, 7, 1000, 1 << 15, 1 << 20} {
		var out bytes.Buffer
		d := g.Document(&out, Plain)
		for at := 0; at < len(text); at += size {
			if n, err := d.Write([]byte(text[at:min(at+size, len(text))])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		if err := d.Close(); err != nil || out.String() != want {
			t.Errorf("in pieces of %d: %v, %d bytes, want %d", size, err, out.Len(), len(want))
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	var g Guard
	var out bytes.Buffer
	lines, people := g.Lines(&out), g.Screen(&out)
	write := func(text string) {
		t.Helper()
		for _, w := range []interface{ Write(p []byte) (int, error) }{lines, people} {
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}
	}
	write("key-1234 ")
	g.Learn("key-1234")
	write("key-1234 ")
	write("htp://me:pass@host ")
	want := "key-1234 key-1234 [redacted] [redacted] htp://me:pass@host htp://[redacted]@host "
	if out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
	var none *Guard
	if none.Text("a") != "a" || none.Set() != nil {
		t.Error("nobody knows a secret")
	}
}

func BenchmarkBytes(b *testing.B) {
	var values []string
	for i := range 40 {
		values = append(values, strings.Repeat(string(rune('A'+i%26)), 3)+"-secret-"+strings.Repeat("x", i))
	}
	s := NewSet(values)
	text := []byte(strings.Repeat(`{"role":"assistant","content":"Your refund of 42 USD was denied.","latency_ms":1.5},`, 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Bytes(text)
	}
}

// BenchmarkDocument writes a document in pieces of a line.
func BenchmarkDocument(b *testing.B) {
	var g Guard
	g.Learn("sk-secret-0123456789", "Bearer of news", "https-password")
	line := []byte(`{"role":"assistant","content":"Your refund of 42 USD was denied.","latency_ms":1.5}` + "\n")
	d := g.Document(io.Discard, JSON)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = d.Write(line)
	}
}
