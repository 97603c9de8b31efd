package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// DOT draws the graph for Graphviz.
func (g *Graph) DOT(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n  %s [shape=point];\n",
		dotText(name), dotText(dotStart))
	for _, s := range g.states {
		label := s.Name
		if note := s.Note(); note != "" {
			label += "\n" + note
		}
		more := ""
		if s.Ends() {
			more = ", peripheries=2"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", dotText(s.Name), dotText(label), more)
	}
	fmt.Fprintf(&b, "  %s -> %s;\n", dotText(dotStart), dotText(g.entry.Name))
	for _, s := range g.states {
		for _, e := range s.Edges() {
			label, more := e.Event, ""
			if label == "" {
				label, more = s.full(), ", style=dashed"
			}
			fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", dotText(e.From), dotText(e.To), dotText(label), more)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// dotStart is the name of the point in front of the entry.
const dotStart = "(start)"

// dotText is a text within quotes.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(printable(text)) + `"`
}

// Mermaid draws the graph as a state diagram of Mermaid.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	ids := map[string]string{}
	for i, s := range g.states {
		id, note := s.Name, s.Note()
		if !isMermaidID(id) {
			id = "state" + strconv.Itoa(i+1)
		}
		ids[s.Name] = id
		if id != s.Name || note != "" {
			label := s.Name
			if note != "" {
				label += " (" + note + ")"
			}
			fmt.Fprintf(&b, "    state \"%s\" as %s\n", mermaidText(label), id)
		}
	}
	fmt.Fprintf(&b, "    [*] --> %s\n", ids[g.entry.Name])
	for _, s := range g.states {
		for _, e := range s.Edges() {
			label := e.Event
			if label == "" {
				label = s.full()
			}
			fmt.Fprintf(&b, "    %s --> %s: %s\n", ids[e.From], ids[e.To], mermaidText(label))
		}
		if s.Ends() {
			fmt.Fprintf(&b, "    %s --> [*]\n", ids[s.Name])
		}
	}
	return b.String()
}

var mermaidName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`) })

// mermaidWords mean something else in a diagram.
var mermaidWords = []string{
	"as", "choice", "class", "classdef", "click", "default", "direction", "end", "fork", "hide", "href", "join", "left",
	"note", "of", "over", "right", "root", "scale", "style", "title",
}

// isMermaidID reports whether a name can stand for itself, and is no word of the language nor an id that is made here.
func isMermaidID(name string) bool {
	word := strings.ToLower(name)
	return mermaidName().MatchString(name) && !slices.Contains(mermaidWords, word) && !strings.HasPrefix(word, "state")
}

// mermaidText is a text of a label, in which some characters have to be written by their numbers.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range printable(text) {
		switch {
		case r == '\n':
			b.WriteByte(' ')
		case strings.ContainsRune("\"#;:<>{}[]%&`\\", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printable is a text without control characters, but for ends of lines.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// Note says in a word what is special about a state; "" for one in which the model speaks and moves on.
func (s *State) Note() string {
	switch {
	case s.Mode == External:
		return "external"
	case s.Mode == Composed:
		return "composition " + s.Composition
	case s.Ends():
		return "terminal"
	}
	return ""
}

// full says when a state is full.
func (s *State) full() string {
	if s.MaxVisits == 1 {
		return "after 1 visit"
	}
	return fmt.Sprintf("after %d visits", s.MaxVisits)
}
