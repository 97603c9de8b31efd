package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textmeasure"
	"github.com/arena-evals/arena/internal/wellformed"
)

var isXMLDef = define[isXMLParams](Def{
	Name:     "is_xml",
	Summary:  "The reply is one well-formed XML document, with some elements if they are given.",
	Scoring:  "0 when the reply is not well-formed; else elements found / elements given, and 1 when none are.",
	Family:   FamilyContent,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
	Form:     true,
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
	found, err := wellformed.XML(text, c.paths)
	if err != nil {
		return c.options.malformed(s, "well-formed XML", text, err)
	}
	f := Finding{Score: 1, Explanation: "well-formed XML", Details: Details{"valid": true}}
	if len(c.paths) == 0 {
		return f, nil
	}
	missing := []string{}
	for _, path := range c.paths {
		if !found[path] {
			missing = append(missing, path)
		}
	}
	had, wanted := len(c.paths)-len(missing), len(c.paths)
	f.Score = textmeasure.Share(had, wanted)
	f.Details["missing"] = missing
	f.Explanation += fmt.Sprintf(", %d of %s found", had, plural.Count(wanted, "element"))
	if len(missing) > 0 {
		f.Explanation += ": missing " + say.Quoted(missing)
	}
	return f, nil
}
