package node

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Most files use little of YAML: keys and lists in lines, texts and numbers on one line, JSON on one line. Their
// loading is mostly the library's scanner, which takes many times as long as such a file needs. So plainDocument reads
// these files itself, into the very nodes of the library, and leaves every other file to it: whatever it does not know
// for certain (comments, blocks, tags, anchors, tabs, empty values, texts over several lines, mistakes) makes it give
// up.

// plainDocument is the root of a file with one document that uses the plain part of YAML alone; nil: the library has to
// read the file.
func plainDocument(data []byte) *Node {
	wide, ok := plainCharacters(data)
	if !ok {
		return nil
	}
	p := plainReader{data: data, wide: wide}
	if p.nextLine(); p.over || p.indent != 0 {
		return nil
	}
	root := p.mapping(0, nil)
	if root == nil || !p.over {
		return nil
	}
	return root
}

// plainCharacters reports whether a file has no characters but line feeds that move a line or a column in a way of
// their own, and whether it has characters of several bytes.
func plainCharacters(data []byte) (wide, ok bool) {
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c < ' ' && c != '\n' || c == 0x7f:
			return false, false
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r <= '\u00a0' || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffe' || r == '\uffff' {
				return false, false
			}
			wide, i = true, i+size
		}
	}
	return wide, true
}

// maxPlainDepth is far above what people nest.
const maxPlainDepth = 64

// plainReader reads lines. Its methods return nil where the library has to read the file.
type plainReader struct {
	data  []byte
	wide  bool // it has characters of several bytes
	depth int

	next   int  // where the line behind this one begins
	over   bool // there is no line left
	line   int  // from 1
	start  int  // of the line
	indent int  // of its first character that is no space
	at     int  // what is to be read next
	end    int  // of the line, without spaces

	slab    []Node  // for texts, made many at a time
	content []*Node // of the lists and maps that are open
}

// nextLine goes to the first character of the next line that has any.
func (p *plainReader) nextLine() {
	for p.next < len(p.data) {
		p.start, p.line = p.next, p.line+1
		stop := bytes.IndexByte(p.data[p.start:], '\n')
		if stop < 0 {
			stop, p.next = len(p.data), len(p.data)
		} else {
			stop += p.start
			p.next = stop + 1
		}
		for p.at = p.start; p.at < stop && p.data[p.at] == ' '; p.at++ {
		}
		if p.at == stop {
			continue
		}
		p.indent, p.end = p.at-p.start, stop
		for p.data[p.end-1] == ' ' {
			p.end--
		}
		return
	}
	p.over = true
}

// slabSize is how many texts are made at once: a file has dozens. Lists and maps are made one by one, so that nobody
// who keeps a text keeps all that stands in one of them.
const slabSize = 16

// node is a new node at a place of this line.
func (p *plainReader) node(kind yaml.Kind, tag string, at int) *Node {
	var n *Node
	switch {
	case kind != Scalar:
		n = new(Node)
	case len(p.slab) == 0:
		p.slab = make([]Node, slabSize)
		fallthrough
	default:
		n, p.slab = &p.slab[0], p.slab[1:]
	}
	n.Kind, n.Tag, n.Line, n.Column = kind, tag, p.line, at-p.start+1
	if p.wide {
		n.Column = utf8.RuneCount(p.data[p.start:at]) + 1
	}
	return n
}

// close gives a list or map its entries, which are those since it was opened.
func (p *plainReader) close(n *Node, opened int) *Node {
	if len(p.content) > opened {
		n.Content = append(make([]*Node, 0, len(p.content)-opened), p.content[opened:]...)
	}
	p.content = p.content[:opened]
	p.depth--
	return n
}

// mapping reads a map whose keys are in one column. Its first key may have been read already.
func (p *plainReader) mapping(indent int, key *Node) *Node {
	var m *Node
	if key != nil {
		m = p.node(Map, "!!map", p.start)
		m.Column = key.Column
	} else {
		m = p.node(Map, "!!map", p.at)
	}
	if p.depth++; p.depth > maxPlainDepth {
		return nil
	}
	opened := len(p.content)
	for {
		if key == nil {
			isKey := false
			if key, isKey = p.scalar(); key == nil || !isKey {
				return nil
			}
		}
		value := p.value(indent)
		if value == nil {
			return nil
		}
		p.content = append(p.content, key, value)
		if p.over || p.indent < indent {
			return p.close(m, opened)
		}
		if p.indent > indent {
			return nil
		}
		key = nil
	}
}

// value reads what belongs to a key in a column: the rest of its line, or what stands below it.
func (p *plainReader) value(indent int) *Node {
	if p.at < p.end {
		return p.inline(indent)
	}
	switch p.nextLine(); {
	case p.over || p.indent < indent:
		return nil // no value
	case p.isEntry():
		return p.list(p.indent, p.indent == indent)
	case p.indent == indent:
		return nil
	}
	return p.mapping(p.indent, nil)
}

// isEntry reports whether the line begins with the mark of an entry.
func (p *plainReader) isEntry() bool {
	return p.data[p.at] == '-' && p.at+1 < p.end && p.data[p.at+1] == ' '
}

// list reads a list whose marks are in one column, which may be that of the key that it belongs to.
func (p *plainReader) list(indent int, ofKey bool) *Node {
	l := p.node(List, "!!seq", p.at)
	if p.depth++; p.depth > maxPlainDepth {
		return nil
	}
	opened := len(p.content)
	for {
		p.at++
		p.skipSpaces()
		entry := p.entry(indent)
		if entry == nil {
			return nil
		}
		p.content = append(p.content, entry)
		switch {
		case p.over || p.indent < indent:
			return p.close(l, opened)
		case p.indent > indent:
			return nil
		case p.isEntry():
		case ofKey:
			return p.close(l, opened)
		default:
			return nil
		}
	}
}

// entry reads what stands behind the mark of an entry.
func (p *plainReader) entry(indent int) *Node {
	if isFlow(p.data[p.at]) {
		return p.inline(indent)
	}
	column := p.at - p.start
	first, isKey := p.scalar()
	switch {
	case first == nil:
		return nil
	case isKey:
		return p.mapping(column, first)
	}
	return p.lineEnd(first, indent)
}

// inline reads the rest of a line as one value.
func (p *plainReader) inline(indent int) *Node {
	if isFlow(p.data[p.at]) {
		return p.lineEnd(p.flow(), indent)
	}
	n, isKey := p.scalar()
	if isKey {
		return nil
	}
	return p.lineEnd(n, indent)
}

// lineEnd goes to the next line, behind a value that ends with its own. The next line does not belong to it.
func (p *plainReader) lineEnd(n *Node, indent int) *Node {
	if n == nil || p.at != p.end {
		return nil
	}
	if p.nextLine(); !p.over && p.indent > indent {
		return nil
	}
	return n
}

func (p *plainReader) skipSpaces() {
	for p.at < p.end && p.data[p.at] == ' ' {
		p.at++
	}
}
