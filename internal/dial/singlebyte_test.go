package dial

import (
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// TestSingleByte: every byte is what the library takes it for.
func TestSingleByte(t *testing.T) {
	t.Parallel()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, c := range map[string]struct {
		set      singleByte
		standard *charmap.Charmap
	}{
		"latin-1": {latin1, charmap.ISO8859_1}, "latin-9": {latin9, charmap.ISO8859_15},
		"windows-1252": {windows1252, charmap.Windows1252},
	} {
		got, err := c.set.decode(every)
		want, wantErr := c.standard.NewDecoder().Bytes(every)
		if string(got) != string(want) || err != nil || wantErr != nil {
			t.Errorf("%s: %q, %v, want %q, %v", name, got, err, want, wantErr)
		}
	}
}
