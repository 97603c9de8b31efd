package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// TestEvents reads streams in pieces of any size.
func TestEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 2000)
	for _, c := range []struct {
		name, body string
		want       []string // name|data, with a ! if the stream ended within the line
	}{
		{"nothing", "", nil},
		{"two events", "data: a\n\ndata: b\n\n", []string{"|a", "|b"}},
		{"no empty line between", "data: a\ndata: b\n", []string{"|a", "|b"}},
		{"no blank, ends of lines of another system", "data:a\r\n\r\ndata:b\r\n\r\n", []string{"|a", "|b"}},
		{"CR alone ends a line", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"CR alone, with a name", "event: error\rdata: a\r\rdata: b\r", []string{"error|a", "|b"}},
		{"all ends of lines", "event: x\r\ndata: a\r\n\r\ndata: b\n\ndata: c\r\rdata: d\r\n", []string{"x|a", "|b", "|c", "|d"}},
		{"cut behind CR", "data: a\r", []string{"|a"}},
		{"a name is of one event", "event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "|b"}},
		{"signs of life and other fields", ": hi\n\nid: 7\nretry: 10\ndata: a\n\n", []string{"|a"}},
		{"cut within a line", "data: a\n\ndata: b", []string{"|a", "|b!"}},
		{"a long line", "data: " + long + "\n\ndata: b\n\n", []string{"|" + strings.TrimSpace(long), "|b"}},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "data with the error": iotest.DataErrReader, "half": iotest.HalfReader,
		} {
			var got []string
			events := newEvents(wrap(strings.NewReader(c.body)))
			for {
				e, err := events.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(e.Data) > 0 {
					got = append(got, e.Name+"|"+string(e.Data)+map[bool]string{true: "!"}[e.Cut])
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", c.name, name, diff)
			}
		}
	}
}
