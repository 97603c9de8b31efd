package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is a text that a file holds as one string or, when it has several lines, as the list of them, so that a change
// shows as the line that changed.
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

// compact is JSON on one line in which no sign is escaped that need not be. Equal values give equal bytes.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads one JSON document into v; numbers of free values keep every digit.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// chunks are the pieces in which a text streamed in: how many characters each has, and when it came, in milliseconds
// from the request. A file holds them on one line: "5@12.3 7@14".
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

// maxMS bounds times in files: a day is more than any wait.
const maxMS = 24 * 60 * 60 * 1000

// cut are the pieces of a text. What an edited text has more than the chunks belongs to the last of them.
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

// vector is the numbers of an embedding, in one line of a file.
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
