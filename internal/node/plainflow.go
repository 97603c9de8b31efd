package node

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow reads a map or list in { } or [ ] that ends on its line.
func (p *plainReader) flow() *Node {
	n, closing := p.node(Map, "!!map", p.at), byte('}')
	if p.data[p.at] == '[' {
		n.Kind, n.Tag, closing = List, "!!seq", ']'
	}
	n.Style = yaml.FlowStyle
	if p.depth++; p.depth > maxPlainDepth {
		return nil
	}
	opened := len(p.content)
	p.at++
	if p.skipSpaces(); p.at < p.end && p.data[p.at] == closing {
		p.at++
		return p.close(n, opened)
	}
	for {
		if n.Kind == Map && !p.flowKey() {
			return nil
		}
		value := p.flowValue()
		if value == nil {
			return nil
		}
		p.content = append(p.content, value)
		if p.skipSpaces(); p.at == p.end {
			return nil
		}
		c := p.data[p.at]
		if p.at++; c == closing {
			return p.close(n, opened)
		}
		if c != ',' {
			return nil
		}
		p.skipSpaces()
	}
}

// flowKey reads a key and its colon.
func (p *plainReader) flowKey() bool {
	from := p.at
	key := p.flowScalar()
	if key == nil || p.at >= p.end || p.data[p.at] != ':' || p.at-from > maxPlainKey {
		return false
	}
	if p.at++; key.Style == 0 && (p.at == p.end || p.data[p.at] != ' ') { // the colon is of the text
		return false
	}
	p.skipSpaces()
	p.content = append(p.content, key)
	return true
}

func (p *plainReader) flowValue() *Node {
	if p.at < p.end && isFlow(p.data[p.at]) {
		return p.flow()
	}
	return p.flowScalar()
}

// flowScalar reads a text in quotes, or a word or number.
func (p *plainReader) flowScalar() *Node {
	if p.at == p.end {
		return nil
	}
	if c := p.data[p.at]; c == '"' || c == '\'' {
		return p.quoted(c)
	}
	if !isWord(p.data[p.at]) && (p.data[p.at] != '-' || !p.beginsPlain()) {
		return nil
	}
	from := p.at
	for p.at < p.end && (isWord(p.data[p.at]) || strings.IndexByte("-./+", p.data[p.at]) >= 0) {
		p.at++
	}
	return p.word(from, p.at)
}
