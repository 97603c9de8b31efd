package checks

import (
	"errors"
	"fmt"
	"strings"
)

// query is a compiled path into a JSON document. It is immutable and safe for concurrent use.
type query struct {
	text     string
	definite bool // selects one value at most, and knows whether it is there
	run      func(doc any) (selection, error)
}

// buildQuery compiles a path: JSONPath when it begins with $, else JMESPath.
func buildQuery(text string) (q *query, err error) {
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

func isJSONPath(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "$") }

func pathLanguage(text string) string {
	if isJSONPath(text) {
		return "JSONPath"
	}
	return "JMESPath expression"
}

// guarded turns a panic of a path library on odd documents into an error.
func guarded(run func(doc any) (selection, error)) func(doc any) (selection, error) {
	return func(doc any) (got selection, err error) {
		defer func() {
			if recover() != nil {
				got, err = selection{}, errShape
			}
		}()
		return run(doc)
	}
}

var errShape = errors.New("the document does not have the shape that it needs")
