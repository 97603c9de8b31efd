package recording

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
)

// hiddenText is the placeholder of instrumentations for hidden content.
const hiddenText = "__REDACTED__"

// masks are placeholders of instrumentations and proxies for texts. masked are texts that usually are placeholders, but
// that somebody may have said.
var (
	masks  = []string{hiddenText, "redacted-by-litellm", "<masked due to failed mask function>"}
	masked = []string{
		"[redacted]", "<redacted>", "redacted", "[masked]", "<masked>", "[filtered]", "[truncated]", "<truncated>",
		"[hidden]", "***", "[omitted]", "<omitted>", "[removed]",
	}
)

// shortened is the mark that LiteLLM writes into a text that it cut.
var shortened = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(litellm_truncated \d+ chars\)`) })

// lookForMasks refuses a message that is replaced by a placeholder, in whole or in part.
func (b *builder) lookForMasks(e *event) {
	text := strings.TrimSpace(e.Text())
	switch {
	case slices.Contains(masks, text):
		b.problems.Errorf(e.Pos, 1, "lost-message", "a message was hidden (%s), so it cannot be judged", text).
			Hint = "configure the tool that records it to keep inputs and outputs"
	case strings.Contains(text, "(litellm_truncated ") && shortened().MatchString(text):
		sign := shortened().FindString(text)
		b.problems.Errorf(e.Pos, 1, "lost-message", "a message was cut by the tool that recorded it (%s)", sign).
			Hint = "configure the tool that records it to keep long texts"
	case e.Role == chat.Assistant && slices.Contains(masked, strings.ToLower(text)):
		b.doubtf("a reply is %s, which looks like a placeholder for a removed text", text)
	}
}
