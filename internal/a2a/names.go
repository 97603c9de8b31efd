// Package a2a talks to other agents over A2A: their cards, the messages to them, and the tasks and messages of their
// answers, in protocol versions 0.3 and 1.0. It also makes the names of the tools by which models reach agents.
package a2a

import "strings"

// Prefix is the prefix of the names of tools that call agents.
const Prefix = "a2a__"

// ToolName is the name of the tool that calls an agent, given by the name on its card, for one of its skills.
func ToolName(card, skill string) string { return Prefix + Plain(card) + "__" + Plain(skill) }

// Asks reports whether a tool calls the agent with this name on its card.
func Asks(tool, card string) bool {
	rest, ok := strings.CutPrefix(tool, Prefix)
	plain := Plain(card)
	return ok && plain != "" && strings.HasPrefix(rest, plain+"__")
}

// Plain returns a name as part of a tool's name: in lower case, with _ for each run of other characters than letters
// and digits. It is "" for a name without letters and digits.
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
