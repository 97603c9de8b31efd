package jsonquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jmespath-community/go-jmespath/pkg/functions"
	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

func newJMESPath(text string) (*Query, error) {
	ast, err := parsing.NewParser().Parse(text)
	if err != nil {
		return nil, jmesSyntax(text, err)
	}
	many := isProjection(&ast)
	if err := adapt(&ast); err != nil {
		return nil, err
	}
	q := &Query{
		Text: text, lost: func(doc any) bool { return lostExpression(&ast, jmesValue(doc)) },
		unmet: func(doc any) string { return unmetExpression(&ast, jmesValue(doc)) },
	}
	q.run = guarded(func(doc any) (Selection, error) {
		v := jmesValue(doc)
		got, err := interpreter.NewInterpreter(v, jmesCaller(), nil).Execute(ast, v)
		if err != nil {
			return Selection{}, jmesProblem(err)
		}
		if !isJSON(got) {
			return Selection{}, errors.New("it gives an expression instead of a value")
		}
		return Selection{Value: got, Found: got != nil, Many: many}, nil
	})
	return q, nil
}

var jmesTypes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`functions\.JpType\{(.*)\}$`) })

// jmesProblem puts a failed evaluation into words. The library writes wrong types in Go syntax, with the value, which
// may be a whole document.
func jmesProblem(err error) error {
	text := err.Error()
	if m := jmesTypes().FindStringSubmatch(text); m != nil {
		types := strings.NewReplacer(`"`, "", ", ", " or ").Replace(m[1])
		text = "a function was given something else than " + types
	}
	for _, w := range []struct{ word, means string }{
		{"invalid type, must be number", "a function was given values to compare that are not all numbers or all texts"},
		{"invalid type, must be string", "a function was given values to compare that are not all numbers or all texts"},
		{"error in sort_by comparison", "sort_by was given values to compare that are not all numbers or all texts"},
		{"unknown type", "a function was given a value that it does not take"},
		{"could not compute length()", "length was given something else than a text, a list or an object"},
		{"invalid slice, step cannot be 0", "the step of a slice is 0"},
	} {
		if strings.HasPrefix(text, w.word) {
			text = w.means
		}
	}
	return errors.New(text)
}

// isProjection reports whether an expression collects whatever matches.
func isProjection(n *parsing.ASTNode) bool {
	switch n.NodeType {
	case parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection, parsing.ASTFlatten:
		return true
	case parsing.ASTPipe:
		return len(n.Children) > 0 && isProjection(&n.Children[len(n.Children)-1])
	}
	return false
}

// Names of our own functions, out of reach for what a user can write.
const (
	fnCompare = "\x00compare"
	fnValues  = "\x00values"
)

// adapt changes a parsed expression where the library is not what we promise: comparisons become exact for long
// numbers, and the members of objects come in one order. It also finds what the parser lets through.
func adapt(n *parsing.ASTNode) error {
	for i := range n.Children {
		if err := adapt(&n.Children[i]); err != nil {
			return err
		}
	}
	switch n.NodeType {
	case parsing.ASTFunctionExpression:
		name, _ := n.Value.(string)
		if !slices.Contains(jmesFunctions(), name) {
			err := fmt.Errorf("there is no function %q", name)
			if near := diag.DidYouMean(name, jmesFunctions()); near != "" {
				err = fmt.Errorf("%w; %s", err, near)
			}
			return err
		}
	case parsing.ASTLiteral:
		if tooLong(n.Value) {
			return errors.New("it holds a number of more than 15 digits, which it cannot compare exactly")
		}
	case parsing.ASTComparator:
		op := parsing.ASTNode{NodeType: parsing.ASTLiteral, Value: n.Value}
		*n = parsing.ASTNode{
			NodeType: parsing.ASTFunctionExpression, Value: fnCompare, Children: append([]parsing.ASTNode{op}, n.Children...),
		}
	case parsing.ASTValueProjection:
		values := parsing.ASTNode{NodeType: parsing.ASTFunctionExpression, Value: fnValues, Children: n.Children[:1:1]}
		*n = parsing.ASTNode{
			NodeType: parsing.ASTProjection, Children: append([]parsing.ASTNode{values}, n.Children[1:]...),
		}
	}
	return nil
}

