package scenario

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ReadCheck reads one check, as its surface writes it, out of any file, and does not compile it. What limits it to some
// conversations or wants several trials does not count: the check is asked by itself. It returns nil after a problem.
func ReadCheck(r *node.Reader, n *node.Node, surface Surface) *Check {
	d := &decoder{Reader: *r}
	before := d.Diags.Errors()
	c := d.bareCheck(n, surface)
	if d.Diags.Errors() > before {
		return nil
	}
	c.When, c.PassThreshold = nil, nil
	return c
}

// bareCheck is a check without what its surface adds to it.
func (d *decoder) bareCheck(n *node.Node, surface Surface) *Check {
	switch surface {
	case Guardrail:
		if v := d.validator(n); v != nil {
			return &v.Check
		}
	case EvalSurface:
		if e := d.eval(n); e != nil {
			d.finish(&e.Check, surface)
			return &e.Check
		}
	case TurnAssertion, ConversationAssertion:
		c := NestedCheck{}
		if node.Get(n, "weight") != nil { // it stands in another one
			weightedFields.read(d, n, &c)
		} else {
			checkFields.read(d, n, &c.Check)
		}
		d.finish(&c.Check, surface)
		return &c.Check
	}
	return nil
}

// ReadValidator reads one guardrail that stands alone in a text, as JSON or YAML. It returns nil after a problem.
func ReadValidator(file string, data []byte, compile func(*Check, *diag.List), problems *diag.List) *Validator {
	d := &decoder{Reader: node.Reader{File: file, Diags: problems}, compile: compile}
	docs := node.Parse(&d.Reader, data)
	if len(docs) != 1 {
		return nil
	}
	g := d.validator(docs[0])
	if problems.Errors() > 0 {
		return nil
	}
	return g
}
