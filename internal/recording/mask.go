package recording

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
)

// hiddenText is what instrumentations write in the place of what they were told to hide.
const hiddenText = "__REDACTED__"

// masks are what instrumentations and proxies write in the place of a text. masked are texts that somebody may have
// said, and that stand for one most of the time.
var (
	masks  = []string{hiddenText, "redacted-by-litellm", "<masked due to failed mask function>"}
	masked = []string{
		"[redacted]", "<redacted>", "redacted", "[masked]", "<masked>", "[filtered]", "[truncated]", "<truncated>",
		"[hidden]", "***", "[omitted]", "<omitted>", "[removed]",
	}
)

// shortened is what LiteLLM writes within a text that it cut.
var shortened = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(litellm_truncated \d+ chars\)`) })

// lookForMasks refuses a message of which something else stands in the place, in whole or in part.
func (b *builder) lookForMasks(e *event) {
	text := strings.TrimSpace(e.Text())
	switch {
	case slices.Contains(masks, text):
		b.problems.Errorf(e.Pos, 1, "lost-message", "a message was hidden (%s), and nobody can judge it", text).
			Hint = "let what records it keep inputs and outputs"
	case strings.Contains(text, "(litellm_truncated ") && shortened().MatchString(text):
		sign := shortened().FindString(text)
		b.problems.Errorf(e.Pos, 1, "lost-message", "a message was cut by what recorded it (%s)", sign).
			Hint = "let what records it keep long texts"
	case e.Role == chat.Assistant && slices.Contains(masked, strings.ToLower(text)):
		b.doubtf("a reply is %s, as if what was said had been taken out", text)
	}
}