// isJSON reports whether a value holds no expression (&a), which functions hand through.
func isJSON(v any) bool {
	for leaf := range jsonvalue.Leaves(v) {
		if _, expression := leaf.(functions.ExpRef); expression {
			return false
		}
	}
	return true
}

// tooLong reports whether a literal holds a number that float64, in which the parser keeps it, cannot hold exactly.
func tooLong(v any) bool {
	for leaf := range jsonvalue.Leaves(v) {
		if f, is := leaf.(float64); is && math.Abs(f) >= 1<<53 {
			return true
		}
	}
	return false
}

// jmesValue converts a decoded document into what the library computes with: float64 for numbers that it holds exactly
// or that are no integers, json.Number for long integers.
func jmesValue(v any) any {
	return jsonvalue.Map(v, func(leaf any) any {
		if x, is := leaf.(json.Number); is {
			f, err := x.Float64()
			if err == nil && (math.Abs(f) < 1<<53 || !jsonvalue.IsInteger(x.String())) {
				return f
			}
		}
		return leaf
	})
}

// jmesFunctions is the functions that an expression may call.
var jmesFunctions = sync.OnceValue(func() []string {
	var names []string
	for _, f := range functions.GetDefaultFunctions() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
})

// jmesCaller is the functions of the library with those replaced that walk objects in random order.
var jmesCaller = sync.OnceValue(func() interpreter.FunctionCaller {
	object := []functions.ArgSpec{{Types: []functions.JpType{functions.JpObject}}}
	anything := functions.ArgSpec{Types: []functions.JpType{functions.JpAny}}
	return interpreter.NewFunctionCaller(append(functions.GetDefaultFunctions(),
		functions.FunctionEntry{Name: "keys", Arguments: object, Handler: jmesKeys},
		functions.FunctionEntry{Name: "values", Arguments: object, Handler: jmesValues},
		functions.FunctionEntry{Name: "items", Arguments: object, Handler: jmesItems},
		functions.FunctionEntry{Name: fnValues, Arguments: []functions.ArgSpec{anything}, Handler: jmesValues},
		functions.FunctionEntry{
			Name: fnCompare, Arguments: []functions.ArgSpec{anything, anything, anything}, Handler: jmesCompare,
		},
	)...)
})

func jmesKeys(args []any) (any, error) {
	out := []any{}
	for _, key := range sortedKeys(args[0]) {
		out = append(out, key)
	}
	return out, nil
}

// jmesValues gives nothing for what is no object, as a projection does.
func jmesValues(args []any) (any, error) {
	m, ok := args[0].(jsonvalue.Object)
	if !ok {
		return nil, nil
	}
	out := []any{}
	for _, key := range sortedKeys(m) {
		out = append(out, m[key])
	}
	return out, nil
}

func jmesItems(args []any) (any, error) {
	m, _ := args[0].(jsonvalue.Object)
	out := []any{}
	for _, key := range sortedKeys(m) {
		out = append(out, []any{key, m[key]})
	}
	return out, nil
}

func sortedKeys(v any) []string {
	m, _ := v.(jsonvalue.Object)
	return slices.Sorted(maps.Keys(m))
}

// jmesCompare holds for equality of anything and for the order of numbers; an order of anything else is null.
func jmesCompare(args []any) (any, error) {
	switch args[0] {
	case parsing.TOKEQ:
		return jsonvalue.Equal(args[1], args[2]), nil
	case parsing.TOKNE:
		return !jsonvalue.Equal(args[1], args[2]), nil
	}
	order, ok := jsonvalue.CompareNumbers(args[1], args[2])
	if !ok {
		return nil, nil
	}
	switch args[0] {
	case parsing.TOKLT:
		return order < 0, nil
	case parsing.TOKLTE:
		return order <= 0, nil
	case parsing.TOKGT:
		return order > 0, nil
	}
	return order >= 0, nil
}
