package html

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// eights is what the page reads of a text of seven bits a character.
func eights(text string) []byte {
	var out []byte
	bits, n := 0, 0
	for _, c := range text {
		switch c {
		case 'À':
			c = 0
		case 'Á':
			c = '\r'
		case 'Â':
			c = '<'
		}
		bits, n = bits<<7|int(c), n+7
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
			bits &= 1<<n - 1
		}
	}
	return out
}

func TestSevens(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{1})
	for n := range 300 {
		data := make([]byte, n)
		_, _ = random.Read(data)
		text := string(encode7Bit(data))
		if got := eights(text); !bytes.Equal(got, data) {
			t.Fatalf("%d bytes: %x, want %x", n, got, data)
		}
		if strings.ContainsAny(text, "\x00\r<") || !utf8.ValidString(text) {
			t.Fatalf("%q cannot stand in a page", text)
		}
	}
	data := make([]byte, 1<<20)
	_, _ = random.Read(data)
	if n := len(encode7Bit(data)); float64(n) > 1.175*float64(len(data)) {
		t.Errorf("%d bytes for %d", n, len(data))
	}
}
