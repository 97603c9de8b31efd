package chat

import "slices"

// What an agent that is no model of ours may not tell of its reply. Its silence then means nothing.
const (
	UntoldToolCalls  = "tool calls"  // which tools it called
	UntoldModelCalls = "model calls" // how often it asked a model
	// UntoldArguments is with which arguments it called tools, for the calls that have none or what is no object.
	UntoldArguments = "tool arguments"
	UntoldResults   = "tool results"  // what came of them, for the calls that have no result
	UntoldOutcomes  = "tool outcomes" // whether they failed, for the calls that have neither result nor error
	UntoldTokens    = "tokens"        // how many tokens it took, or not all of them: what is counted is only estimated
)

// UntoldWords are all that a reply may leave untold.
var UntoldWords = []string{UntoldModelCalls, UntoldToolCalls, UntoldArguments, UntoldResults, UntoldOutcomes,
	UntoldTokens,
}

// LeavesUntold reports whether the agent does not tell something of the reply.
func (m *Message) LeavesUntold(what string) bool { return slices.Contains(m.Untold, what) }
