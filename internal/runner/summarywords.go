package runner

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// askedBack finds what models write that do not find a conversation in what they are to summarize.
var askedBack = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(?:can(?:no|')t|unable to|not able to) summari[sz]e|(?:please|could you) ` +
		`(?:provide|share|paste|send)(?: me)? the (?:conversation|text|messages|transcript)|` +
		`no (?:previous |earlier |prior )?(?:conversation|messages?) ` +
		`(?:to summari[sz]e|(?:was|were) (?:provided|given)|provided|given)|` +
		`^no (?:previous|earlier|prior) (?:conversation|messages?)\b)`)
})

// warnOfSummary warns of a text that is no summary of so many messages: the agent is sent it in their place.
func (s *session) warnOfSummary(provider, text string, messages int) {
	phrase := refusal(text)
	if phrase == "" {
		phrase = askedBack().FindString(strings.ReplaceAll(text, "’", "'"))
	}
	if phrase == "" {
		phrase = findsNothing().FindString(plainCase(text))
	}
	if phrase != "" {
		s.warnOnce(fmt.Sprintf("the summarizer (provider %s) refuses to summarize, and the agent is sent that: %q", provider,
			phrase))
	}
	const least = 4 // bytes, which a word of a language without spaces has, too
	if text := strings.TrimSpace(text); messages > 1 && len(text) < least {
		s.warnOnce(fmt.Sprintf("the summarizer (provider %s) makes %q of %s, and the agent is sent that", provider, text,
			plural.Count(messages, "message")))
	}
	said := chat.Message{Role: chat.Assistant, Content: text}
	for _, fault := range unparsed(&said, nil, nil, false) {
		s.warnOnce(fmt.Sprintf("of the summarizer (provider %s): %s", provider, fault))
	}
}
