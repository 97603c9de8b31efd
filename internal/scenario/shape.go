package scenario

import (
	"math"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// anyShape is a value that may be anything, by who reads it.
type anyShape struct {
	keys.Any
	reader reader
}

// reader is who reads a value that may be anything.
type reader uint8

const (
	nobody reader = iota // or a template: the keys are the author's own
	people               // what a file says about itself
	others               // tools and servers: any key may mean something to them
	arena                // more closely, somewhere else
)

// writtenShape is text, or anything else, which is written out as text where it is used.
type writtenShape struct{ keys.Text }

// Schema takes everything.
func (writtenShape) Schema(keys.Writer) *jsonschema.Doc { return &jsonschema.Doc{} }

var (
	anything = anyShape{}
	text     = keys.Text{}
	boolean  = keys.Bool{}
	span     = keys.Span{}
	number   = keys.Number{Low: math.Inf(-1), High: math.Inf(1)}
	positive = keys.Number{Low: 0, High: math.Inf(1)}
	unit     = keys.Number{Low: 0, High: 1}
	price    = keys.Number{Low: 0, High: 1_000_000} // in US dollars; sums of it stay countable
	natural  = keys.Number{Low: 0, High: math.MaxInt32, Integer: true}
	counting = keys.Number{Low: 1, High: math.MaxInt32, Integer: true}
	texts    = listOf(text)
	textMap  = mapOf(writtenShape{})
	anyMap   = mapOf(anything)
	foreign  = anyShape{reader: others}
	wireMap  = mapOf(foreign)
	closer   = anyShape{reader: arena}
	rawMap   = mapOf(closer)
)

func words(w ...string) keys.Words { return w }

// listOf is a list. A single text or word stands for a list of it.
func listOf(item keys.Shape) keys.List {
	l := keys.List{Item: item}
	switch item.(type) {
	case keys.Text, keys.Words:
		l.Single = true
	}
	return l
}

func mapOf(value keys.Shape) keys.Map { return keys.Map{Value: value} }

// isFree reports whether the values of a map are the author's own, too.
func isFree(m keys.Map) bool {
	switch m.Value.(type) {
	case keys.Text, writtenShape, anyShape:
		return true
	}
	return false
}

// Check implements keys.Shape. Blocks that arena does not act on are checked like this and dropped, so that a mistake
// in them is still found. The reader is a decoder.
func (f *fields[T]) Check(r keys.Reader, n *node.Node, _ string) { f.read(r.(*decoder), n, new(T)) }
