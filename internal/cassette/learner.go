package cassette

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// learner collects what stands in the fields that the user named, because it may be said again anywhere.
type learner struct {
	*redactor
	values []string
	begun  []string // the beginnings of values that were cut
}

// said looks for the fields in a text, whatever the text is.
func (l *learner) said(text string) { l.saidIn(text, false) }

// argued is said for a text that was meant as JSON.
func (l *learner) argued(text string) { l.saidIn(text, true) }

// called looks for the fields in the arguments of calls.
func (l *learner) called(list []chat.ToolCall) {
	for i := range list {
		l.value(list[i].Args)
		l.argued(list[i].BadArgs)
		l.argued(list[i].Written)
	}
}

func (l *learner) saidIn(text string, meant bool) {
	if l.redactor == nil || len(l.fields) == 0 || text == "" {
		return
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err == nil {
		l.value(v)
	}
	// A document may have a key twice, of which only the last is decoded.
	s := looseScan{l.redactor, plainQuotes(text), err != nil && (meant || opensDocument(text))}
	for _, v := range s.values() {
		l.found(s.text[v.from:v.to], v)
	}
}

// value looks for the fields in a JSON value.
func (l *learner) value(v any) {
	if l.redactor == nil || len(l.fields) == 0 {
		return
	}
	switch v := v.(type) {
	case jsonvalue.Object:
		for name, member := range v {
			if l.named(name) {
				l.all(member)
			} else {
				l.value(member)
			}
		}
	case []any:
		for _, item := range v {
			l.value(item)
		}
	case string: // which may hold a document of its own
		l.said(v)
	}
}

// all takes everything in the value of a field. Keys are taken that are more than the names of fields: a name may
// stand anywhere, and means nothing.
func (l *learner) all(v any) {
	switch v := v.(type) {
	case jsonvalue.Object:
		for key, member := range v {
			if !namesField(key) {
				l.take(key)
			}
			l.all(member)
		}
	case []any:
		for _, item := range v {
			l.all(item)
		}
	case string:
		l.take(v)
	case json.Number:
		l.values = append(l.values, v.String())
	}
}

// take takes a text, each of its lines, and the values in it if it is a document itself.
func (l *learner) take(text string) {
	l.values = append(l.values, text)
	if strings.ContainsAny(text, "\r\n") {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
			l.values = append(l.values, strings.TrimSpace(line))
		}
	}
	if opensDocument(text) {
		v, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			l.pieces(text)
			return
		}
		l.all(v)
		if _, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); twice { // of which the last alone was decoded
			l.pieces(text)
		}
	}
}

// found takes the value of a field in a text that is no JSON.
func (l *learner) found(raw string, v looseValue) {
	text := unquoted(strings.TrimLeft(raw, `\`), v.level)
	if raw == "" || text == "" {
		return
	}
	switch c := text[0]; {
	case isQuote(c):
		quote := string(c)
		content := strings.TrimPrefix(text, quote)
		if inner, closed := strings.CutSuffix(content, quote); closed && !v.cut {
			content = inner
		}
		content = unquoted(content, 1)
		switch {
		case v.cut:
			l.begun = append(l.begun, strings.TrimRight(content, `\`))
		case strings.Contains(content, quote): // something stands behind its end
			l.pieces(content)
			fallthrough
		default:
			l.take(content)
		}
	case c == '{' || c == '[':
		l.take(text)
	default:
		if v.cut {
			l.begun = append(l.begun, text)
		} else {
			l.values = append(l.values, text)
		}
		if word, _, more := strings.Cut(text, " "); more {
			l.values = append(l.values, word)
		}
	}
}

// pieces takes the texts between the signs of JSON.
func (l *learner) pieces(text string) {
	for text != "" {
		end := strings.IndexAny(text, `{}[]",:'`+"\r\n")
		piece, rest := text, ""
		if end >= 0 {
			piece, rest = text[:end], text[end+1:]
		}
		isKey := end >= 0 && strings.HasPrefix(strings.TrimLeft(text[end:], `\"' `), ":")
		if piece = strings.Trim(piece, `\ `); !isKey || !namesField(piece) {
			if end < 0 {
				l.begun = append(l.begun, piece)
			} else {
				l.values = append(l.values, piece)
			}
		}
		text = rest
	}
}

// namesField reports whether a key is spelled like the name of a field: letters in whatever words, with a number of at
// most two digits behind them.
func namesField(key string) bool {
	name := strings.TrimRightFunc(key, unicode.IsDigit)
	if name == "" || len(key)-len(name) > 2 {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-' {
			return false
		}
	}
	return true
}

// opensDocument reports whether a text begins like a JSON object or list.
func opensDocument(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && (text[0] == '{' || text[0] == '[')
}
