package jsonquery

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"github.com/ohler55/ojg/jp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Unmet names a member that a filter of the path compares and that no item has, although a similar name exists, so that
// it is probably misspelled; or a number that is ordered against a text. Such a filter never selects anything. It is ""
// if the filter can match, and if there are no items. A name without a similar one may be that of an optional member.
func (q *Query) Unmet(doc any) (what string) {
	defer func() { // as in guarded
		if recover() != nil {
			what = ""
		}
	}()
	return q.unmet(doc)
}

// comparison is a comparison of a filter, with the values of both sides for an item.
type comparison struct {
	orders      bool // it is not a test for equality
	left, right operand
}

// operand is a side of a comparison. text is how it is written; of a literal, of is nil.
type operand struct {
	text    string
	literal any
	of      func(item any) any // nil for what an item does not have
}

// unmet is Unmet for one comparison.
func (c *comparison) unmet(items []any) string {
	for _, side := range [][2]*operand{{&c.left, &c.right}, {&c.right, &c.left}} {
		o, other := side[0], side[1]
		if o.of == nil {
			continue
		}
		has, texts := false, false
		for _, item := range items {
			v := o.of(item)
			has = has || v != nil
			texts = texts || v != nil && !jsonvalue.IsNumber(v)
		}
		_, quoted := other.literal.(string)
		switch {
		case !has && (other.of != nil || other.literal != nil): // null is what is not there
			if near := diag.Nearest(lastName(o.text), namesIn(items)); near != "" {
				return fmt.Sprintf("no item has %s (did you mean %s?)", o.text, near)
			}
		case !texts && quoted && c.orders:
			return o.text + " is a number in each item, and is compared with a text"
		}
	}
	return ""
}

// lastName is the end of a path of names.
func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// namesIn are the names of the members of items, at any depth.
func namesIn(items []any) []string {
	names := map[string]bool{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case jsonvalue.Object:
			for name, member := range v {
				names[name] = true
				visit(member)
			}
		}
	}
	visit(items)
	return slices.Sorted(maps.Keys(names))
}

// unmetFilter is Unmet for JSONPath.
func unmetFilter(path jp.Expr, doc any) string {
	for i, frag := range path {
		filter, is := frag.(*jp.Filter)
		if !is {
			continue
		}
		items := members(walk(path[:i], doc, true))
		if len(items) == 0 || len(walk(path[:i+1], doc, true)) > 0 {
			continue
		}
		for _, c := range comparisonsOf(filter.Inspect()) {
			if text := c.unmet(items); text != "" {
				return text
			}
		}
	}
	return ""
}

// members are the items of lists, and the members of objects.
func members(values []any) (items []any) {
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			items = append(items, v...)
		case jsonvalue.Object:
			for _, key := range sortedKeys(v) {
				items = append(items, v[key])
			}
		}
	}
	return items
}

func comparisonsOf(form any) (list []comparison) {
	f, is := form.(*jp.Form)
	if !is {
		return nil
	}
	switch f.Op {
	case "==", "!=", "<", "<=", ">", ">=":
		return []comparison{{strings.ContainsAny(f.Op, "<>"), sideOf(f.Left), sideOf(f.Right)}}
	}
	return append(comparisonsOf(f.Left), comparisonsOf(f.Right)...)
}

func sideOf(v any) operand {
	path, is := v.(jp.Expr)
	if !is {
		return operand{literal: v}
	}
	return operand{text: strings.TrimPrefix(path.String(), "@."), of: func(item any) any {
		if found := path.Get(item); len(found) > 0 {
			return found[0]
		}
		return nil
	}}
}

// unmetExpression is Unmet for JMESPath.
func unmetExpression(ast *parsing.ASTNode, doc any) string {
	run := func(n *parsing.ASTNode, v any) any {
		got, err := interpreter.NewInterpreter(doc, jmesCaller(), nil).Execute(*n, v)
		if err != nil {
			return nil
		}
		return got
	}
	for n := ast; ; n = &n.Children[0] {
		if n.NodeType == parsing.ASTFilterProjection {
			items, _ := run(&n.Children[0], doc).([]any)
			if got, _ := run(n, doc).([]any); len(items) == 0 || len(got) > 0 {
				return ""
			}
			for _, c := range comparisonsIn(&n.Children[2], run) {
				if text := c.unmet(items); text != "" {
					return text
				}
			}
			return ""
		}
		if len(n.Children) == 0 {
			return ""
		}
	}
}

func comparisonsIn(n *parsing.ASTNode, run func(*parsing.ASTNode, any) any) (list []comparison) {
	if compares(n) {
		side := func(n *parsing.ASTNode) operand {
			if n.NodeType == parsing.ASTLiteral {
				return operand{literal: n.Value}
			}
			return operand{text: fieldsIn(n), of: func(item any) any { return run(n, item) }}
		}
		op := n.Children[0].Value
		return []comparison{{op != parsing.TOKEQ && op != parsing.TOKNE, side(&n.Children[1]), side(&n.Children[2])}}
	}
	for i := range n.Children {
		list = append(list, comparisonsIn(&n.Children[i], run)...)
	}
	return list
}

// fieldsIn are the names in an expression, as a path.
func fieldsIn(n *parsing.ASTNode) string {
	if name, is := n.Value.(string); is && n.NodeType == parsing.ASTField {
		return name
	}
	var names []string
	for i := range n.Children {
		if text := fieldsIn(&n.Children[i]); text != "" {
			names = append(names, text)
		}
	}
	return strings.Join(names, ".")
}
