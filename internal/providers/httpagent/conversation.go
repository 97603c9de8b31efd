package httpagent

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// conversation is what is kept of the endpoint for a trial. No other trial gets it.
type conversation struct {
	trial, scenario string
	owners          *owners

	mu      sync.Mutex  // held by the call that is under way
	session any         // a text or a number; nil: none yet
	stolen  string      // the conversation to which the endpoint had told the session before; "": none
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
	c := &conversation{trial: trial, scenario: scenarioID, owners: &p.owners}
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
	if ok && c.session != v {
		c.session, c.stolen = v, c.owners.claim(v, c)
	}
	return ok
}

// mixed is an error for a session that the endpoint has told to two conversations: with the next message they would be
// one.
func (c *conversation) mixed() error {
	if c.stolen == "" {
		return nil
	}
	return fmt.Errorf("the endpoint has told the session %s to %s too: it would take the two conversations for one",
		ellipsis.Runes(jsonvalue.Compact(c.session), 80), c.stolen)
}

// owners are the conversations to which an endpoint has told sessions.
type owners struct {
	mu sync.Mutex
	of map[any]*conversation
}

// claim notes to whom a session was told, and returns the trial of another one that was told it before; "": none was.
func (o *owners) claim(session any, c *conversation) (other string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.of[session]
	switch {
	case first == nil:
		if o.of == nil {
			o.of = map[any]*conversation{}
		}
		o.of[session] = c
	case first != c && first.trial == c.trial:
		return "another conversation of this trial"
	case first != c:
		return "trial " + first.trial
	}
	return ""
}
