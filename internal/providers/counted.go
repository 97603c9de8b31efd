package providers

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// Counted says of the replies of an agent that their tokens are untold, where they are only estimated: what is seen of
// an agent is what it was asked and what it answered, which says nothing of what its models took.
func Counted(p Provider) Provider { return &counted{p} }

type counted struct{ next Provider }

func (c *counted) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err == nil && reply.Usage.Estimated && !slices.Contains(reply.Untold, chat.UntoldTokens) {
		reply.Untold = append(slices.Clip(reply.Untold), chat.UntoldTokens)
	}
	return reply, err
}

func (c *counted) Unwrap() Provider { return c.next }
