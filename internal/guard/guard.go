// Package guard applies the guardrails of prompts to the messages of users and models. Guardrails that fire are
// recorded on the message and returned. Whether that fails a run is decided elsewhere.
package guard

import (
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/scenario"
)

// refusal replaces a message when the guardrail has no text of its own. Do not change it: users' patterns match it.
const refusal = "Sorry, we can't provide this response as it would violate our content policy."

// The directions of a guardrail: it applies to messages of users, of the model, or both.
const (
	input  = "input"
	output = "output"
	both   = "both"
)

// Set is the guardrails of one prompt, in the order of the file. It is immutable and safe for concurrent use. A nil set
// has no guardrails.
type Set struct {
	in, out []*guardrail
	closing func() string
}

type guardrail struct {
	*checks.Compiled
	def     *scenario.Validator
	monitor bool          // it changes no messages
	effect  checks.Effect // Records when it only monitors
}

// New returns the set of the validators that are enabled; nil when none is. A validator that was not compiled is an
// error: a guardrail is never left out in silence.
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
		r := &guardrail{Compiled: check, def: v, monitor: !v.FailOnViolation}
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

// Closing is a digest of the definitions of guardrails that may close a stream; "": none. values are the values of
// their placeholders; nil: none.
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

// OnInput reports whether a guardrail applies to messages of users.
func (s *Set) OnInput() bool { return s != nil && len(s.in) > 0 }

// OnOutput reports whether a guardrail applies to messages of the model.
func (s *Set) OnOutput() bool { return s != nil && len(s.out) > 0 }

// text is the text with which the guardrail replaces a message.
func (r *guardrail) text() string {
	if r.Message != "" {
		return r.Message
	}
	return refusal
}
