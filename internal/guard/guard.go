// Package guard applies the guardrails of prompts, compiled checks, to what users and models say. What fires is put on
// the message and returned; nothing is said about pass or fail.
package guard

import (
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/scenario"
)

// refusal is said in the place of a message when a guardrail has no text of its own. Users' patterns match on it.
const refusal = "Sorry, we can't provide this response as it would violate our content policy."

// The sides on which a guardrail stands; one may stand on both.
const (
	input  = "input"
	output = "output"
	both   = "both"
)

// Set is the guardrails of one prompt, in the order of the file. It is immutable and safe for concurrent use; nil is
// none.
type Set struct {
	in, out []*rail
	closing func() string
}

type rail struct {
	*checks.Compiled
	def     *scenario.Validator
	monitor bool          // it changes nothing
	effect  checks.Effect // Records when it only monitors
}

// New makes the set of those validators that are switched on; nil when none is. It fails when one was not compiled: a
// guardrail is never left out in silence.
func New(list []*scenario.Validator) (*Set, error) {
	s := &Set{}
	for _, v := range list {
		if !v.Enabled {
			continue
		}
		check, ok := v.Compiled.(*checks.Compiled)
		if !ok || check == nil {
			return nil, fmt.Errorf("guardrail %s was not compiled", v.Type)
		}
		r := &rail{Compiled: check, def: v, monitor: !v.FailOnViolation}
		if !r.monitor {
			r.effect = check.Effect()
		}
		if v.Direction == input || v.Direction == both {
			s.in = append(s.in, r)
		}
		if v.Direction != input {
			s.out = append(s.out, r)
		}
	}
	if len(s.in)+len(s.out) == 0 {
		return nil, nil
	}
	s.closing = sync.OnceValue(func() string { return s.digest(nil) })
	return s, nil
}

// Closing tells apart, by their definitions, the guardrails that may have a stream closed; "" when none may. values is
// what their placeholders stand for; nil: they have none.
func (s *Set) Closing(values any) string {
	if values == nil {
		return s.closing()
	}
	return s.digest(values)
}

func (s *Set) digest(values any) string {
	decides := []any{values}
	for _, r := range s.out {
		if r.effect != checks.Records && r.Follow() != nil {
			decides = append(decides, r.def)
		}
	}
	if len(decides) == 1 {
		return ""
	}
	sum := scenario.Digest(decides...)
	return hex.EncodeToString(sum[:])
}

// OnInput reports whether anything looks at what users say.
func (s *Set) OnInput() bool { return s != nil && len(s.in) > 0 }

// OnOutput reports whether anything looks at what the model says.
func (s *Set) OnOutput() bool { return s != nil && len(s.out) > 0 }

// text is what is said when the guardrail replaces a message.
func (r *rail) text() string {
	if r.Message != "" {
		return r.Message
	}
	return refusal
}
