package jsonquery

import (
	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"github.com/ohler55/ojg/jp"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Lost reports whether a path leads nowhere in a document, because a name on it does not exist. Its empty result is
// then not an answer. An existing list without matching items is one.
func (q *Query) Lost(doc any) (lost bool) {
	defer func() { // as in guarded: what panics has no answer either
		if recover() != nil {
			lost = true
		}
	}()
	return q.lost(doc)
}

// lostPath is Lost for JSONPath: the way is walked up to where nothing is left.
func lostPath(path jp.Expr, doc any) bool {
	at := []any{doc}
	for i, frag := range path {
		var found []any
		if _, descends := frag.(jp.Descent); !descends {
			found = walk(path[:i+1], doc, true)
		} else {
			continue // it only counts with what comes behind it
		}
		if len(found) > 0 {
			at = found
			continue
		}
		switch frag.(type) {
		case jp.Child, jp.Nth, jp.Union:
			return true
		}
		return !holdsItems(at) // a wildcard, a slice or a filter of what is no list
	}
	return false
}

// holdsItems reports whether a list or an object is among values.
func holdsItems(values []any) bool {
	for _, v := range values {
		switch v.(type) {
		case []any, jsonvalue.Object:
			return true
		}
	}
	return false
}

// lostExpression is Lost for JMESPath, which returns null for missing values.
func lostExpression(ast *parsing.ASTNode, v any) bool {
	run := func(n *parsing.ASTNode) any {
		got, err := interpreter.NewInterpreter(v, jmesCaller(), nil).Execute(*n, v)
		if err != nil {
			return nil
		}
		return got
	}
	switch {
	case compares(ast):
		left, right := &ast.Children[1], &ast.Children[2]
		return right.NodeType == parsing.ASTLiteral && right.Value != nil && run(left) == nil ||
			left.NodeType == parsing.ASTLiteral && left.Value != nil && run(right) == nil
	case ast.NodeType == parsing.ASTProjection:
		got, _ := run(ast).([]any)
		from, _ := run(&ast.Children[0]).([]any)
		return got == nil || len(got) == 0 && len(from) > 0
	}
	return run(ast) == nil
}

// compares reports whether an expression compares two values, as adapt writes it.
func compares(n *parsing.ASTNode) bool {
	return n.NodeType == parsing.ASTFunctionExpression && n.Value == fnCompare && len(n.Children) == 3
}
