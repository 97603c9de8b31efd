package cli

// Settable lists the flags that variables and .arena.yaml may set.
func Settable() []string { return settable }

// What other tools call flags, and the command that has ours.
var (
	FlagsElsewhere = flagsElsewhere
	FlagElsewhere  = flagElsewhere
	NewRootCmd     = newRoot
)
