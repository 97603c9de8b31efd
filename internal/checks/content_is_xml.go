package checks

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var isXMLDef = define[isXMLParams](Def{
	Name:     "is_xml",
	Summary:  "The reply is one well-formed XML document, with some elements if they are given.",
	Scoring:  "0 when the reply is not well-formed; else elements found / elements given, and 1 when none are.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
})

type isXMLParams struct {
	Elements []string `param:"elements" alias:"required_elements" is:"name" doc:"Paths of elements from the root: order/items/item."`
	wrapOption
}

func (p isXMLParams) Build(b *binder) Check {
	c := &isXML{options: p.wrapOption}
	for _, path := range p.Elements {
		if slices.Contains(strings.Split(path, "/"), "") {
			b.errorf("elements", "bad-path", "%s is not a path of elements such as order/items", say.Quote(path))
		}
		c.paths = append(c.paths, path)
	}
	return c
}

type isXML struct {
	paths   []string
	options wrapOption
}

func (c *isXML) Eval(_ context.Context, s *Subject) (Finding, error) {
	text := c.options.document(s, "xml")
	r := xmlReader{wanted: c.paths, found: map[string]bool{}}
	err := r.read(text)
	if errors.Is(err, errTooMuch) {
		return Finding{}, err
	}
	if err != nil {
		return Finding{
			Explanation: "not well-formed XML: " + say.OneLine(err.Error()) + c.options.hint(s.Output()),
			Details:     map[string]any{"valid": false, "content": say.Content(text)},
		}, nil
	}
	f := Finding{Score: 1, Explanation: "well-formed XML", Details: map[string]any{"valid": true}}
	if len(c.paths) == 0 {
		return f, nil
	}
	missing := []string{}
	for _, path := range c.paths {
		if !r.found[path] {
			missing = append(missing, path)
		}
	}
	f.Score = float64(len(c.paths)-len(missing)) / float64(len(c.paths))
	f.Details["missing"] = missing
	f.Explanation += fmt.Sprintf(", %d of %s found", len(c.paths)-len(missing), plural.Count(len(c.paths), "element"))
	if len(missing) > 0 {
		f.Explanation += ": missing " + say.Quoted(missing)
	}
	return f, nil
}

// What people write does not come near these.
const (
	maxDepth      = 1000 // of elements
	maxAttributes = 1000 // of one element
)

var errTooMuch = fmt.Errorf("an element of the reply is nested deeper than %d or has more than %d attributes", maxDepth,
	maxAttributes)

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
