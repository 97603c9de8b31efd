package scenario

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// personaFields are the keys of kind Persona.
var personaFields = table("a persona", func() rows[Persona] {
	return rows[Persona]{
		ownName[Persona]("id"),
		ownName[Persona]("name"),
		remark[Persona]("description", text).doc("Who the persona is, for people."),
		str("system_template", func(p *Persona) *string { return &p.SystemTemplate }).
			doc("How the model is to play the user. May hold {{placeholders}}: {{persona_goals}}, {{persona_constraints}}, " +
				"{{verbosity}}, {{challenge_level}}, {{friction_tags}}, {{region}}, and variables of the scenario and the config."),
		str("system_prompt", func(p *Persona) *string { return &p.SystemPrompt }).
			doc("The same, told as it is: it has no placeholders."),
		strs("goals", func(p *Persona) *[]string { return &p.Goals }).
			doc("What the user wants: the text of {{persona_goals}}. Left out: to interact naturally and helpfully."),
		strs("constraints", func(p *Persona) *[]string { return &p.Constraints }).
			doc("What the user does not do: the text of {{persona_constraints}}. Left out: to be respectful and constructive."),
		strs("required_vars", func(p *Persona) *[]string { return &p.RequiredVars }).
			doc("Placeholders that must have a value."),
		givenMap("optional_vars", func(p *Persona) *map[string]string { return &p.OptionalVars },
			func(d *decoder, p *Persona, g givenVariable) {
				g.persona = p
				d.given = append(d.given, g)
			}).doc("Values for placeholders that nobody sets."),
		object("style", styleFields, func(p *Persona) *Style { return &p.Style }).doc("How the user writes."),
		object("defaults", part("defaults",
			numPtr("temperature", keys.Number{Low: 0, High: 2}, func(p *Persona) **float64 { return &p.Temperature }).
				doc("How freely the model chooses, from 0 to 2. Left out: 0.7."),
			seed("seed", func(p *Persona) **int64 { return &p.Seed }).
				doc("Makes models that support it repeat themselves, in the first trial; each further one has one more. Left "+
					"out: 42."),
			optionalInteger("max_tokens", counting, func(p *Persona) **int { return &p.MaxTokens }).doc("The most tokens of "+
				"one message. Left out: 200, or 300 where the persona may end the conversation."),
		), func(p *Persona) *Persona { return p }).doc("Parameters of the model calls."),
		idle[Persona]("voice", text, "this version does not support audio"),
		gone[Persona]("prompt_activity", "prompt_activity needs a service that arena does not have",
			"write the persona's system_template here"),
		gone[Persona]("fragments", "personas cannot use fragments", "write the text into system_template"),
	}
})

var styleFields = table("style", func() rows[Style] {
	return rows[Style]{
		word("verbosity", words("short", "medium", "long"), func(s *Style) *string { return &s.Verbosity }).
			doc("How much the user writes."),
		word("challenge_level", words("low", "medium", "high"), func(s *Style) *string { return &s.ChallengeLevel }).
			doc("How hard the user is to please."),
		strs("friction_tags", func(s *Style) *[]string { return &s.FrictionTags }).
			doc("What makes talking to the user difficult."),
		flag("expressive", func(s *Style) *bool { return &s.Expressive }).
			doc("Whether characterization_rubric stands in front of what the model is told."),
		str("characterization_rubric", func(s *Style) *string { return &s.Rubric }).
			doc("How the words are to sound; counts with expressive: true."),
	}
})

// idlePersonas warns of files that are personas only by their keys, and that no turn names. Such a file may be a prompt
// whose text has the key of other tools; no agent would get it.
func (b *build) idlePersonas() {
	if b.l.opts.Bare || b.l.opts.Recorded || b.in.only != nil || b.l.diags.Errors() > 0 {
		return
	}
	for _, q := range b.p.Personas {
		if q.Loose && !b.p.PlaysPersona(q) {
			b.l.diags.Warnf(q.Pos, 1, "file-not-used", "this is the persona %q, and no turn names it", q.ID).Hint =
				`what an agent is told is a prompt: call its text system_template; a turn names a persona with "persona"`
		}
	}
}

// PlaysPersona reports whether a turn names a persona.
func (p *Project) PlaysPersona(q *Persona) bool {
	for _, s := range p.Scenarios {
		if slices.ContainsFunc(s.Turns, func(t Turn) bool { return t.Persona() != "" && q.Is(t.Persona()) }) {
			return true
		}
	}
	return false
}

// persona reads a document of kind Persona.
func (d *decoder) persona(doc document) *Persona {
	p := &Persona{Meta: doc.meta, Loose: doc.bare}
	if !personaFields.read(d, doc.spec, p) {
		return nil
	}
	d.personaText(doc.spec, p)
	return p
}

// personaText checks the text that describes the persona to a model.
func (d *decoder) personaText(n *node.Node, p *Persona) {
	if rubric := node.Get(node.Get(n, "style"), "characterization_rubric"); p.Style.Rubric != "" && rubric != nil {
		if !p.Style.Expressive {
			d.Warnf(rubric, NoEffect, "characterization_rubric has no effect without expressive: true").Hint =
				"add expressive: true, or take it out"
		} else if names := Placeholders(p.Style.Rubric); len(names) > 0 {
			d.Warnf(rubric, "foreign-template", "characterization_rubric contains {{%s}}, and is told as written", names[0]).
				Hint = "write it into system_template, which has placeholders"
		}
	}
	template, plain := node.Get(n, "system_template"), node.Get(n, "system_prompt")
	p.TextPos = p.Pos
	switch {
	case strings.TrimSpace(p.SystemTemplate) != "":
		p.TextPos = d.Pos(template)
		if plain != nil {
			d.Warnf(plain, "unused-field", "system_prompt is not told: the persona has a system_template").Hint =
				"take one of the two out"
		}
	case strings.TrimSpace(p.SystemPrompt) != "":
		p.TextPos = d.Pos(plain)
		if names := Placeholders(p.SystemPrompt); len(names) > 0 {
			d.Warnf(plain, "foreign-template", "system_prompt contains {{%s}}, and is told as written", names[0]).Hint =
				"call the text system_template, which has placeholders"
		}
	case template != nil || plain != nil:
		at := template
		if at == nil {
			at = plain
		}
		if !node.IsNull(at) {
			d.Errorf(at, "empty-value", "the text of a persona is empty: a model would not know whom it plays")
			return
		}
		d.Missing(n, "a persona", "system_template or system_prompt")
	case node.Get(n, "prompt_activity") == nil:
		d.Missing(n, "a persona", "system_template or system_prompt")
	}
}
