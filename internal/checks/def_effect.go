package checks

// Effect is what a guardrail does to a message on which it fires.
type Effect uint8

// The effects.
const (
	Records  Effect = iota // nothing; the firing is recorded
	Replaces               // another text replaces the message
	Cuts                   // the message is cut to the limit
)

var effectWords = [...]string{"records", "replaces the message", "cuts the message to the limit"}

func (e Effect) String() string { return effectWords[e] }

// Effect returns the effect of a guardrail of this check. Guardrails with judges and safety checks replace the message.
func (d *Def) Effect() Effect {
	if d.OnFire == Records && (d.Family == FamilyJudge || d.Family == FamilySafety) {
		return Replaces
	}
	return d.OnFire
}

// EffectWords describes the effect of a guardrail of this check.
func (d *Def) EffectWords() string {
	if d.Family == FamilyCombined {
		return "replaces the message when each of its parts would do something to it, else records"
	}
	return d.Effect().String()
}

// Effect returns the effect of a guardrail of this check. A combined check replaces the message when each of its parts
// would change it.
func (c *Compiled) Effect() Effect {
	parts := c.Nested()
	if len(parts) == 0 {
		return c.Def.Effect()
	}
	for _, part := range parts {
		if part.Effect() == Records {
			return Records
		}
	}
	return Replaces
}

// cutter is a check whose limit a text can be cut to.
type cutter interface{ Cut(text string) string }

// Cut returns the longest beginning of a text that keeps the limits of the check, in whole characters. It returns the
// text itself when the text keeps them, or when the check cannot cut.
func (c *Compiled) Cut(text string) string {
	if check, ok := c.Check.(cutter); ok {
		return check.Cut(text)
	}
	return text
}
