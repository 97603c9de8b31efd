package recording

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/ellipsis"
)

// given is the final output of a program. The program may have changed its model's reply (by a template, a fallback, a
// guardrail), and people saw the output, not the reply.
type given struct{ texts []string }

// givenIn reads the texts in an output of any form. The result may outlive the piece.
func givenIn(v value) given {
	var g given
	g.read(v, 0)
	return g
}

const maxGivenDepth = 50

func (g *given) read(v value, depth int) {
	if depth > maxGivenDepth {
		return
	}
	switch inner := nestedJSON(v); inner.kind() {
	case '{':
		for _, member := range inner.members {
			g.read(member, depth+1)
		}
	case '[':
		var parts strings.Builder
		for item := range inner.items {
			g.read(item, depth+1)
			if text, ok := item.get("text").or(item.get("content")).str(); ok {
				parts.WriteString(text)
			}
		}
		g.add(parts.String())
	case '"':
		text, _ := inner.str()
		g.add(text)
	}
	if text, ok := v.str(); ok { // the text may hold JSON
		g.add(text)
	}
}

func (g *given) add(text string) {
	if text = plainWords(text); text != "" && !slices.Contains(g.texts, text) {
		g.texts = append(g.texts, text)
	}
}

// holds reports whether one of the texts equals a reply, or all texts in a JSON reply are among them.
func (g *given) holds(reply string) bool {
	if slices.Contains(g.texts, plainWords(reply)) {
		return true
	}
	inner := jsonIn(reply)
	if inner.missing() {
		return false
	}
	parts := givenIn(inner)
	for _, text := range parts.texts {
		if !slices.Contains(g.texts, text) {
			return false
		}
	}
	return len(parts.texts) > 0
}

// plainWords returns a text with single spaces between its words.
func plainWords(text string) string { return strings.Join(strings.Fields(text), " ") }

// compareGiven notes that a program's output differs from the reply that is read.
func (b *builder) compareGiven(g given, reply event) {
	if len(g.texts) == 0 || reply.Text() == "" || g.holds(reply.Text()) {
		return
	}
	b.doubtf("the final output of the program differs from the last reply of the model, which is judged: %q",
		ellipsis.Runes(g.texts[len(g.texts)-1], 60))
}

// compareOutputs compares the output of each trace with the last reply of the calls in it. A span that is itself a
// model call may record its output twice.
func (b *builder) compareOutputs(spans, calls []aiSpan) {
	byID := map[string]*aiSpan{}
	for i := range spans {
		byID[spans[i].id] = &spans[i]
	}
	last := map[*aiSpan]event{}
	var tops []*aiSpan
	for i := range calls {
		c := &calls[i]
		if len(c.output) == 0 {
			continue
		}
		reply := c.output[len(c.output)-1]
		b.compareGiven(c.given, reply)
		top := outermostGiven(c, byID)
		if top == nil {
			continue
		}
		if _, known := last[top]; !known {
			tops = append(tops, top)
		}
		last[top] = reply
	}
	for _, top := range tops {
		b.compareGiven(top.given, last[top])
	}
}

// outermostGiven is the outermost span around a call that records an output; nil: none.
func outermostGiven(c *aiSpan, byID map[string]*aiSpan) (top *aiSpan) {
	seen := map[string]bool{c.id: true}
	for up := byID[c.parent]; c.parent != "" && up != nil && !seen[up.id]; up = byID[up.parent] {
		seen[up.id] = true
		if len(up.given.texts) > 0 && !up.asksModel() {
			top = up
		}
	}
	return top
}
