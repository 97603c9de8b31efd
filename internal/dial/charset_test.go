package dial

import (
	"net/http"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, body, want, problem string }{
		{"", "Zürich", "Zürich", ""},
		{"application/json; charset=utf-8", "Zürich", "Zürich", ""},
		{"text/plain; charset=UTF-8", "\xef\xbb\xbfZürich", "Zürich", ""},
		{"text/plain; charset=iso-8859-1", "\xef\xbb\xbfZürich", "Zürich", ""},
		{"text/plain; charset=ISO-8859-1", "Z\xfcrich", "Zürich", ""},
		{`text/plain; charset="latin1"`, "Z\xfcrich", "Zürich", ""},
		{"text/plain; charset=iso-8859-15", "5 \xa4", "5 €", ""},
		{"text/plain; charset=windows-1252", "5 \x80", "5 €", ""},
		{"text/plain; charset=utf-16le", "Z\x00\xfc\x00", "Zü", ""},
		{"text/plain; charset=utf-16be", "\x00Z\x00\xfc", "Zü", ""},
		{"text/plain; charset=utf-16", "\xff\xfeZ\x00\xfc\x00", "Zü", ""},
		{"text/plain", "\xfe\xff\x00Z\x00\xfc", "Zü", ""},
		{"application/json", "\xff\xfe{\x00}\x00", "{}", ""},
		{"", "Z\xfcrich", "", `is not UTF-8, and its Content-Type ("") names no other`},
		{"text/plain; charset=utf-8", "Z\xfcrich", "", "is not utf-8, which its Content-Type names"},
		{"text/plain; charset=us-ascii", "Z\xfcrich", "", "is not us-ascii"},
		{"text/plain; charset=koi8-r", "Z\xfcrich", "", `"koi8-r", which is not known here; known are UTF-8`},
		{"text/plain; charset=utf-16", "Z\x00\xfc\x00", "", "is not utf-16"},
		{"text/plain; charset=utf-16le", "Z\x00\x00\xd8", "", "is not utf-16le"},
		{"text/plain; charset=windows-1252", "\x81", "", "is not windows-1252"},
		{"text/plain; charset", "Zürich", "Zürich", ""},
	} {
		got, err := Text(http.Header{"Content-Type": {c.kind}}, []byte(c.body))
		if string(got) != c.want || (err == nil) != (c.problem == "") ||
			err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q %q: %q %v, want %q %s", c.kind, c.body, got, err, c.want, c.problem)
		}
	}
}
