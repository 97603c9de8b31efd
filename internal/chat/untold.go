package chat

import "slices"

// What an agent that is no model of ours may not tell of its reply. Its silence then means nothing.
const (
	UntoldToolCalls  = "tool calls"  // which tools it called
	UntoldModelCalls = "model calls" // how often it asked a model
)

// UntoldWords are all that a reply may leave untold.
var UntoldWords = []string{UntoldModelCalls, UntoldToolCalls}

// LeavesUntold reports whether the agent does not tell something of the reply.
func (m *Message) LeavesUntold(what string) bool { return slices.Contains(m.Untold, what) }
