package recording

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// wholeCount holds the tokens of a reply against what a recording counts in all. Where one half is missing, or the sum
// is more than the halves, tokens are untold: half a count is never taken for the whole.
func wholeCount(m *chat.Message, hasIn, hasOut bool, total value) {
	sum := m.Usage.InputTokens + m.Usage.OutputTokens + m.Usage.CachedTokens + m.Usage.CacheWriteTokens
	if n, told := numberIn(total); hasIn && hasOut && (!told || n <= float64(sum)) {
		return
	}
	m.Usage.Estimated = true
	if !slices.Contains(m.Untold, chat.UntoldTokens) {
		m.Untold = append(m.Untold, chat.UntoldTokens)
	}
}
