package tools

// The keys in the metadata of a tool's result under which arena says what it did to the call.
const (
	InjectedKey     = "injected"      // the mode of the failure that was injected
	InjectedRuleKey = "injected_rule" // its number among the failures of the turn, from 1
	ConsentKey      = "consent"       // what the user answered when asked whether the tool may run
)
