package scenario

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/node"
)

// templateFails reports parts of a mock_template that always fail, whatever the arguments are.
func (d *decoder) templateFails(n *node.Node, src string, t *template.Template) {
	f := templateFaults{all: t}
	for _, part := range t.Templates() {
		if part.Tree != nil && part.Root != nil {
			f.list(part.Root)
			f.endless(part.Tree)
		}
	}
	for _, found := range f.found {
		report := d.Errorf(n, "invalid-template", "mock_template: %s", found.msg)
		if report.Hint = found.hint; node.IsBlock(n) { // its text starts below the |
			report.Pos.Line += int32(strings.Count(src[:found.at], "\n") + 1)
			report.Pos.Col, report.Width = 0, 0
		}
	}
}

type templateFault struct {
	at        parse.Pos
	msg, hint string
}

type templateFaults struct {
	all   *template.Template
	found []templateFault
}

func (f *templateFaults) add(at parse.Pos, hint, format string, args ...any) {
	f.found = append(f.found, templateFault{at, fmt.Sprintf(format, args...), hint})
}

// defined reports whether a template has this name.
func (f *templateFaults) defined(name string) bool {
	t := f.all.Lookup(name)
	return t != nil && t.Tree != nil
}

func (f *templateFaults) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			f.pipe(n.Pipe)
		case *parse.IfNode:
			f.branch(&n.BranchNode)
		case *parse.RangeNode:
			f.branch(&n.BranchNode)
		case *parse.WithNode:
			f.branch(&n.BranchNode)
		case *parse.TemplateNode:
			f.pipe(n.Pipe)
			if !f.defined(n.Name) {
				f.add(n.Pos, "write {{define "+fmt.Sprintf("%q", n.Name)+"}}…{{end}}, or its text itself",
					"there is no template %q", n.Name)
			}
		}
	}
}

func (f *templateFaults) branch(n *parse.BranchNode) {
	f.pipe(n.Pipe)
	f.list(n.List)
	f.list(n.ElseList)
}

func (f *templateFaults) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for i, c := range p.Cmds {
		f.command(c, min(i, 1))
	}
}

// argumentCounts are the minimum and maximum numbers of arguments of functions; -1: no maximum.
var argumentCounts = map[string][2]int{
	"and": {1, -1}, "or": {1, -1}, "not": {1, 1}, "len": {1, 1}, "index": {1, -1}, "slice": {1, 4},
	"eq": {2, -1}, "ne": {2, 2}, "lt": {2, 2}, "le": {2, 2}, "gt": {2, 2}, "ge": {2, 2}, "printf": {1, -1},
}

// command checks one call; piped is the number of values from the command before it.
func (f *templateFaults) command(c *parse.CommandNode, piped int) {
	for _, arg := range c.Args {
		if p, nested := arg.(*parse.PipeNode); nested {
			f.pipe(p)
		}
	}
	given := len(c.Args) - 1 + piped
	switch first := c.Args[0].(type) {
	case *parse.IdentifierNode:
		if first.Ident == "call" {
			f.add(first.Pos, "arguments of tools are values", "call cannot be used: there are no functions to call")
			return
		}
		if limits, known := argumentCounts[first.Ident]; known && (given < limits[0] || limits[1] >= 0 && given > limits[1]) {
			f.add(first.Pos, "", "%s takes %s, found %d", first.Ident, argumentWords(limits), given)
		}
	case *parse.FieldNode:
		if given > 0 {
			f.add(first.Pos, "write eq before both to compare them, printf to join them",
				"%s is a value and takes no arguments", first)
		}
	}
}

func argumentWords(limits [2]int) string {
	switch {
	case limits[1] < 0:
		return fmt.Sprintf("%d or more arguments", limits[0])
	case limits[0] == limits[1] && limits[0] == 1:
		return "1 argument"
	case limits[0] == limits[1]:
		return fmt.Sprintf("%d arguments", limits[0])
	}
	return fmt.Sprintf("%d to %d arguments", limits[0], limits[1])
}

// endless reports a template that always calls itself.
func (f *templateFaults) endless(t *parse.Tree) {
	var seen []string
	var reaches func(t *parse.Tree) parse.Pos
	reaches = func(part *parse.Tree) parse.Pos {
		for _, n := range part.Root.Nodes {
			call, is := n.(*parse.TemplateNode)
			if !is || !f.defined(call.Name) || slices.Contains(seen, call.Name) {
				continue
			}
			if call.Name == t.Name {
				return call.Pos
			}
			seen = append(seen, call.Name)
			if reaches(f.all.Lookup(call.Name).Tree) >= 0 {
				return call.Pos
			}
		}
		return -1
	}
	if at := reaches(t); at >= 0 {
		f.add(at, "put the call between {{if}} and {{end}}", "the template %q holds itself, and has no end", t.Name)
	}
}
