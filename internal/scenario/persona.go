package scenario

import (
	"slices"

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
			doc("How the model is to play the user; may hold {{placeholders}}."),
		str("system_prompt", func(p *Persona) *string { return &p.SystemPrompt }).doc("The same, as it is."),
		strs("goals", func(p *Persona) *[]string { return &p.Goals }).doc("What the user wants."),
		strs("constraints", func(p *Persona) *[]string { return &p.Constraints }).doc("What the user does not do."),
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
				doc("How freely the model chooses, from 0 to 2."),
			seed("seed", func(p *Persona) **int64 { return &p.Seed }).doc("Makes models that support it repeat themselves."),
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
		idle[Style]("expressive", boolean, "this version does not support audio", "false"),
		idle[Style]("characterization_rubric", text, "no check of this version reads it; write it as criteria of a judge"),
	}
})

// idlePersonas warns of files that are personas by their keys alone, and that no turn names. A prompt whose text is
// called as that of a persona is one of them, and no agent would be told it.
func (b *build) idlePersonas() {
	if b.l.opts.Bare || b.l.opts.Recorded || b.in.only != nil || b.l.diags.Errors() > 0 {
		return
	}
	for _, q := range b.p.Personas {
		if q.Loose && !b.p.playsPersona(q) {
			b.l.diags.Warnf(q.Pos, 1, "file-not-used", "this is the persona %q, and no turn names it", q.ID).Hint =
				`what an agent is told is a prompt: call its text system_template; a turn names a persona with "persona"`
		}
	}
}

func (p *Project) playsPersona(q *Persona) bool {
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
	if p.SystemTemplate == "" && p.SystemPrompt == "" && node.Get(doc.spec, "prompt_activity") == nil {
		d.Missing(doc.spec, "a persona", "system_template or system_prompt")
	}
	return p
}
