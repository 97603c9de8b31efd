package checks

import (
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// selfContained is a check whose compilation is worth more than looking it up, and which is nothing but its parameters:
// it knows no position and no file. Suites repeat such checks word for word, so that equal ones are compiled once.
type selfContained interface{ selfContained() }

// wording is equal for checks that get the same remarks, wherever they are. The zero value is no wording.
type wording struct {
	what digest.Sum
	how  uint64 // it is written: whether there are quotes decides about some warnings
}

func wordingOf(spec *scenario.Check) wording {
	if spec.Filled != nil || (spec.Digest == digest.Sum{}) {
		return wording{}
	}
	return wording{spec.Digest, node.Form(spec.Params)}
}

// compiledBefore returns a check with the same wording that was compiled without a remark; nil: none.
func (c *Compiler) compiledBefore(w wording, spec *scenario.Check) *Compiled {
	if w == (wording{}) {
		return nil
	}
	before, ok := c.equals.Load(w)
	if !ok {
		return nil
	}
	out := *before.(*Compiled)
	out.Pos = spec.Pos
	return &out
}

// keep keeps a check, about which there was nothing to remark, for those of the same wording.
func (c *Compiler) keep(w wording, compiled *Compiled) {
	if _, ok := compiled.Check.(selfContained); ok && compiled.uses == nil && w != (wording{}) {
		c.equals.LoadOrStore(w, compiled)
	}
}
