package checks

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/textsearch"
)

// BadParam is an error of a check about the value of its parameter.
type BadParam struct {
	Param string // by its canonical name
	Err   error
}

func (e *BadParam) Error() string { return e.Param + ": " + e.Err.Error() }

func (e *BadParam) Unwrap() error { return e.Err }

// Custom declares a check of a Go program. P is a struct whose fields have the tags that layout describes; a field that
// cannot be a parameter is an error. build makes the check for each use in a file. If build returns an error or panics,
// the error becomes a problem at that position, and *BadParam names the parameter.
func Custom[P any](d Def, build func(P) (Check, error)) (*Def, error) {
	t := reflect.TypeFor[P]()
	if err := fitsParams(t); err != nil {
		return nil, fmt.Errorf("check %q: %w", d.Name, err)
	}
	l := layoutOf(t)
	d.custom = true
	d.layout = func() *layout { return l }
	d.build = func(b *binder) Check {
		var p P
		if !b.decode(l, &p) || !b.anyOf(d.AnyOf) {
			return nil
		}
		check, err := recovered(func() (Check, error) { return build(p) })
		if err == nil && check == nil {
			err = errors.New("the check was not made")
		}
		if err != nil {
			b.refuse(err)
			return nil
		}
		return check
	}
	return &d, nil
}

// recovered turns a panic into an error.
func recovered(build func() (Check, error)) (check Check, err error) {
	defer func() {
		if p := recover(); p != nil {
			check, err = nil, contain.Panicked("making the check", p)
		}
	}()
	return build()
}

// refuse reports why a check was not made, at the parameter that the error names.
func (b *binder) refuse(err error) {
	if bad, ok := errors.AsType[*BadParam](err); ok && b.read[bad.Param] != nil {
		b.errorf(bad.Param, "bad-value", "%v", err)
		return
	}
	b.r.Diags.Errorf(b.at, 1, "bad-value", "%s: %v", b.name, err)
}

// Partial makes a Stream from a function that judges the beginning of a reply, up to a whole character. best is the
// highest score that such a reply can still get. The first error ends the judging.
func Partial(judge func(text string) (best float64, err error)) Fallible {
	return &partial{judge: judge, best: 1}
}

type partial struct {
	judge func(string) (float64, error)
	runes textsearch.Runes
	text  strings.Builder
	best  float64
	err   error
}

// Write implements Stream.
func (p *partial) Write(piece string) float64 {
	more := p.runes.Take(piece)
	if p.err != nil || more == "" {
		return p.best
	}
	p.text.WriteString(more)
	best, err := p.judge(p.text.String())
	if err == nil {
		err = scoreFits(best)
	}
	if p.err = err; err == nil {
		p.best = min(p.best, best) // the beginning of the reply stays the same
	}
	return p.best
}

// Err implements Fallible.
func (p *partial) Err() error { return p.err }
