package jsonquery

import (
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"github.com/ohler55/ojg/jp"
)

// Always says why a path selects something that is not null in every document; "" is a path that may select nothing.
// Such a path asks for nothing where all that is asked for is a value.
func Always(text string) (why string) {
	if _, err := Compile(text); err != nil {
		return ""
	}
	text = strings.TrimSpace(text)
	if isJSONPath(text) {
		if path, err := jp.ParseString(text); err == nil && len(path) == 1 {
			return wholeDocument
		}
		return ""
	}
	ast, err := parsing.NewParser().Parse(text)
	if err != nil {
		return ""
	}
	return always(&ast)
}

const (
	wholeDocument = "it is the document itself"
	truth         = "it gives true or false, and either is a value"
	constant      = "it gives the same for every document"
	collected     = "it gives a value of its own, whatever that is filled with"
	measured      = "any value that it computes will do"
)

// always is Always for a part of an expression.
func always(n *parsing.ASTNode) string {
	last := func() string { return always(&n.Children[len(n.Children)-1]) }
	switch n.NodeType {
	case parsing.ASTCurrentNode, parsing.ASTRootNode, parsing.ASTIdentity:
		return wholeDocument
	case parsing.ASTComparator, parsing.ASTNotExpression:
		return truth
	case parsing.ASTLiteral:
		if n.Value != nil {
			return constant
		}
	case parsing.ASTMultiSelectHash, parsing.ASTMultiSelectList:
		return collected
	case parsing.ASTArithmeticExpression, parsing.ASTArithmeticUnaryExpression:
		return measured
	case parsing.ASTPipe:
		return last()
	case parsing.ASTAndExpression: // what stands on the left is a value too where it is false
		return last()
	case parsing.ASTOrExpression:
		for i := range n.Children {
			if why := always(&n.Children[i]); why != "" {
				return why
			}
		}
	case parsing.ASTFunctionExpression:
		name, _ := n.Value.(string)
		switch {
		case slices.Contains([]string{"contains", "ends_with", "starts_with"}, name):
			return truth
		case slices.Contains([]string{"length", "sum", "keys", "values", "items", "type", "to_string", "to_array"}, name):
			return measured
		case name == "not_null":
			return last()
		}
	}
	return ""
}
