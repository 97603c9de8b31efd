package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is a text that is one string in a file or, with several lines, a list of lines. So a diff shows the changed
// line.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	if !strings.Contains(string(t), "\n") {
		return compact(string(t))
	}
	return compact(strings.Split(string(t), "\n"))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	var lines []string
	if len(data) > 0 && data[0] == '[' {
		err := json.Unmarshal(data, &lines)
		*t = Text(strings.Join(lines, "\n"))
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

// compact encodes JSON on one line without needless escapes. Equal values give equal bytes.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads one JSON document into v, which must have all of its fields. Numbers keep every digit.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// chunks are the parts in which a text was streamed: characters, and milliseconds since the request. In a file they are
// one line: "5@12.3 7@14".
type chunks []chunk

type chunk struct {
	runes int
	ms    float64
}

// MarshalText implements encoding.TextMarshaler.
func (c chunks) MarshalText() ([]byte, error) {
	var b []byte
	for i, piece := range c {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(piece.runes), 10)
		b = append(b, '@')
		b = strconv.AppendFloat(b, piece.ms, 'f', -1, 64)
	}
	return b, nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *chunks) UnmarshalText(text []byte) error {
	*c = nil
	for word := range strings.FieldsSeq(string(text)) {
		size, at, _ := strings.Cut(word, "@")
		runes, err := strconv.Atoi(size)
		ms, err2 := strconv.ParseFloat(at, 64)
		if err != nil || err2 != nil || runes < 0 || ms < 0 || ms != ms || ms > maxMS {
			return fmt.Errorf("chunks are written like 5@12.3 7@14 (characters @ milliseconds), found %q", word)
		}
		*c = append(*c, chunk{runes, ms})
	}
	return nil
}

// maxMS bounds times in files to a day.
const maxMS = 24 * 60 * 60 * 1000

// cut splits a text into its chunks. The last one has the rest of an edited text.
func (c chunks) cut(text string) []string {
	if len(c) == 0 {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	pieces := make([]string, len(c))
	for i, piece := range c {
		at := 0
		for n := 0; n < piece.runes && at < len(text); n++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		if i == len(c)-1 {
			at = len(text)
		}
		pieces[i], text = text[:at], text[at:]
	}
	return pieces
}

// vector is an embedding. In a file it is one line.
type vector []float64

// MarshalText implements encoding.TextMarshaler.
func (v vector) MarshalText() ([]byte, error) {
	var b []byte
	for i, x := range v {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	return b, nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *vector) UnmarshalText(text []byte) error {
	*v = vector{}
	for word := range strings.FieldsSeq(string(text)) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || x-x != 0 {
			return fmt.Errorf("a vector is numbers with spaces between them, found %q", word)
		}
		*v = append(*v, x)
	}
	return nil
}
