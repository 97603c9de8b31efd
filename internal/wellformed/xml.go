package wellformed

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

// What people write does not come near these.
const (
	maxDepth      = 1000 // of elements
	maxAttributes = 1000 // of one element
)

var errTooMuch = &LimitError{fmt.Sprintf(
	"an element of the reply is nested deeper than %d or has more than %d attributes", maxDepth, maxAttributes)}

// LimitError is the error of a text that is too large to be told whether it is well-formed.
type LimitError struct{ text string }

func (e *LimitError) Error() string { return e.text }

// XML reads one document, and returns which of some paths of elements it has, such as order/items.
func XML(text string, paths []string) (found map[string]bool, err error) {
	r := xmlReader{wanted: paths, found: map[string]bool{}}
	err = r.read(text)
	return r.found, err
}

// xmlReader checks what encoding/xml leaves to its user: one root, nothing beside it, and no attribute twice.
type xmlReader struct {
	wanted []string
	found  map[string]bool
	open   []string
	roots  int
}

func (r *xmlReader) read(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	// The text has been decoded long ago, whatever its declaration says.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.take(t)
		}
		if err != nil {
			return err
		}
	}
	if r.roots == 0 {
		return errors.New("there is no element")
	}
	return nil
}

func (r *xmlReader) take(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		r.open = r.open[:len(r.open)-1]
	case xml.CharData:
		if len(r.open) == 0 && strings.TrimSpace(string(t)) != "" {
			return fmt.Errorf("text outside of the root element: %s", say.Quote(strings.TrimSpace(string(t))))
		}
	}
	return nil
}

func (r *xmlReader) start(e xml.StartElement) error {
	if len(r.open) == 0 {
		if r.roots++; r.roots > 1 {
			return fmt.Errorf("a second root element, <%s>", say.Named(e.Name.Local))
		}
	}
	if len(r.open) == maxDepth || len(e.Attr) > maxAttributes {
		return errTooMuch
	}
	seen := make(map[xml.Name]bool, len(e.Attr))
	for _, a := range e.Attr {
		if seen[a.Name] {
			return fmt.Errorf("<%s> has the attribute %s twice", say.Named(e.Name.Local), say.Named(a.Name.Local))
		}
		seen[a.Name] = true
	}
	r.open = append(r.open, e.Name.Local)
	for _, path := range r.wanted {
		if !r.found[path] && r.at(path) {
			r.found[path] = true
		}
	}
	return nil
}

// at reports whether the open elements are those of a path.
func (r *xmlReader) at(path string) bool {
	depth := 0
	for name := range strings.SplitSeq(path, "/") {
		if depth == len(r.open) || r.open[depth] != name {
			return false
		}
		depth++
	}
	return depth == len(r.open)
}
