package providers

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// Counted marks the tokens of an agent's reply as unreported when they are only estimated. The estimate comes from what
// the agent was asked and what it answered, which says nothing about the tokens that its models took.
func Counted(p Provider) Provider { return &counted{p} }

type counted struct{ next Provider }

func (c *counted) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err == nil && reply.Usage.Estimated && !slices.Contains(reply.Unreported, chat.UnreportedTokens) {
		reply.Unreported = append(slices.Clip(reply.Unreported), chat.UnreportedTokens)
	}
	return reply, err
}

func (c *counted) Unwrap() Provider { return c.next }
