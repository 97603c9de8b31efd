package recording

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// checkTotal compares the tokens of a reply with the total of the recording. When one of the two counts is missing, or
// the total is more than their sum, the tokens are unreported: a part is never taken for the whole.
func checkTotal(m *chat.Message, hasIn, hasOut bool, total value) {
	sum := m.Usage.InputTokens + m.Usage.OutputTokens + m.Usage.CachedTokens + m.Usage.CacheWriteTokens
	if n, known := numberIn(total); hasIn && hasOut && (!known || n <= float64(sum)) {
		return
	}
	m.Usage.Estimated = true
	if !slices.Contains(m.Unreported, chat.UnreportedTokens) {
		m.Unreported = append(m.Unreported, chat.UnreportedTokens)
	}
}
