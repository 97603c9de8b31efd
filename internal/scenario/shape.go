package scenario

import (
	"math"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// anyShape is a value of any shape, with its reader.
type anyShape struct {
	keys.Any
	reader reader
}

// reader says who reads a value of any shape.
type reader uint8

const (
	nobody reader = iota // nobody, or a template: the keys are the author's own
	people               // descriptions of the file
	others               // tools and servers, for which any key may have a meaning
	arena                // arena, in more detail elsewhere
)

// writtenShape is text, or any other value, which is converted to text when used.
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

// listOf is a list. A single text or word counts as a list.
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

// Check implements keys.Shape. Blocks without effect are only checked, so that mistakes in them are found. The reader
// is a decoder.
func (f *fields[T]) Check(r keys.Reader, n *node.Node, _ string) { f.read(r.(*decoder), n, new(T)) }
