package checks

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
)

var equalsDef = define[equalsParams](Def{
	Name:     "equals",
	Summary:  "The reply is exactly a text, or JSON that equals a value.",
	Scoring:  "1 when it is, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReply,
})

type equalsParams struct {
	Value equalsValue `param:"value,required" alias:"expected,reference" doc:"A text; a list or map is compared as JSON."`

	textOptions
	CaseSensitive bool `param:"case_sensitive" default:"true" doc:"Tell upper and lower case apart, in a text."`
}

// textOptions say how checks of a whole reply treat its start and end.
type textOptions struct {
	Trim bool `param:"trim" default:"true" doc:"Leave out white space around the reply and around what it is compared with."`
}

func (o textOptions) edges(text string) string {
	if o.Trim {
		return strings.TrimSpace(text)
	}
	return text
}

func (p equalsParams) Build(b *binder) Check {
	b.warnTurnedValues("value")
	if p.Value.json == nil {
		want := p.edges(p.Value.text)
		if want == "" {
			b.errorf("value", "empty-value", "value is empty")
		}
		block := node.IsBlock(b.read["value"]) && !p.Trim
		if o := node.OddText(p.Value.text, block); o != (node.Oddity{}) {
			b.errorf("value", "odd-text", "value: %q %s", p.Value.text, o.Text).Hint = o.Hint
		}
		return &equals{newTextPattern(want, b.turned), p.textOptions, p.CaseSensitive}
	}
	return equalsJSON{p.Value.json}
}

type equals struct {
	want          textPattern
	options       textOptions
	caseSensitive bool
}

func (c *equals) Eval(_ context.Context, s *Subject) (Finding, error) {
	reply := s.last()
	got, want := c.options.edges(reply.Text), c.want.text
	same := c.want.fits(reply, c.caseSensitive, func(text, want string) bool { return c.options.edges(text) == want })
	f := Finding{Explanation: "equals " + say.Quote(want)}
	if same {
		f.Score = 1
		return f, nil
	}
	f.Explanation = difference(got, want)
	f.Details = Details{"expected": say.Content(want), "content": say.Content(got)}
	return f, nil
}

// difference says where two texts differ first.
func difference(got, want string) string {
	at := 0
	for at < len(got) && at < len(want) {
		_, size := utf8.DecodeRuneInString(want[at:])
		if !strings.HasPrefix(got[at:], want[at:at+size]) {
			break
		}
		at += size
	}
	if at == 0 {
		return "is " + say.Quote(got) + ", expected " + say.Quote(want)
	}
	n := utf8.RuneCountInString(want[:at])
	switch {
	case at == len(want):
		return fmt.Sprintf("goes on with %s after %s", say.Quote(got[at:]), say.Quote(want))
	case at == len(got):
		return fmt.Sprintf("ends after %s, expected %s to follow", plural.Count(n, "character"), say.Quote(want[at:]))
	}
	return fmt.Sprintf("differs from character %d on: %s, expected %s", n+1, say.Quote(got[at:]), say.Quote(want[at:]))
}

type equalsJSON struct{ want any }

func (c equalsJSON) Eval(_ context.Context, s *Subject) (Finding, error) {
	doc := s.document(jsonOptions{})
	v, err := doc.value()
	switch {
	case err != nil:
		return notJSON(doc, jsonOptions{})
	case jsonvalue.Equal(v, c.want):
		return Finding{Score: 1, Explanation: "equals " + say.Shown(c.want)}, nil
	}
	return Finding{
		Explanation: "is " + say.Shown(v) + ", expected " + say.Shown(c.want),
		Details:     Details{"expected": c.want, "actual": say.Kept(v)},
	}, nil
}

// equalsValue is a parameter that holds a text or, as a list or a map, JSON.
type equalsValue struct {
	text string
	json any // nil: text
}

func (*equalsValue) shape() keys.Shape {
	return keys.Own{Words: "text, list or map",
		Doc: jsonschema.Doc{Type: jsonschema.Types{"string", "number", "boolean", "array", "object"}}}
}

func (p *equalsValue) take(b *binder, n *node.Node, what string) bool {
	if n.Kind == node.Scalar {
		text, ok := b.r.String(n, what)
		p.text = text
		return ok
	}
	before := b.r.Diags.Errors()
	p.json = b.r.Any(n)
	return b.r.Diags.Errors() == before
}
