package cli

// Settable lists the flags that variables and .arena.yaml may set.
func Settable() []string { return settable }
