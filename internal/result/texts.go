package result

import "strings"

// texts keeps very many short texts in few long ones.
type texts struct {
	done []string // that hold many texts each
	open strings.Builder
	last textAt
	text string // the last one
}

// textAt is where texts has a text.
type textAt struct{ in, at, bytes uint32 }

const textsBytes = 1 << 15

// add keeps a text; one that is the same as the one before it is kept once.
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
	t.last = textAt{uint32(len(t.done)), uint32(t.open.Len()), uint32(len(text))}
	_, _ = t.open.WriteString(text) // never fails
	t.text = text
	return t.last
}

// close ends adding, for get.
func (t *texts) close() {
	t.done = append(t.done, t.open.String())
	t.open = strings.Builder{}
}

func (t *texts) get(p textAt) string {
	if p.bytes == 0 {
		return ""
	}
	return t.done[p.in][p.at : p.at+p.bytes]
}
