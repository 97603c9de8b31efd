package cassette

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// learner collects the values of the fields to redact, because a model may repeat them anywhere.
type learner struct {
	*redactor
	values   []string
	prefixes []string // beginnings of values that were cut
}

// addText looks for the fields in any text.
func (l *learner) addText(text string) { l.scanText(text, false) }

// addJSONText is addText for a text that should be JSON, and may not be.
func (l *learner) addJSONText(text string) { l.scanText(text, true) }

// addCalls looks for the fields in the arguments of tool calls.
func (l *learner) addCalls(list []chat.ToolCall) {
	for i := range list {
		l.addValue(list[i].Args)
		l.addJSONText(list[i].BadArgs)
		l.addJSONText(list[i].Written)
	}
}

func (l *learner) scanText(text string, isJSON bool) {
	if l.redactor == nil || len(l.fields) == 0 || text == "" {
		return
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err == nil {
		l.addValue(v)
	}
	// If a document has a key twice, only the last value is decoded.
	s := looseScan{l.redactor, plainQuotes(text), err != nil && (isJSON || opensDocument(text))}
	for _, v := range s.values() {
		l.addFound(s.text[v.from:v.to], v)
	}
}

// addValue looks for the fields in a JSON value.
func (l *learner) addValue(v any) {
	if l.redactor == nil || len(l.fields) == 0 {
		return
	}
	switch v := v.(type) {
	case jsonvalue.Object:
		for name, member := range v {
			if l.named(name) {
				l.addAll(member)
			} else {
				l.addValue(member)
			}
		}
	case []any:
		for _, item := range v {
			l.addValue(item)
		}
	case string: // may be a JSON document
		l.addText(v)
	}
}

// addAll adds all texts and numbers in the value of a field, and keys that do not look like names of fields.
func (l *learner) addAll(v any) {
	switch v := v.(type) {
	case jsonvalue.Object:
		for key, member := range v {
			if !namesField(key) {
				l.addSecret(key)
			}
			l.addAll(member)
		}
	case []any:
		for _, item := range v {
			l.addAll(item)
		}
	case string:
		l.addSecret(v)
	case json.Number:
		l.values = append(l.values, v.String())
	}
}

// addSecret adds a text, each of its lines, and the values in it if it is a JSON document.
func (l *learner) addSecret(text string) {
	l.values = append(l.values, text)
	if strings.ContainsAny(text, "\r\n") {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
			l.values = append(l.values, strings.TrimSpace(line))
		}
	}
	if opensDocument(text) {
		v, err := chat.DecodeJSON([]byte(text))
		if err != nil {
			l.addPieces(text)
			return
		}
		l.addAll(v)
		if _, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); twice { // only its last value was decoded
			l.addPieces(text)
		}
	}
}

// addFound adds the value of a field in a text that is not JSON.
func (l *learner) addFound(raw string, v looseValue) {
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
			l.prefixes = append(l.prefixes, strings.TrimRight(content, `\`))
		case strings.Contains(content, quote): // it includes text after the end of the value
			l.addPieces(content)
			fallthrough
		default:
			l.addSecret(content)
		}
	case c == '{' || c == '[':
		l.addSecret(text)
	default:
		if v.cut {
			l.prefixes = append(l.prefixes, text)
		} else {
			l.values = append(l.values, text)
		}
		if word, _, more := strings.Cut(text, " "); more {
			l.values = append(l.values, word)
		}
	}
}

// addPieces adds the texts between the punctuation of JSON.
func (l *learner) addPieces(text string) {
	for text != "" {
		end := strings.IndexAny(text, `{}[]",:'`+"\r\n")
		piece, rest := text, ""
		if end >= 0 {
			piece, rest = text[:end], text[end+1:]
		}
		isKey := end >= 0 && strings.HasPrefix(strings.TrimLeft(text[end:], `\"' `), ":")
		if piece = strings.Trim(piece, `\ `); !isKey || !namesField(piece) {
			if end < 0 {
				l.prefixes = append(l.prefixes, piece)
			} else {
				l.values = append(l.values, piece)
			}
		}
		text = rest
	}
}

// namesField reports whether a key looks like the name of a field: letters, _ and -, with at most two digits at the
// end.
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
