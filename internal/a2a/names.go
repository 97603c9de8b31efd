// Package a2a talks to other agents over A2A: their cards, the messages to them, and the tasks and messages with which
// they answer, in the words of protocol versions 0.3 and 1.0. It also makes the names of the tools by which models
// reach agents.
package a2a

import "strings"

// Prefix is what the names of tools that ask agents begin with.
const Prefix = "a2a__"

// ToolName is the name of the tool that asks an agent, by the name on its card, for one of its skills.
func ToolName(card, skill string) string { return Prefix + Plain(card) + "__" + Plain(skill) }

// Asks reports whether a tool asks the agent with this name on its card.
func Asks(tool, card string) bool {
	rest, ok := strings.CutPrefix(tool, Prefix)
	plain := Plain(card)
	return ok && plain != "" && strings.HasPrefix(rest, plain+"__")
}

// Plain is a name as it stands in the name of a tool: in lower case, with one _ for all that stands between letters and
// digits. It is "" for a name without any.
func Plain(name string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}
