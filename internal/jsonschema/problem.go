package jsonschema

import (
	"iter"
	"slices"
	"strings"
	"sync"

	lib "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Problem is one thing that does not fit.
type Problem struct {
	Path []string // the keys and indexes that lead to it; none is the whole document
	Text string   // what is wrong, in English; empty with Either
	// Either is what each alternative of an anyOf wants, in the order of the schema. One of them would do.
	Either []Problem
}

// Leaves yields the problems that have a text, those of alternatives among them.
func Leaves(list []Problem) iter.Seq[Problem] {
	return func(yield func(Problem) bool) { leaves(list, yield) }
}

func leaves(list []Problem, yield func(Problem) bool) bool {
	for _, p := range list {
		if len(p.Either) > 0 {
			if !leaves(p.Either, yield) {
				return false
			}
			continue
		}
		if !yield(p) {
			return false
		}
	}
	return true
}

// Mistakes are the problems of a schema, each with a text: that of alternatives joins theirs, or lists the types that
// there are.
func Mistakes(list []Problem) []Problem { return withTexts(list, typesText) }

// Misfits are the problems of a value, each with a text: that of alternatives joins theirs.
func Misfits(list []Problem) []Problem { return withTexts(list, nil) }

func withTexts(list []Problem, own func(*Problem) string) []Problem {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		if len(p.Either) == 0 {
			continue
		}
		if own != nil {
			p.Text = own(p)
		}
		if p.Text == "" {
			var either []string
			for _, e := range withTexts(p.Either, own) {
				either = append(either, e.Text)
			}
			p.Text = strings.Join(either, ", or ")
		}
		p.Either = nil
	}
	return list
}

// typesText is the text of a wrong type in a schema; "" is another problem.
func typesText(p *Problem) string {
	if last := p.Path; len(last) > 0 && last[len(last)-1] == "type" {
		return "type must be array, boolean, integer, null, number, object or string, or a list of these"
	}
	return ""
}

var english = sync.OnceValue(func() *message.Printer { return message.NewPrinter(language.English) })

// problems flattens the tree of a failed validation down to its innermost causes; alternatives stay together.
func problems(e *lib.ValidationError) []Problem {
	if len(e.Causes) == 0 {
		return []Problem{{Path: e.InstanceLocation, Text: e.ErrorKind.LocalizedString(english())}}
	}
	var list []Problem
	for _, cause := range e.Causes {
		list = append(list, problems(cause)...)
	}
	if _, ok := e.ErrorKind.(*kind.AnyOf); ok {
		return []Problem{{Path: e.InstanceLocation, Either: list}}
	}
	return list
}
