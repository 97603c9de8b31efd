package gemini

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// unfinished is the error of a reply without an end.
func (g *gathered) unfinished() error {
	if !g.received {
		return g.Fail(providers.BadReply, nil, "the reply has no candidates")
	}
	return g.Fail(providers.BadReply, nil, "the reply ended before the model did (no finishReason)")
}

// finishReasons are the API's words for the end of a reply. Some servers say FUNCTION_CALL.
var finishReasons = map[string]string{
	"STOP": "stop", "FUNCTION_CALL": "tool_calls", "MAX_TOKENS": "length",
	"SAFETY": filtered, "RECITATION": filtered, "BLOCKLIST": filtered, "PROHIBITED_CONTENT": filtered, "SPII": filtered,
	"LANGUAGE": filtered, "MODEL_ARMOR": filtered,
}

const filtered = "content_filter"

// ended is why the model stopped. Words that are new stay as they are.
func (g *gathered) ended(said string) (string, error) {
	reason, known := finishReasons[g.finish]
	if strings.HasPrefix(g.finish, "IMAGE_") {
		reason, known = filtered, true
	}
	switch {
	case chat.BrokeOff(g.finish):
		return "", g.Fail(providers.BadReply, nil, "the server broke the reply off (finishReason %s)%s",
			g.Excerpt(g.finish), g.because())
	case g.blocked != "" && said == "":
		return "", g.Fail(providers.Refused, nil,
			"the content filter of the provider refused the question (blockReason %s)%s", g.Excerpt(g.blocked), g.because())
	case g.blocked != "":
		return filtered, nil
	case reason == filtered && said == "" && g.media == 0:
		return "", g.Fail(providers.Refused, nil,
			"the content filter of the provider stopped the reply (finishReason %s)%s", g.Excerpt(g.finish), g.because())
	case !g.spoke && len(g.calls) == 0:
		return "", g.empty(reason)
	case len(g.calls) > 0 && reason == "stop":
		return "tool_calls", nil
	case !known:
		return g.Excerpt(g.finish), nil
	}
	return reason, nil
}

// because is what the server says about the end of a reply.
func (g *gathered) because() string {
	if g.message == "" {
		return ""
	}
	return ": " + g.Excerpt(g.message)
}

// empty is the error of a reply in which there is nothing.
func (g *gathered) empty(reason string) error {
	if reason == "length" {
		failed := g.Fail(providers.BadReply, nil, "the reply has neither text nor tool calls: max_tokens was used up before "+
			"the first word, raise it")
		failed.Settled = true // it would be used up again
		return failed
	}
	return g.Fail(providers.BadReply, nil, "the reply has neither text nor tool calls (finishReason %s)",
		g.Excerpt(g.finish))
}
