package checks

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// toolText is the result of a tool as patterns see it: as the model got it. A JSON object or list, which the model gets
// indented, is also compared without spaces and with those that people write (behind commas and colons), as it was
// written and with its escapes read. Of one that was cut, only
// what is kept is compared, and whatever that does not show may stand behind it.
type toolText struct {
	text    string // the part that was kept
	cut     bool   // the rest is not
	masking masking
	forms   []Reply // the text first; the others once they are asked for
}

func newToolText(text string, mask masking) *toolText {
	kept, cut := chat.Kept(text)
	return &toolText{text: kept, cut: cut, masking: mask, forms: []Reply{{Text: kept, masking: mask}}}
}

// has reports whether a pattern is in the result.
func (t *toolText) has(p *textPattern, caseSensitive bool) bool {
	return t.any(func(form *Reply) bool { return p.in(form, caseSensitive) })
}

// contains reports whether a text is in the result as it is.
func (t *toolText) contains(text string) bool {
	return t.any(func(form *Reply) bool { return t.masking.has(form.Text, strings.Contains(form.Text, text)) })
}

// matches reports whether an expression matches the result, whatever follows what is kept of it.
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

// compactForms are a JSON object or list without spaces, and with one behind each comma and colon; none for other
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

// spaced is compact JSON with a space behind each comma and colon that is not within a string.
func spaced(compact string) string {
	var b strings.Builder
	b.Grow(len(compact) + len(compact)/8)
	inString := false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		b.WriteByte(c)
		switch {
		case inString && c == '\\' && i+1 < len(compact): // what follows belongs to it
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
