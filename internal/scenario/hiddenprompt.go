package scenario

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/plural"
)

// hiddenPrompt is a prompt that gives way to another one of the same task type.
type hiddenPrompt struct{ prompt, over *Prompt }

// replacePrompts removes from a list the prompts of a task type that another list has as well.
func (b *build) replacePrompts(list, winners []*Prompt) []*Prompt {
	return slices.DeleteFunc(list, func(q *Prompt) bool {
		i := slices.IndexFunc(winners, func(own *Prompt) bool { return own.TaskType == q.TaskType })
		if i < 0 {
			return false
		}
		b.p.Later = slices.DeleteFunc(b.p.Later, func(f Feature) bool {
			return f.Prompt == q.TaskType && f.Pos.File == q.File
		})
		b.hidden = append(b.hidden, hiddenPrompt{q, winners[i]})
		return true
	})
}

// reportHiddenPrompts warns of prompts that give way to another one which lacks guardrails or evals of theirs: what
// these demand is not asked then.
func (b *build) reportHiddenPrompts() {
	for _, h := range b.hidden {
		var lost []string
		if n := countLost(h.prompt.Validators, h.lacksGuardrail); n > 0 {
			lost = append(lost, plural.Count(n, "guardrail"))
		}
		kept := b.p.EvalsFor(h.over)
		if n := countLost(h.prompt.Evals, func(e *Eval) bool { return lacksEval(kept, e) }); n > 0 {
			lost = append(lost, plural.Count(n, "eval"))
		}
		if len(lost) > 0 {
			b.l.diags.Warnf(h.prompt.Pos, 0, "hidden-prompt",
				"the prompt of the task type %q is replaced by the one at %s, which lacks %s of it", h.prompt.TaskType,
				h.over.place(), strings.Join(lost, " and ")).Hint = "copy them to that prompt, or remove one of the two"
		}
	}
}

func countLost[T any](list []T, lost func(T) bool) (n int) {
	for _, item := range list {
		if lost(item) {
			n++
		}
	}
	return n
}

// lacksGuardrail reports whether the other prompt has no guardrail like this one.
func (h hiddenPrompt) lacksGuardrail(v *Validator) bool {
	return v.Enabled && !slices.ContainsFunc(h.over.Validators, func(o *Validator) bool {
		return o.Enabled && o.Digest == v.Digest && o.Direction == v.Direction && (o.FailOnViolation || !v.FailOnViolation)
	})
}

// lacksEval reports whether no eval of a list asks what this one asks.
func lacksEval(list []*Eval, e *Eval) bool {
	return e.Enabled && !slices.ContainsFunc(list, func(o *Eval) bool {
		return o.ID == e.ID && (!e.gates() || lossFrom(e, o) == "" && changeFrom(e, o) == "")
	})
}

// place is where the prompt is written.
func (p *Prompt) place() string {
	if p.Pos.Line == 0 {
		return p.File
	}
	return p.Pos.String()
}

// replaceTools removes the tools of the pack that the project has as well. It warns where their arguments differ.
func (b *build) replaceTools() {
	b.unbound = slices.DeleteFunc(b.unbound, func(t *Tool) bool {
		i := slices.IndexFunc(b.p.Tools, func(own *Tool) bool { return own.ID == t.ID })
		if i < 0 {
			return false
		}
		if own := b.p.Tools[i]; !sameArguments(t.InputSchema, own.InputSchema) {
			b.l.diags.Warnf(t.Pos, utf8.RuneCountInString(t.ID), "hidden-tool",
				"the arguments of the tool %q are replaced by those at %s, which differ", t.ID, own.InputPos).
				Hint = "give the two the same parameters"
		}
		return true
	})
}

// sameArguments reports whether two schemas ask the same, whatever words they describe it with.
func sameArguments(a, b json.RawMessage) bool {
	x, y := argumentsAsked(a), argumentsAsked(b)
	return x == nil || y == nil || bytes.Equal(x, y)
}

// argumentsAsked is a schema without what is for readers; nil when it is no JSON.
func argumentsAsked(schema json.RawMessage) []byte {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return nil
	}
	out, err := json.Marshal(withoutRemarks(v))
	if err != nil {
		return nil
	}
	return out
}

// withoutRemarks takes out descriptions, and what a schema that leaves it out means as well.
func withoutRemarks(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	m = maps.Clone(m)
	for _, key := range []string{"description", "title", "examples", "$schema"} {
		if _, word := m[key].(map[string]any); !word {
			delete(m, key)
		}
	}
	for _, key := range []string{"properties", "required"} {
		switch list := m[key].(type) {
		case map[string]any:
			if len(list) == 0 {
				delete(m, key)
			}
		case []any:
			if len(list) == 0 {
				delete(m, key)
			}
		}
	}
	for key, inner := range m {
		m[key] = withoutRemarks(inner)
	}
	return m
}
