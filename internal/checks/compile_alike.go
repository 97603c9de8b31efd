package checks

import (
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// selfContained is a check that consists of its parameters only, without position or file, and that is slow to compile.
// Suites repeat such checks word for word, so equal ones are compiled once.
type selfContained interface{ selfContained() }

// wording is equal for checks that get the same warnings, wherever they are. The zero value is not a wording.
type wording struct {
	what digest.Sum
	how  uint64 // whether it has quotes, which decides about some warnings
}

func wordingOf(spec *scenario.Check) wording {
	if spec.Filled != nil || (spec.Digest == digest.Sum{}) {
		return wording{}
	}
	return wording{spec.Digest, node.Form(spec.Params)}
}

// compiledBefore returns a check with the same wording that was compiled without warnings; nil: none.
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

// keep stores a check that was compiled without warnings, for others with the same wording.
func (c *Compiler) keep(w wording, compiled *Compiled) {
	if _, ok := compiled.Check.(selfContained); ok && compiled.uses == nil && w != (wording{}) {
		c.equals.LoadOrStore(w, compiled)
	}
}
