package arena

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// hookedCall is one call of a model on its way through the hooks. It belongs to one goroutine.
type hookedCall struct {
	hooks []namedHook
	asked *chat.Request // by arena
	req   *Request      // the same as hooks see it, with what they changed
	sent  *chat.Request // to the model
	text  strings.Builder
	notes []string
}

func newHookedCall(h *hooked, asked *chat.Request) *hookedCall {
	return &hookedCall{hooks: h.hooks, asked: asked, req: requestFrom(asked, h.origin), sent: asked}
}

// run runs a method of a hook.
func (c *hookedCall) run(ctx context.Context, h namedHook, method string, f func() error) error {
	return call0(ctx, "hook "+h.name+": "+method, f)
}

// before lets the hooks see the call, and change it.
func (c *hookedCall) before(ctx context.Context) error {
	for _, h := range c.hooks {
		seen := requestFrom(c.sent, c.req.Origin)
		err := c.run(ctx, h, "BeforeCall", func() error { return h.BeforeCall(ctx, c.req) })
		if err != nil {
			return c.refusal(h, "BeforeCall", err)
		}
		c.req.Origin = seen.Origin
		if !reflect.DeepEqual(seen, c.req) {
			c.sent = changed(c.sent, seen, c.req)
			c.notes = append(c.notes, "hook "+h.name+" changed what was sent to the model")
		}
	}
	return nil
}

// refusal is the error of a call that a hook did not let pass. That of a hook that broke says so already.
func (c *hookedCall) refusal(h namedHook, method string, err error) error {
	if prefix := "hook " + h.name + ": " + method; strings.HasPrefix(err.Error(), prefix) {
		return err
	}
	return fmt.Errorf("hook %s refused the call: %w", h.name, err)
}

// watch shows the pieces of a stream to the hooks that ask for them, and then to next, which may be nil.
func (c *hookedCall) watch(ctx context.Context, next func(chat.Delta) error) func(chat.Delta) error {
	watches := func(h namedHook) bool { _, ok := h.ProviderHook.(ChunkInterceptor); return ok }
	if !c.sent.Stream || !slices.ContainsFunc(c.hooks, watches) {
		return next
	}
	return func(d chat.Delta) error {
		c.text.WriteString(d.Text)
		if err := c.chunk(ctx, Chunk{Text: d.Text, SoFar: c.text.String()}); err != nil {
			return err
		}
		if next == nil {
			return nil
		}
		return next(d)
	}
}

func (c *hookedCall) chunk(ctx context.Context, chunk Chunk) error {
	for _, h := range c.hooks {
		i, ok := h.ProviderHook.(ChunkInterceptor)
		if !ok {
			continue
		}
		err := c.run(ctx, h, "OnChunk", func() error { return i.OnChunk(ctx, c.req, chunk) })
		switch {
		case errors.Is(err, ErrStopStream):
			c.notes = append(c.notes, "hook "+h.name+" closed the stream of a reply")
			return providers.ErrEnough
		case err != nil:
			return c.refusal(h, "OnChunk", err)
		}
	}
	return nil
}

// after lets the hooks see the reply, the last one first, and change it.
func (c *hookedCall) after(ctx context.Context, reply *chat.Reply) error {
	for _, h := range slices.Backward(c.hooks) {
		seen, own := replyFrom(reply), replyFrom(reply)
		err := c.run(ctx, h, "AfterCall", func() error { return h.AfterCall(ctx, c.req, own) })
		if err != nil {
			return c.refusal(h, "AfterCall", err)
		}
		if took(reply, seen, own) {
			c.notes = append(c.notes, "hook "+h.name+" changed a reply")
		}
	}
	return nil
}

// note tells the run what the hooks did.
func (c *hookedCall) note(reply *chat.Reply) {
	if reply.Notice != "" {
		c.notes = append([]string{reply.Notice}, c.notes...)
	}
	reply.Notice = strings.Join(c.notes, "; ")
}
