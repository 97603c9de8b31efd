package secret

import "bytes"

// Labels redacts metrics in the text format of Prometheus. Only the values of labels and the help texts may hold
// secrets.
func (g *Guard) Labels(p []byte) []byte {
	set := g.Set()
	if set.next(p, 0, false).size == 0 {
		return p
	}
	t := token{set: set, text: p, last: true}
	for t.at < len(p) {
		line := t.at + len(p[t.at:])
		if n := bytes.IndexByte(p[t.at:], '\n'); n >= 0 {
			line = t.at + n + 1
		}
		t.labels(line)
	}
	return t.done()
}

// labels reads a line, up to its end. In a line of help, everything after the name is text.
func (t *token) labels(end int) {
	if words := bytes.SplitN(t.text[t.at:end], []byte(" "), 4); string(words[0]) == "#" && len(words) == 4 {
		t.copy(end - len(words[3]))
		t.clean(end)
		return
	}
	for {
		n := bytes.IndexByte(t.text[t.at:end], '"')
		if n < 0 {
			break
		}
		name := labelName(t.text[t.at : t.at+n])
		t.copy(t.at + n + 1)
		value := closingQuote(t.text[:end], t.at)
		if value < 0 {
			break
		}
		if isOwn(name, t.text[t.at:value]) {
			t.copy(value)
		} else {
			t.clean(value)
		}
		t.copy(value + 1)
	}
	t.copy(end)
}

// labelName returns the name of a label, after the comma or brace before it.
func labelName(p []byte) string {
	p = bytes.TrimSuffix(p, []byte("="))
	return string(p[bytes.LastIndexAny(p, "{,")+1:])
}
