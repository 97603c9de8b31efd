package chat

// MostTokens is how many tokens one call can take at most. A server that counts more does not count.
const MostTokens = 1_000_000_000_000

// Most is what anything measured can come to at most: a time in milliseconds, a price in dollars, a count. More comes
// of damage or invention, and sums of it would leave the numbers that JSON can hold.
const Most = 1e15

// Measured reports whether a number can be what was measured.
func Measured(n float64) bool { return n >= 0 && n <= Most }

// Tokens reports whether a number can be the tokens of one call.
func Tokens(n float64) bool { return n >= 0 && n <= MostTokens }

// Counted says whether the tokens are numbers that a call can have taken. A part below zero says that nobody knows it.
func (u Usage) Counted() bool {
	return Tokens(float64(u.InputTokens)) && Tokens(float64(u.OutputTokens)) &&
		max(u.CachedTokens, u.CacheWriteTokens, u.ReasoningTokens) <= MostTokens
}
