package secret

import (
	"bytes"
	"slices"
	"strings"
)

// ownAttributes are attributes of HTML and JUnit XML whose values arena writes itself.
var ownAttributes = []string{
	"assertions", "class", "content", "datetime", "dir", "errors", "failures", "height", "id", "lang", "line", "name",
	"preserveaspectratio", "rel", "role", "scope", "skipped", "tabindex", "tests", "time", "timestamp", "type", "version",
	"viewbox", "width", "x",
}

// rawElements are elements without text: scripts, styles, and packed data.
var rawElements = []string{"script", "style"}

const cdata, cdataEnd = "<![CDATA[", "]]>"

// markupWalk reads HTML and XML. Texts and values of attributes may hold secrets.
type markupWalk struct {
	raw string // the raw element that is open; "": none
}

func (w *markupWalk) step(t *token) bool {
	rest := t.text[t.at:]
	switch {
	case w.raw != "":
		return w.rawText(t)
	case rest[0] != '<':
		return upTo(t, "<", t.clean)
	case len(rest) < len(cdata) && !t.last && bytes.HasPrefix([]byte(cdata), rest):
		return false
	case bytes.HasPrefix(rest, []byte(cdata)):
		if bytes.Contains(rest, []byte(cdataEnd)) || t.last {
			t.copy(t.at + len(cdata))
			return upTo(t, cdataEnd, t.clean)
		}
		return false
	}
	return w.tag(t)
}

// upTo reads the text before an end mark; false if the mark has not come yet.
func upTo(t *token, end string, take func(int)) bool {
	n := bytes.Index(t.text[t.at:], []byte(end))
	switch {
	case n >= 0:
		take(t.at + n)
	case t.last:
		take(len(t.text))
	default:
		return false
	}
	return true
}

func (w *markupWalk) rawText(t *token) bool {
	end := "</" + w.raw
	if upTo(t, end, t.copy) {
		w.raw = ""
		return true
	}
	t.copy(max(t.at, len(t.text)-len(end))) // the rest may be the start of the end
	return false
}

func (w *markupWalk) tag(t *token) bool {
	end := tagEnd(t.text, t.at)
	if end < 0 && !t.last {
		return false
	}
	if end < 0 {
		end = len(t.text)
	}
	start := t.at
	for t.at < end {
		n := bytes.IndexAny(t.text[t.at:end], `"'`)
		if n < 0 {
			t.copy(end)
			break
		}
		quote := t.text[t.at+n]
		name := attribute(t.text[start : t.at+n])
		t.copy(t.at + n + 1)
		value := bytes.IndexByte(t.text[t.at:end], quote)
		if value < 0 {
			value = end - t.at
		}
		if isOwnAttribute(t.text[start:end], name) {
			t.copy(t.at + value)
		} else {
			t.clean(t.at + value)
		}
		t.copy(min(t.at+1, end))
	}
	if name := elementName(t.text[start:end]); slices.Contains(rawElements, name) {
		w.raw = name
	}
	return true
}

// isOwnAttribute reports whether arena itself wrote the value of an attribute. The names of testcases and properties
// come from users.
func isOwnAttribute(tag []byte, name string) bool {
	if name == "name" || name == "content" {
		element := elementName(tag)
		return element == "meta" || element == "testsuites"
	}
	return slices.Contains(ownAttributes, name)
}

// tagEnd returns the offset after a tag; -1 when the tag has no end.
func tagEnd(p []byte, at int) int {
	quote := byte(0)
	for i := at; i < len(p); i++ {
		switch c := p[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return -1
}

// attribute returns the name of the attribute before an offset, in lower case.
func attribute(tag []byte) string {
	tag = bytes.TrimRight(tag, "= \t\r\n")
	return strings.ToLower(string(tag[bytes.LastIndexAny(tag, " \t\r\n\"'")+1:]))
}

// elementName returns the name of a tag. The name of a closing tag begins with a slash.
func elementName(tag []byte) string {
	name, _, _ := strings.Cut(strings.Trim(string(tag[:min(len(tag), 32)]), "<>"), " ")
	return strings.TrimRight(name, ">/\n")
}
