package httpagent

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// conversation is what is kept of the endpoint for a trial. No other trial gets it.
type conversation struct {
	trial, scenario string

	mu      sync.Mutex  // held by the call that is under way
	session any         // a text or a number; nil: there is none yet
	said    *chat.Reply // the words behind calls of tools that were told of
	cut     bool        // a reply was closed before the endpoint had told its session
}

type conversationKey struct {
	p             *Provider
	step, persona string
}

// newConversation begins one. Where the endpoint tells no session, arena makes one up that no other run has: a server
// may remember those of earlier ones.
func newConversation(p *Provider, trial, scenarioID string) *conversation {
	c := &conversation{trial: trial, scenario: scenarioID}
	switch {
	case p.SessionFrom != "":
	case p.unsent:
		c.session = "arena-SESSION" // what is shown is always the same
	default:
		c.session = "arena-" + rand.Text()
	}
	return c
}

// End implements providers.TrialPart.
func (c *conversation) End(context.Context) ([]string, error) { return nil, nil }

// remember takes the session that the endpoint tells; ok is false for one that is none.
func (c *conversation) remember(v any) (ok bool) {
	text, is := v.(string)
	ok = is && !blank(text) || jsonvalue.IsNumber(v)
	if ok {
		c.session = v
	}
	return ok
}
