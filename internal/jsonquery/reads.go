package jsonquery

import (
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"github.com/ohler55/ojg/jp"
)

// Reads lists the members of the document itself that a path names, sorted, each once. It lists none for a broken path,
// or for one that selects every member.
func Reads(text string) []string {
	if _, err := Compile(text); err != nil {
		return nil
	}
	text = strings.TrimSpace(text)
	var names []string
	if isJSONPath(text) {
		if path, err := jp.ParseString(text); err == nil && len(path) > 1 {
			if name, ok := path[1].(jp.Child); ok {
				names = append(names, string(name))
			}
		}
		return names
	}
	ast, err := parsing.NewParser().Parse(text)
	if err != nil {
		return nil
	}
	reads(&ast, true, func(name string) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// reads visits the members that an expression names of the document. here says that its current value is the document.
func reads(n *parsing.ASTNode, here bool, visit func(name string)) {
	if name, ok := n.Value.(string); ok && n.NodeType == parsing.ASTField && here {
		visit(name)
	}
	for i := range n.Children {
		reads(&n.Children[i], readsHere(n, i, here), visit)
	}
}

// readsHere reports whether the current value of a part of an expression is the document.
func readsHere(n *parsing.ASTNode, part int, here bool) bool {
	switch n.NodeType {
	case parsing.ASTExpRef:
		return false
	case parsing.ASTSubexpression, parsing.ASTIndexExpression, parsing.ASTPipe, parsing.ASTProjection,
		parsing.ASTFilterProjection, parsing.ASTValueProjection, parsing.ASTFlatten:
		if part == 0 {
			return here
		}
		switch n.Children[0].NodeType {
		case parsing.ASTRootNode:
			return true
		case parsing.ASTCurrentNode, parsing.ASTIdentity:
			return here && (n.NodeType == parsing.ASTSubexpression || n.NodeType == parsing.ASTPipe)
		}
		return false
	}
	return here
}
