package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// Defaults of the instructions and parameters of a persona.
const (
	UserTemperature   = 0.7
	UserSeed          = 42
	UserTokens        = 200
	UserTokensWithEnd = 300 // if the persona may end the conversation
)

// generated reports whether a model writes what the user says in a turn.
func (t *Turn) generated() bool { return t.Role != "user" && t.Persona() != "" }

// Most is the maximum number of messages of the turn: one, or that of a persona.
func (t *Turn) Most() int {
	if !t.generated() {
		return 1
	}
	play := t.More().SelfPlay
	return max(play.MinTurns, play.MaxTurns, 1)
}

// Least is the minimum number of messages of the turn.
func (t *Turn) Least() int {
	if !t.generated() {
		return 1
	}
	return max(t.More().SelfPlay.MinTurns, 1)
}

// MayEnd reports whether a persona may end the turn before its maximum number of messages.
func (t *Turn) MayEnd() bool { return t.Most() > t.Least() }

// MostTurns is the maximum number of user messages in a conversation.
func (s *Scenario) MostTurns() (n int) {
	for i := range s.Turns {
		n += s.Turns[i].Most()
	}
	return n
}

// PersonaOf is the persona that plays the user in a turn; nil: the turn is scripted.
func (p *Project) PersonaOf(t *Turn) *Persona {
	if !t.generated() {
		return nil
	}
	for _, q := range p.Personas {
		if q.Is(t.Persona()) {
			return q
		}
	}
	return nil
}

// RoleOf is the role of self-play of a turn; nil: the turn is scripted.
func (p *Project) RoleOf(t *Turn) *Role {
	for i := range p.Roles {
		if p.Roles[i].ID == t.Role && p.SelfPlay && t.generated() {
			return &p.Roles[i]
		}
	}
	return nil
}

// PersonaPrompt is the system prompt of a persona in a conversation. Of the agent's prompt it only has the variables of
// the config. The error names required variables without a value, and unknown ones.
func PersonaPrompt(q *Persona, prompt *Prompt, s *Scenario, region string) (string, error) {
	if len(q.missing(prompt, s, region)) > 0 {
		return "", fmt.Errorf("the persona %q requires a value for %s", q.ID,
			strings.Join(q.missing(prompt, s, region), ", "))
	}
	text := q.SystemPrompt
	if strings.TrimSpace(q.SystemTemplate) != "" {
		v := q.values(prompt, s, region)
		filled, faults := v.fill(q.SystemTemplate, false)
		if len(faults) > 0 {
			return "", fmt.Errorf("the persona %q: %s", q.ID, joinFaults(faults))
		}
		text = filled
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("the text of the persona " + q.ID + " is empty once its variables are filled in")
	}
	if q.Style.Expressive && strings.TrimSpace(q.Style.Rubric) != "" {
		text = strings.TrimSpace(q.Style.Rubric) + "\n\n" + text
	}
	return text, nil
}

// values returns the values of the placeholders in a persona's template.
func (q *Persona) values(prompt *Prompt, s *Scenario, region string) *Values {
	vars := map[string]string{"domain_hint": "general", "user_context": "user", "context_slot": ""}
	maps.Copy(vars, q.OptionalVars)
	if prompt != nil {
		maps.Copy(vars, prompt.Vars)
	}
	maps.Copy(vars, Known(nil, s, region))
	if s.Context.Domain != "" {
		vars["domain_hint"] = s.Context.Domain
	}
	vars["persona_goals"] = cmp.Or(strings.Join(q.Goals, ", "), "Interact naturally and helpfully")
	vars["persona_constraints"] = cmp.Or(strings.Join(q.Constraints, ", "), "Be respectful and constructive")
	vars["verbosity"] = cmp.Or(q.Style.Verbosity, "medium")
	vars["challenge_level"] = cmp.Or(q.Style.ChallengeLevel, "medium")
	vars["friction_tags"] = cmp.Or(strings.Join(q.Style.FrictionTags, ", "), "none")
	return &Values{Vars: vars, row: s.Row}
}

// missing are the required variables without a value.
func (q *Persona) missing(prompt *Prompt, s *Scenario, region string) (names []string) {
	if len(q.RequiredVars) == 0 {
		return nil
	}
	v := q.values(prompt, s, region)
	for _, name := range q.RequiredVars {
		if strings.TrimSpace(v.Vars[name]) == "" {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	return names
}

// personaPrompts reports problems of the persona prompts of a scenario that are known before the run. told holds
// reported problems.
func (b *build) personaPrompts(s *Scenario, prompt *Prompt, told map[diag.Diagnostic]bool) {
	for i := range s.Turns {
		t := &s.Turns[i]
		q := b.p.PersonaOf(t)
		if q == nil {
			continue
		}
		if missing := q.missing(prompt, s, DefaultRegion); len(missing) > 0 {
			d := diag.Diagnostic{
				Pos: t.Pos, Width: 1, Code: "missing-variable",
				Msg: fmt.Sprintf("scenario %q: the persona %q requires a value for %s", s.ID, q.ID,
					strings.Join(missing, ", ")),
				Hint: "set it under variables of the scenario, or under optional_vars of the persona",
			}
			if !told[d] {
				told[d] = true
				b.l.diags.Add(d)
			}
			continue
		}
		if strings.TrimSpace(q.SystemTemplate) == "" {
			continue
		}
		v := q.values(prompt, s, DefaultRegion)
		_, faults := v.fill(q.SystemTemplate, false)
		add := func(f placeholderFault, severity diag.Severity) {
			d := diag.Diagnostic{
				Pos: q.TextPos, Width: 1, Severity: severity, Code: f.code,
				Msg: fmt.Sprintf("the persona %q: %s", q.ID, f.msg), Hint: f.hint,
			}
			if !told[d] {
				told[d] = true
				b.l.diags.Add(d)
			}
		}
		for _, f := range faults {
			add(f, diag.Error)
		}
		for _, f := range v.doubts(q.SystemTemplate) {
			add(f, diag.Warning)
		}
		if len(faults) == 0 {
			b.warnEmptied(v, q.TextPos, q.who(s), q.SystemTemplate, s.given)
		}
	}
}

// who names the persona's text, and the scenario with its values.
func (q *Persona) who(s *Scenario) string {
	return fmt.Sprintf("the persona %q, for scenario %q: ", q.ID, s.ID)
}

// warnUnusedGoals warns of goals and constraints without a placeholder in the persona's text: no model gets them.
func (b *build) warnUnusedGoals() {
	for _, q := range b.p.Personas {
		if !b.p.PlaysPersona(q) {
			continue
		}
		var what []string
		for _, one := range []struct {
			key  string
			list []string
		}{{"goals", q.Goals}, {"constraints", q.Constraints}} {
			if len(one.list) > 0 && !slices.Contains(Placeholders(q.SystemTemplate), "persona_"+one.key) {
				what = append(what, one.key)
			}
		}
		if len(what) > 0 {
			b.l.diags.Warnf(q.TextPos, 1, NoEffect, "the model that plays the persona %q is not told its %s", q.ID,
				strings.Join(what, " and ")).Hint = "write " + strings.Join(placesOf(what), " and ") + " into its system_template"
		}
	}
}

func placesOf(keys []string) []string {
	places := make([]string, len(keys))
	for i, key := range keys {
		places[i] = "{{persona_" + key + "}}"
	}
	return places
}
