package chat

// MostTokens is how many tokens one call can take at most. A server that counts more does not count.
const MostTokens = 1_000_000_000_000

// Most is the maximum of any measurement: a time in milliseconds, a price in dollars, a count. Larger values are
// damaged or made up, and their sums could exceed the numbers of JSON.
const Most = 1e15

// Measured reports whether a number is a possible measurement.
func Measured(n float64) bool { return n >= 0 && n <= Most }

// Tokens reports whether a number can be the tokens of one call.
func Tokens(n float64) bool { return n >= 0 && n <= MostTokens }

// Counted reports whether the token counts are possible. A negative count means unknown.
func (u Usage) Counted() bool {
	return Tokens(float64(u.InputTokens)) && Tokens(float64(u.OutputTokens)) &&
		max(u.CachedTokens, u.CacheWriteTokens, u.ReasoningTokens) <= MostTokens
}
