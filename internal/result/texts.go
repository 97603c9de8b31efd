package result

import "strings"

// texts stores very many short texts in few long strings.
type texts struct {
	done []string // each contains many texts
	open strings.Builder
	last textAt
	text string // the last text
}

// textAt is the position of a text in texts. A text with allBytes is as long as the whole.
type textAt struct {
	in        uint32
	at, bytes uint16
}

const (
	textsBytes = 1 << 15
	allBytes   = 1<<16 - 1
)

// add stores a text. If it equals the previous one, that is shared.
func (t *texts) add(text string) textAt {
	if text == t.text && t.last.bytes > 0 {
		return t.last
	}
	if text == "" {
		return textAt{}
	}
	if t.open.Len() > 0 && t.open.Len()+len(text) > textsBytes {
		t.close()
	}
	t.last = textAt{uint32(len(t.done)), uint16(t.open.Len()), uint16(min(len(text), allBytes))}
	_, _ = t.open.WriteString(text) // never fails
	if t.text = text; len(text) >= allBytes {
		t.close()
	}
	return t.last
}

func (t *texts) close() {
	t.done = append(t.done, t.open.String())
	t.open = strings.Builder{}
}

func (t *texts) get(p textAt) string {
	if p.bytes == 0 {
		return ""
	}
	text := t.open.String()
	if int(p.in) < len(t.done) {
		text = t.done[p.in]
	}
	if p.bytes == allBytes {
		return text
	}
	return text[p.at:][:p.bytes]
}
