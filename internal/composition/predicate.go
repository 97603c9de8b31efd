package composition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A Predicate decides a branch. Exactly one form is set: a comparison (Path and Op), a test whether a value exists
// (Path and Exists), or one of All, Any and Not.
type Predicate struct {
	Path   string // a reference, with or without ${}
	Op     Op
	Value  any
	Exists *bool
	All    []*Predicate
	Any    []*Predicate
	Not    *Predicate
}

// Op compares the value of a reference with another.
type Op string

// The operators. The last four compare only numbers.
const (
	Equals        Op = "equals"
	NotEquals     Op = "not_equals"
	In            Op = "in"
	NotIn         Op = "not_in"
	Less          Op = "less_than"
	LessOrSame    Op = "less_than_or_equals"
	Greater       Op = "greater_than"
	GreaterOrSame Op = "greater_than_or_equals"
)

// Ops lists the operators.
var Ops = []Op{Equals, NotEquals, In, NotIn, Less, LessOrSame, Greater, GreaterOrSame}

// IsOrder reports whether the operator needs numbers.
func (o Op) IsOrder() bool { return o == Less || o == LessOrSame || o == Greater || o == GreaterOrSame }

// IsIn reports whether the operator needs a list.
func (o Op) IsIn() bool { return o == In || o == NotIn }

// holds evaluates a predicate. A reference without a value counts as null.
func (p *Predicate) holds(s *scope) (bool, error) {
	switch {
	case p.Not != nil:
		ok, err := p.Not.holds(s)
		return !ok, err
	case p.All != nil:
		return every(p.All, s, true)
	case p.Any != nil:
		ok, err := every(p.Any, s, false)
		return ok, err
	}
	r, err := parseSingle(p.Path)
	if err != nil {
		return false, err
	}
	v, there := s.look(r)
	if p.Exists != nil {
		return there == *p.Exists, nil
	}
	if there && s.unknown != nil && s.unknown(v) {
		return false, fmt.Errorf("not known: the value of %s was taken out of the recording, so the branch cannot be decided",
			p.Path)
	}
	filled := *p
	if filled.Value, err = FillWords(p.Value, s.words); err != nil {
		return false, err
	}
	filled.Value = likeCompared(v, p.Value, filled.Value)
	return filled.compare(v)
}

// likeCompared reads texts that placeholders made as the numbers, or true and false, with which they are compared: a
// variable has no other type.
func likeCompared(v, written, filled any) any {
	if list, ok := filled.([]any); ok {
		before, _ := written.([]any)
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = likeCompared(v, before[i], item)
		}
		return out
	}
	text, isText := filled.(string)
	if !isText || written == filled {
		return filled
	}
	switch _, isBool := v.(bool); {
	case isBool && (text == "true" || text == "false"):
		return text == "true"
	case jsonvalue.IsNumber(v) && json.Valid([]byte(text)) && strings.Trim(text, "0123456789+-.eE") == "":
		return json.Number(text)
	}
	return filled
}

// every finds the first predicate that decides a list: a false one for all, a true one for any.
func every(list []*Predicate, s *scope, all bool) (bool, error) {
	for _, p := range list {
		if ok, err := p.holds(s); err != nil || ok != all {
			return ok, err
		}
	}
	return all, nil
}

func (p *Predicate) compare(v any) (bool, error) {
	switch p.Op {
	case Equals, NotEquals:
		return jsonvalue.Equal(v, p.Value) == (p.Op == Equals), nil
	case In, NotIn:
		list, ok := p.Value.([]any)
		if !ok {
			return false, fmt.Errorf("%s needs a list of values", p.Op)
		}
		found := slices.ContainsFunc(list, func(item any) bool { return jsonvalue.Equal(v, item) })
		return found == (p.Op == In), nil
	case Less, LessOrSame, Greater, GreaterOrSame:
	}
	if jsonvalue.IsNumber(v) && !jsonvalue.IsNumber(p.Value) {
		return false, fmt.Errorf("the value is %s, and %s compares numbers", clip(jsonvalue.Compact(p.Value)), p.Op)
	}
	order, ok := jsonvalue.CompareNumbers(v, p.Value)
	if !ok {
		return false, fmt.Errorf("%s is %s, and %s compares numbers", p.Path, clip(jsonvalue.Compact(v)), p.Op)
	}
	switch p.Op {
	case Less:
		return order < 0, nil
	case LessOrSame:
		return order <= 0, nil
	case Greater:
		return order > 0, nil
	default:
		return order >= 0, nil
	}
}
