package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/textsearch"
)

// These functions find messages that a user would not write. A model that forgets whom it plays asks nothing of the
// agent, and such a test shows little. That is a warning, and never a verdict.

// assistantPhrases are what an assistant says and a user does not, in lower case.
var assistantPhrases = []string{
	"as an ai", "as a language model", "i'm an ai", "i am an ai", "i recommend", "i'd recommend", "i would recommend",
	"here's your plan", "here is your plan", "here's a plan", "here are some tips", "here are some suggestions", "step 1:",
	"how can i help you", "how can i assist you", "how may i help you", "how may i assist you", "i'm here to help",
	"let me know if you have any other questions", "is there anything else i can help", "happy to help you",
}

// refusals are phrases, in lower case, with which a model refuses to play a user.
var refusals = []string{
	"i can't help with that", "i cannot help with that", "i can't assist with", "i cannot assist with",
	"i'm unable to help", "i am unable to help", "i'm unable to assist", "i am unable to assist",
	"i can't fulfill", "i cannot fulfill", "i can't comply", "i cannot comply", "i can't roleplay", "i cannot roleplay",
	"i can't role-play", "i cannot role-play", "i can't pretend", "i cannot pretend", "i won't pretend",
	"i won't roleplay", "i won't role-play", "play this persona", "playing this persona",
	"this persona", "simulated user", "simulate a user", "stay in character", "remain in character", "break character",
	"against my guidelines", "i'm not able to assist", "i am not able to assist", "i'm not able to help with",
	"i am not able to help with", "i can't engage", "i cannot engage", "i won't engage", "i can't continue with this",
	"i cannot continue with this", "unable to role-play", "unable to roleplay", "unable to play this role",
	"can't play this role", "cannot play this role", "unable to act as a",
}

// almostMark finds the mark of the end in another spelling, or another mark such as [DONE] behind the last words: they
// end nothing.
var almostMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\[(<{*]*\bconversation[_-]completed?\b[\])>}*]*|` +
		`[\[(<{*]+\s*(?:end of |the )?conversation\b[^\])>}*\n]{0,20}[\])>}*]+|` +
		`(?-i:[\[<{#]+/?(?:[A-Z]+[_ -])*(?:DONE|END|ENDED|STOP|EXIT|QUIT|BYE|GOODBYE|FINISHED|COMPLETED?|OVER|EO[CMTF])` +
		`(?:[_ -][A-Z]+)*[\]>}#]+|\bTERMINATED?)[^\pL\pN]*$`)
})

const (
	mostSentences = 2
	mostQuestions = 2
)

var sentenceEnds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?…]+(\s|$)`) })

// warnOfWords warns of a message that sounds like an assistant or says nothing of its own, and notes ones that are long
// for a user.
func (s *session) warnOfWords(persona, words string) {
	if line := agentLine().FindString(words); line != "" {
		s.warnOnce(fmt.Sprintf("the persona %q writes what the agent says, too: %q", persona, strings.TrimSpace(line)))
	}
	lower := plainCase(words)
	for _, phrase := range assistantPhrases {
		if strings.Contains(lower, phrase) {
			s.warn(fmt.Sprintf("the persona %q speaks as an assistant does: %q", persona, phrase))
			break
		}
	}
	if phrase := refusal(words); phrase != "" {
		s.warn(fmt.Sprintf("the persona %q refuses to play: %q", persona, phrase))
	}
	switch mark := almostMark().FindString(words); {
	case strings.Contains(words, endMark):
		s.warn(fmt.Sprintf("the persona %q speaks of %s: within a sentence it ends nothing", persona, endMark))
	case mark != "":
		s.warn(fmt.Sprintf("the persona %q says %q: that ends nothing, only %s does", persona, mark, endMark))
	}
	if saysNothing().MatchString(strings.TrimSpace(words)) {
		s.warn(fmt.Sprintf("the persona %q says nothing: %q", persona, strings.TrimSpace(words)))
	}
	if n := len(sentenceEnds().FindAllString(words, -1)); n > mostSentences {
		s.notice(fmt.Sprintf("the persona %q says more than %d sentences at once", persona, mostSentences))
	}
	if strings.Count(words, "?") > mostQuestions {
		s.notice(fmt.Sprintf("the persona %q asks more than %d questions at once", persona, mostQuestions))
	}
}

// saysNothing matches words that stand for none: signs alone, and what programs write for an empty value.
var saysNothing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:[^\pL\pN\pS?!]+|` +
		`[^\pL\pN]*(?:silence|silent|(?:stays|remains|keeps) silent|says nothing|no response|no reply|no answer|` +
		`no message|n/a|null|none|nil|undefined|empty|blank)[^\pL\pN]*)$`)
})

// warnOfCutUser warns of a cut message, which may lack the mark of the end.
func (s *session) warnOfCutUser(p *player, reply *chat.Reply, req *chat.Request) {
	persona := p.persona.ID
	switch how := cutReason(&chat.Message{FinishReason: reply.FinishReason, ToolCalls: reply.ToolCalls},
		p.endpoint.Spec); {
	case how == "":
	case reply.FinishReason == "length" && !p.endpoint.Spec.IsAgent():
		s.warn(fmt.Sprintf("a message of the persona %q was cut at max_tokens %d: raise defaults.max_tokens of the persona",
			persona, *req.MaxTokens))
	default:
		s.warn(fmt.Sprintf("a message of the persona %q %s (finish reason %s): the agent was sent what there is of it",
			persona, how, reply.FinishReason))
	}
}

func (s *session) warn(text string) {
	if !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
}

// agentLine finds a line that begins as one of the agent in a written conversation.
var agentLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?im)^[ \t>*_]*(?:agent|assistant|support|support agent|bot|chatbot|ai)[*_]*:[*_]*[ \t]+\S.{0,60}`)
})

// plainCase is a text in lower case, with plain apostrophes.
func plainCase(text string) string { return strings.ReplaceAll(strings.ToLower(text), "’", "'") }

// refusal is the phrase with which a model refuses the task; "": it does not.
func refusal(text string) string {
	lower := plainCase(text)
	for _, phrase := range refusals {
		if strings.Contains(lower, phrase) {
			return phrase
		}
	}
	return refusesInWords().FindString(lower)
}

// visible is what can be seen of a text.
func visible(text string) string { return strings.TrimSpace(textsearch.Plain(text)) }
