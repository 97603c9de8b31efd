package checks

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// toolText is the result of a tool for patterns: the text that the model got. The model gets JSON objects and lists
// indented. Patterns also match them without spaces, with the usual spaces after commas and colons, and with escapes
// decoded. Only the kept part of a cut result is compared, so a missing match may be in the rest.
type toolText struct {
	text    string // the part that was kept
	cut     bool   // the rest was cut off
	masking masking
	forms   []Reply // the text first; the others are made on demand
}

func newToolText(text string, mask masking) *toolText {
	kept, cut := chat.Kept(text)
	return &toolText{text: kept, cut: cut, masking: mask, forms: []Reply{{Text: kept, masking: mask}}}
}

// has reports whether a pattern is in the result.
func (t *toolText) has(p *textPattern, caseSensitive bool) bool {
	return t.any(func(form *Reply) bool { return p.in(form, caseSensitive) })
}

// contains reports whether a text is literally in the result.
func (t *toolText) contains(text string) bool {
	return t.any(func(form *Reply) bool { return t.masking.has(form.Text, strings.Contains(form.Text, text)) })
}

// matches reports whether an expression matches the result, whatever was cut off.
func (t *toolText) matches(re *regexp.Regexp) bool {
	return (!t.cut || !looksAtEnd(re)) && t.any(func(form *Reply) bool { return t.masking.find(re, form.Text) != nil })
}

func (t *toolText) any(fits func(form *Reply) bool) bool {
	if fits(&t.forms[0]) {
		return true
	}
	if len(t.forms) == 1 {
		for _, text := range compactForms(t.text) {
			t.forms = append(t.forms, Reply{Text: text, masking: t.masking})
		}
	}
	for i := range t.forms[1:] {
		if fits(&t.forms[1+i]) {
			return true
		}
	}
	return false
}

// compactForms are a JSON object or list without spaces, and with a space after each comma and colon; none for other
// texts.
func compactForms(text string) (forms []string) {
	v, ok := structured(text)
	if !ok {
		return nil
	}
	read := jsonvalue.Compact(v)
	var written bytes.Buffer
	if json.Compact(&written, []byte(text)) == nil && written.String() != read {
		forms = append(forms, written.String(), spaced(written.String()))
	}
	return append(forms, read, spaced(read))
}

// spaced adds a space after each comma and colon of compact JSON, except within strings.
func spaced(compact string) string {
	var b strings.Builder
	b.Grow(len(compact) + len(compact)/8)
	inString := false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		b.WriteByte(c)
		switch {
		case inString && c == '\\' && i+1 < len(compact): // the next character is escaped
			i++
			b.WriteByte(compact[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}
