package dial

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Text decodes a textual reply to UTF-8, by the charset in its Content-Type or by its byte order mark, which it
// removes. It returns an error if the charset is unknown.
func Text(h http.Header, body []byte) ([]byte, error) {
	name := named(h)
	switch { // a byte order mark is surer than a name
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body, name = body[3:], ""
	case bytes.HasPrefix(body, []byte("\xff\xfe")), bytes.HasPrefix(body, []byte("\xfe\xff")):
		name = "utf-16"
	}
	if plain[name] {
		if utf8.Valid(body) {
			return body, nil
		}
		if name == "" {
			return nil, fmt.Errorf("the reply is not UTF-8, and its Content-Type (%q) names no other character set",
				clip(h.Get("Content-Type")))
		}
		return nil, fmt.Errorf("the reply is not %s, which its Content-Type names", name)
	}
	decode := charsets[name]
	if decode == nil {
		return nil, fmt.Errorf("the reply has the character set %q, which is not known here; known are UTF-8, UTF-16, "+
			"ISO-8859-1, ISO-8859-15 and windows-1252", clip(name))
	}
	text, err := decode(body)
	if err != nil || bytes.Contains(text, []byte("\uFFFD")) {
		return nil, fmt.Errorf("the reply is not %s, which its Content-Type names or its first bytes show", name)
	}
	return text, nil
}

// named is the character set that a Content-Type names; "": none, also when it is broken.
func named(h http.Header) string {
	_, params, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return strings.ToLower(strings.Trim(params["charset"], `"' `))
}

// Declared reports whether a Content-Type names another character set than UTF-8.
func Declared(h http.Header) bool { return !plain[named(h)] }

// plain are the names of UTF-8 and its subsets, and no name.
var plain = map[string]bool{"": true, "utf-8": true, "utf8": true, "us-ascii": true, "ascii": true}

func clip(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// charsets decodes those other than UTF-8.
var charsets = map[string]func(body []byte) ([]byte, error){
	"iso-8859-1": latin1.decode, "latin1": latin1.decode, "latin-1": latin1.decode,
	"iso-8859-15": latin9.decode, "latin-9": latin9.decode,
	"windows-1252": windows1252.decode, "cp1252": windows1252.decode,
	"utf-16":   by(unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)),
	"utf-16le": by(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)),
	"utf-16be": by(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)),
}

func by(set encoding.Encoding) func([]byte) ([]byte, error) {
	return func(body []byte) ([]byte, error) { return set.NewDecoder().Bytes(body) }
}
