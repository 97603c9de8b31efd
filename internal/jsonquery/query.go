// Package jsonquery selects values in decoded JSON by JSONPath (RFC 9535) and JMESPath (https://jmespath.org). Numbers
// are compared exactly, and objects are walked in the order of their keys.
package jsonquery

import (
	"errors"
	"fmt"
	"strings"
)

// Query is a compiled path into a JSON document. It is immutable and safe for concurrent use.
type Query struct {
	Text     string
	Definite bool // selects one value at most, and knows whether it is there
	run      func(doc any) (Selection, error)
	lost     func(doc any) bool
	unmet    func(doc any) string
}

// Compile compiles a path: JSONPath when it begins with $, else JMESPath.
func Compile(text string) (q *Query, err error) {
	defer func() { // parsers of path languages are no place to trust: what is typed while editing reaches them
		if p := recover(); p != nil {
			q, err = nil, fmt.Errorf("%v", p)
		}
	}()
	text = strings.TrimSpace(text)
	if isJSONPath(text) {
		return newJSONPath(text)
	}
	return newJMESPath(text)
}

// Selection is what a query found.
type Selection struct {
	Value any
	Found bool // false: the path leads nowhere
	Many  bool // the value is the list of whatever matches
}

// Run applies the query to a decoded document, which stays as it is.
func (q *Query) Run(doc any) (Selection, error) { return q.run(doc) }

func isJSONPath(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "$") }

// Language names the language that a path is taken for.
func Language(text string) string {
	if isJSONPath(text) {
		return "JSONPath"
	}
	return "JMESPath expression"
}

// guarded turns a panic of a path library on odd documents into an error.
func guarded(run func(doc any) (Selection, error)) func(doc any) (Selection, error) {
	return func(doc any) (got Selection, err error) {
		defer func() {
			if recover() != nil {
				got, err = Selection{}, errShape
			}
		}()
		return run(doc)
	}
}

var errShape = errors.New("the document does not have the shape that it needs")
