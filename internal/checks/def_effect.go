package checks

// Effect is what a guardrail does to a message on which it fires.
type Effect uint8

// The effects.
const (
	Records  Effect = iota // nothing; it is put on record
	Replaces               // another text takes the place of the message
	Cuts                   // the message is cut to the limit
)

var effectWords = [...]string{"records", "replaces the message", "cuts the message to the limit"}

func (e Effect) String() string { return effectWords[e] }

// Effect is that of the check as a guardrail. Judges and safety checks replace: whoever asks them wants an answer.
func (d *Def) Effect() Effect {
	if d.OnFire == Records && (d.Family == FamilyJudge || d.Family == FamilySafety) {
		return Replaces
	}
	return d.OnFire
}

// EffectWords says what a guardrail of this check does when it fires.
func (d *Def) EffectWords() string {
	if d.Family == FamilyCombined {
		return "replaces the message when each of its parts would do something to it, else records"
	}
	return d.Effect().String()
}

// Effect is that of the check as a guardrail. A composition replaces when all of its parts would do something.
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

// Cut is the longest beginning of a text that keeps the limits of the check, in whole characters; the text itself when
// it keeps them, or when the check has none to cut to.
func (c *Compiled) Cut(text string) string {
	if check, ok := c.Check.(cutter); ok {
		return check.Cut(text)
	}
	return text
}
