package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// contextKey is a key of context_metadata, with the variables that it sets unless they have a value.
type contextKey struct {
	name      string
	pos       diag.Pos
	variables []string
}

func (s *Scenario) contextKeys() []contextKey {
	at := s.rarePlaces()
	return []contextKey{
		{"domain", at.domain, []string{"domain"}},
		{"user_role", at.userRole, []string{"user_role", "user_context"}},
	}
}

// unreadContexts warns of keys of context_metadata that nothing uses, or that other values override.
func (b *build) unreadContexts() {
	for _, s := range b.p.Scenarios {
		if at := s.rarePlaces(); at.domain.Line+at.userRole.Line == 0 {
			continue
		}
		prompts, err := b.p.PromptsFor(s)
		if err != nil {
			continue // is reported
		}
		read := b.sharedReads(prompts...)
		read.addScenario(b, s)
		read.addNested()
		for _, k := range s.contextKeys() {
			if k.pos.Line != 0 && !b.reported[k.pos] {
				b.unreadContext(s, prompts, read, k)
			}
		}
	}
}

func (b *build) unreadContext(s *Scenario, prompts []*Prompt, read *variableReads, k contextKey) {
	used := slices.DeleteFunc(slices.Clone(k.variables), func(name string) bool { return !read.reads(name) })
	braces := "{{" + strings.Join(k.variables, "}} or {{") + "}}"
	if len(used) == 0 {
		b.l.diags.Warnf(k.pos, len(k.name), "unread-variable", "nothing reads the %s of context_metadata", k.name).
			Hint = "write " + braces + " in the prompt or in a turn where it is meant, or take it out"
		return
	}
	by := ""
	for _, name := range used {
		if by = setBefore(s, prompts, name); by == "" {
			return
		}
	}
	b.l.diags.Warnf(k.pos, len(k.name), NoEffect, "%s has no effect: %s", k.name, by).
		Hint = "set one of the two alone"
}

// setBefore names the setting that overrides context_metadata for a variable; "": none.
func setBefore(s *Scenario, prompts []*Prompt, name string) string {
	if _, set := s.Variables[name]; set {
		return "the variable " + quoted(name) + " of the scenario comes before it"
	}
	by := ""
	for _, q := range prompts {
		if q == nil {
			return ""
		}
		if _, set := q.variables()[name]; !set {
			return ""
		}
		by = "the variable " + quoted(name) + " has a value by the prompt " + quoted(q.TaskType) + " at " + q.place()
	}
	return by
}

// keyPos is the position of a key of a map.
func (d *decoder) keyPos(n *node.Node, name string) diag.Pos {
	for i := 0; n.Kind == node.Map && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return d.Pos(n.Content[i])
		}
	}
	return diag.Pos{}
}
