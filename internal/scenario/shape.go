package scenario

import (
	"math"

	"github.com/arena-evals/arena/internal/node"
)

// shape says what a value in a file may be. Blocks that arena does not act on are checked against their shape and
// dropped, so that a mistake in them is still found.
type shape interface {
	// check reports what does not fit.
	check(d *decoder, n *node.Node, what string)
}

// The shapes of single values.
type (
	anyShape  struct{ reader reader }
	textShape struct{}
	boolShape struct{}
	spanShape struct{} // a time span such as 90s
	wordShape []string // one of these words
	// numShape is a number between two bounds.
	numShape struct {
		low, high float64
		whole     bool
		above     bool // low itself is too small
	}
)

// The shapes of collections.
type (
	listShape struct{ item shape }
	mapShape  struct{ value shape } // keys are free
)

// reader is who reads a value that may be anything.
type reader uint8

const (
	nobody reader = iota // or a template: the keys are the author's own
	people               // what a file says about itself
	others               // tools and servers: any key may mean something to them
	arena                // more closely, somewhere else
)

var (
	anything = anyShape{}
	text     = textShape{}
	boolean  = boolShape{}
	span     = spanShape{}
	number   = numShape{low: math.Inf(-1), high: math.Inf(1)}
	positive = numShape{low: 0, high: math.Inf(1)}
	unit     = numShape{low: 0, high: 1}
	natural  = numShape{low: 0, high: math.MaxInt32, whole: true}
	counting = numShape{low: 1, high: math.MaxInt32, whole: true}
	texts    = listShape{text}
	textMap  = mapShape{text}
	anyMap   = mapShape{anything}
	foreign  = anyShape{others}
	wireMap  = mapShape{foreign}
	closer   = anyShape{arena}
	rawMap   = mapShape{closer}
)

func words(w ...string) wordShape { return w }

func (anyShape) check(d *decoder, n *node.Node, _ string)       { d.Any(n) }
func (textShape) check(d *decoder, n *node.Node, what string)   { d.String(n, what) }
func (boolShape) check(d *decoder, n *node.Node, what string)   { d.Bool(n, what) }
func (spanShape) check(d *decoder, n *node.Node, what string)   { d.Duration(n, what) }
func (w wordShape) check(d *decoder, n *node.Node, what string) { d.OneOf(n, what, w...) }
func (s numShape) check(d *decoder, n *node.Node, what string)  { s.read(d, n, what) }
func (f *fields[T]) check(d *decoder, n *node.Node, _ string)   { f.read(d, n, new(T)) }
func (l listShape) check(d *decoder, n *node.Node, what string) {
	d.Items(n, what, func(_ int, v *node.Node) { l.item.check(d, v, "an entry of "+what) })
}

func (m mapShape) check(d *decoder, n *node.Node, what string) {
	d.Each(n, what, func(key string, _, v *node.Node) { m.value.check(d, v, what+"."+key) })
}

func (s numShape) read(d *decoder, n *node.Node, what string) (float64, bool) {
	if s.whole {
		i, ok := d.Int(n, what, int(s.low), int(s.high))
		return float64(i), ok
	}
	f, ok := d.Float(n, what, s.low, s.high)
	if ok && s.above && f <= s.low {
		d.Errorf(n, "out-of-range", "%s must be above %g, found %s", what, s.low, n.Value)
		return 0, false
	}
	return f, ok
}
