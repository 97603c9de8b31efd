package scenario

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ReadCheck reads one check in the form of a surface from any file, without compiling it. Conditions on conversations
// and trial counts are ignored. It returns nil after a problem.
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

// bareCheck is a check without the keys of its surface.
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
		if node.Get(n, "weight") != nil { // it is a nested check
			weightedFields.read(d, n, &c)
		} else {
			checkFields.read(d, n, &c.Check)
		}
		d.finish(&c.Check, surface)
		return &c.Check
	}
	return nil
}

// ReadValidator reads one guardrail from a text in JSON or YAML. It returns nil after a problem.
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
