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

// conversation is the state of the endpoint for one trial.
type conversation struct {
	trial, scenario string
	owners          *owners

	mu      sync.Mutex  // held by the running call
	session any         // a text or a number; nil: none yet
	stolen  string      // the conversation that got the same session before; "": none
	reply   *chat.Reply // the text after reported tool calls
	cut     bool        // a reply was closed before the endpoint sent its session
}

type conversationKey struct {
	p             *Provider
	step, persona string
}

// newConversation starts a conversation. If the endpoint sends no session, arena makes one up that is unique across
// runs, because a server may remember earlier ones.
func newConversation(p *Provider, trial, scenarioID string) *conversation {
	c := &conversation{trial: trial, scenario: scenarioID, owners: &p.owners}
	switch {
	case p.SessionFrom != "":
	case p.unsent:
		c.session = "arena-SESSION" // shown requests are always the same
	default:
		c.session = "arena-" + rand.Text()
	}
	return c
}

// End implements providers.TrialPart.
func (c *conversation) End(context.Context) ([]string, error) { return nil, nil }

// remember keeps the endpoint's session; ok is false for an invalid one.
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

// owners maps sessions to conversations.
type owners struct {
	mu sync.Mutex
	of map[any]*conversation
}

// claim notes the conversation of a session, and returns the trial that got the same session before; "": none.
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
