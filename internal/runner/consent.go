package runner

import (
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// The user's answers, as in results.
const (
	granted = "granted"
	denied  = "denied"
	silent  = "timeout"
)

// consent is the user's answer to a call: an override of the turn, which may be for any tool, or else yes for tools of
// the user's own side. It is "" when the user is not asked.
func (l *toolLoop) consent(call chat.ToolCall) string {
	overrides := l.s.trial.Scenario.Turns[l.at.script].More().Consent
	at := slices.IndexFunc(overrides, func(c scenario.Consent) bool { return c.Tool == call.Name })
	switch {
	case at >= 0 && overrides[at].Answer == "deny":
		return denied
	case at >= 0 && overrides[at].Answer == "timeout":
		return silent
	case at >= 0, l.s.trial.Project.tools.Client(call.Name) != nil:
		return granted
	}
	return ""
}

// declined answers a call that the user did not allow.
func (l *toolLoop) declined(call chat.ToolCall, consent string) chat.ToolResult {
	text := call.Name + " was not run: the user declined it"
	if consent == silent {
		text = call.Name + " was not run: the user did not answer when asked for consent"
	}
	if c := l.s.trial.Project.tools.Client(call.Name); c != nil && consent == denied {
		switch c.Decline {
		case "fallback":
			text += "; find another way to help that does without it"
		case "retry":
			text += "; try to ask for it differently"
		}
	}
	return tools.Failure(call, chat.ErrorApproval, text)
}

// consented notes the user's answer on a result.
func consented(res chat.ToolResult, consent string) chat.ToolResult {
	if consent == "" {
		return res
	}
	return noted(res, tools.ConsentKey, consent)
}

// noted puts a word into the metadata of a result.
func noted(res chat.ToolResult, key, word string) chat.ToolResult {
	res.Metadata = maps.Clone(res.Metadata)
	if res.Metadata == nil {
		res.Metadata = map[string]any{}
	}
	res.Metadata[key] = word
	return res
}
