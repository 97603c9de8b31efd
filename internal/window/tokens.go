package window

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
)

// Assumptions for messages without a token count.
const (
	bytesPerToken = 4 // of text in letters of alphabets; of scripts with a character for a word it is one character
	framing       = 4 // of a message: its role, and where it begins and ends
	ofMedia       = 1000
	ofPage        = 1500 // of a document
)

// Estimate is about how many tokens a message takes. Texts, arguments of calls and results of tools count alike.
func Estimate(m *chat.Message) int {
	n := framing
	if m.Content != "" || len(m.Parts) == 0 {
		n += Text(m.Content)
	}
	n += parts(m.Parts)
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		n += Text(call.Name)
		if call.BadArgs != "" {
			n += Text(call.BadArgs)
		} else if call.Args != nil {
			text, _ := json.Marshal(call.Args) // the value was decoded from JSON
			n += Text(string(text))
		}
	}
	if r := m.ToolResult; r != nil {
		if len(r.Parts) == 0 || r.Content != "" {
			n += Text(r.Content)
		}
		n += parts(r.Parts)
		if r.Error != r.Content {
			n += Text(r.Error)
		}
	}
	return n
}

func parts(list []chat.Part) (n int) {
	for i := range list {
		switch p := &list[i]; {
		case p.Media == nil:
			n += Text(p.Text)
		case p.Media.MIMEType == "application/pdf":
			n += ofPage * pages(p.Media)
		default:
			n += ofMedia
		}
	}
	return n
}

// pages counts the pages of a PDF as far as that can be told without reading compressed objects.
func pages(m *chat.Media) int {
	text, err := m.Base64()
	if err != nil {
		return 1
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return 1
	}
	n := 0
	for {
		_, rest, found := bytes.Cut(data, []byte("/Type"))
		if !found {
			return max(n, 1)
		}
		data = bytes.TrimLeft(rest, " \r\n\t")
		if after, is := bytes.CutPrefix(data, []byte("/Page")); is && (len(after) == 0 || after[0] != 's') {
			n++
		}
	}
}

// Text is about how many tokens a text takes: one for every four bytes, and one for each character of a script that
// writes words or syllables with one.
func Text(s string) int {
	wide, alphabetic := 0, len(s)
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if i += size; isWide(r) {
			wide, alphabetic = wide+1, alphabetic-size
		}
	}
	return wide + (alphabetic+bytesPerToken-1)/bytesPerToken
}

// isWide reports whether a character is one of Chinese, Japanese or Korean.
func isWide(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}
