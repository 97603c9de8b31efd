package node

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"go.yaml.in/yaml/v3"
)

// Reader returns typed values of the nodes of one file. Each method reports what does not fit at its position, and then
// returns false or the zero value, so that callers can continue and find further problems.
type Reader struct {
	File  string
	Diags *diag.List
	// Lenient turns unknown fields into warnings, for files of other tools.
	Lenient bool

	source []byte   // of the last parsed file, if it is YAML
	lines  []string // lines of source; set on demand
	last   place    // in them that was asked for
}

// Pos is the position of a node.
func (r *Reader) Pos(n *Node) diag.Pos {
	if n == nil {
		return diag.Pos{File: r.File}
	}
	return diag.Pos{File: r.File, Line: int32(n.Line), Col: int32(n.Column)}
}

// Errorf reports an error at n. The format sees only args; values are quoted by Go's %q.
func (r *Reader) Errorf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Errorf(r.Pos(n), width(n), code, format, args...)
}

// Warnf reports a warning at n.
func (r *Reader) Warnf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	return r.Diags.Warnf(r.Pos(n), width(n), code, format, args...)
}

func width(n *Node) int {
	if n == nil || n.Kind != Scalar {
		return 1
	}
	w := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 { // the quotes count
		w += 2
	}
	if i := strings.IndexByte(n.Value, '\n'); i >= 0 {
		w = 1
	}
	return max(w, 1)
}

// Fields walks a map. known lists all legal keys; set is called for each of them in the order of the file, also for
// null values. Unknown and duplicate keys are reported. what names the map in messages ("a turn").
func (r *Reader) Fields(n *Node, what string, known []string, set func(key string, k, v *Node)) bool {
	if !r.isMap(n, what) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case r.Repeated(n, i):
		case !contains(known, k.Value):
			r.Unknown(k, what, known)
		default:
			set(k.Value, k, v)
		}
	}
	return true
}

// Each walks a map with free keys, such as ids. Duplicate keys are reported.
func (r *Reader) Each(n *Node, what string, set func(key string, k, v *Node)) bool {
	if !r.isMap(n, what) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !r.Repeated(n, i) {
			set(n.Content[i].Value, n.Content[i], n.Content[i+1])
		}
	}
	return true
}

// Repeated reports a duplicate key at n.Content[i].
func (r *Reader) Repeated(n *Node, i int) bool {
	first := earlier(n, i)
	if first == nil {
		return false
	}
	r.repeated(n.Content[i], first.Line)
	return true
}

func (r *Reader) repeated(k *Node, line int) {
	r.Errorf(k, "duplicate-key", "key %q is already set on line %d", k.Value, line).Hint = "keep one of the two"
}

// earlier returns the first node with the key at i. The index keeps long maps, such as mock files, linear.
func earlier(n *Node, i int) *Node {
	if len(n.Content) > longMap {
		return nil // Parse has already reported the duplicates of a long mapping
	}
	for j := 0; j < i; j += 2 {
		if n.Content[j].Value == n.Content[i].Value {
			return n.Content[j]
		}
	}
	return nil
}

func contains(known []string, key string) bool {
	return slices.Contains(known, key)
}

// Unknown reports an unknown key; as a warning when the reader is lenient.
func (r *Reader) Unknown(k *Node, what string, known []string) *diag.Diagnostic {
	d := r.Foreignf(k, "unknown-field", "unknown field %q in %s", k.Value, what)
	switch meant := diag.ForeignName(k.Value, known); {
	case meant != "":
		d.Hint = fmt.Sprintf("did you mean %q?", meant)
	case diag.Nearest(k.Value, known) != "":
		d.Hint = diag.DidYouMean(k.Value, known)
	default:
		d.Hint = "known fields: " + strings.Join(known, ", ")
	}
	return d
}

// Foreignf reports what is legal in other tools: an error, or a warning when the reader is lenient.
func (r *Reader) Foreignf(n *Node, code, format string, args ...any) *diag.Diagnostic {
	if r.Lenient {
		return r.Warnf(n, code, format, args...)
	}
	return r.Errorf(n, code, format, args...)
}

// Explain says what to write in the place of a value to the problems with its form that have no hint.
func (r *Reader) Explain(n *Node, hint string) {
	for _, code := range [...]string{"wrong-type", "empty-value"} {
		r.Diags.Explain(r.Pos(n), code, hint)
	}
}

// WrongType reports a value of the wrong type.
func (r *Reader) WrongType(n *Node, what, want string) *diag.Diagnostic {
	return r.Errorf(n, "wrong-type", "%s must be %s, found %s", what, want, describe(n))
}

func (r *Reader) isMap(n *Node, what string) bool {
	if n == nil || n.Kind != Map {
		r.Errorf(n, "wrong-type", "%s must be a map, found %s", what, describe(n))
		return false
	}
	return true
}

// Items calls item for each element of a list.
func (r *Reader) Items(n *Node, what string, item func(i int, v *Node)) bool {
	if n == nil || n.Kind != List {
		d := r.Errorf(n, "wrong-type", "%s must be a list, found %s", what, describe(n))
		if n != nil && n.Kind == Map {
			d.Hint = `put "- " before each entry`
		}
		return false
	}
	for i, v := range n.Content {
		item(i, v)
	}
	return true
}

// Missing reports that a map lacks a required field.
func (r *Reader) Missing(n *Node, what, field string) *diag.Diagnostic {
	return r.Diags.Add(diag.Diagnostic{
		Pos: r.Pos(n), Width: 1, Code: "missing-field", Msg: fmt.Sprintf("%s has no %s", what, field),
	})
}
