package scenario

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// ClientTool is a tool on the user's side that needs consent. A test simulates both: the consent by consent_overrides
// of a turn, the result by a mock.
type ClientTool struct {
	Decline        string // fallback, error or retry: the result for the model if the user declines; "": error
	ValidateOutput bool   // the simulated result must fit output_schema
}

// clientFields are the settings of tools with mode client. Texts and time limits for the user have no effect in a test.
var clientFields = table("client", func() rows[ClientTool] {
	return rows[ClientTool]{
		object("consent", part("consent",
			inside[ClientTool]("required", boolean).
				doc("Whether the user is asked; tests answer by consent_overrides of a turn."),
			inside[ClientTool]("message", text).doc("What the user would be asked; nobody sees it in a test."),
			word("decline_strategy", words("fallback", "error", "retry"), func(c *ClientTool) *string { return &c.Decline }).
				preset("error").
				doc("What the model is told when the user declines."),
		), func(c *ClientTool) *ClientTool { return c }).doc("How the user is asked before the tool is called."),
		inside[ClientTool]("timeout_ms", natural).doc("How long the user may think, in milliseconds; no test waits."),
		inside[ClientTool]("categories", texts).doc("What the tool has to do with, for the user who is asked."),
		flag("validate_output", func(c *ClientTool) *bool { return &c.ValidateOutput }).
			doc("Holds the simulated result against output_schema."),
	}
})

// Consent is the user's answer to the calls of a tool in a turn.
type Consent struct {
	Tool   string
	Answer string // grant, deny or timeout
	Pos    diag.Pos
}

var consents = words("grant", "deny", "timeout")

func readConsent(d *decoder, t *turnFile, v *node.Node) {
	d.Each(v, "consent_overrides", func(tool string, k, answer *node.Node) {
		d.refer(toTool, k)
		word, _ := d.OneOf(answer, "consent_overrides."+tool, consents...)
		rare := t.rare()
		rare.Consent = append(rare.Consent, Consent{tool, word, d.Pos(k)})
	})
}
