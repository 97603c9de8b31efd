package chat

import "slices"

// The parts of a reply that an agent may not report when it is a program or an endpoint. That they are missing then
// means nothing.
const (
	UnreportedToolCalls  = "tool calls"  // which tools it called
	UnreportedModelCalls = "model calls" // how often it asked a model
	// UnreportedArguments is with which arguments it called tools, for the calls that have none or what is no object.
	UnreportedArguments = "tool arguments"
	UnreportedResults   = "tool results"  // what came of them, for the calls that have no result
	UnreportedOutcomes  = "tool outcomes" // whether they failed, for the calls that have neither result nor error
	UnreportedTokens    = "tokens"        // how many tokens it took, or not all of them: what is counted is only estimated
)

// UnreportedWords are all parts that may not be reported.
var UnreportedWords = []string{UnreportedModelCalls, UnreportedToolCalls, UnreportedArguments, UnreportedResults,
	UnreportedOutcomes, UnreportedTokens,
}

// IsUnreported reports whether the agent does not report a part of the reply.
func (m *Message) IsUnreported(what string) bool { return slices.Contains(m.Unreported, what) }
