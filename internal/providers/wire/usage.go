package wire

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
)

// receivedPart is what was received of a reply so far.
type receivedPart struct {
	begun bool // the model started to reply
	size  int  // bytes of text and calls
	usage chat.Usage
	odd   string // what is wrong with the counts, if the numbers do not show it
}

func (c *receivedPart) counted() bool { return c.odd == "" && c.usage.Counted() }

// Came adds bytes that the model has written. A Decoder calls it before it validates them, because they are paid for
// even if they are invalid.
func (c *Call) Came(size int) {
	c.received.begun = true
	c.received.size += size
}

// Count sets the server's token counts so far, even if they are impossible.
func (c *Call) Count(u chat.Usage) {
	c.received.odd = ""
	if c.received.usage = u; u.Counted() {
		c.received.usage, _ = within(u)
	}
}

// Miscount says what is impossible in the usage of the last Count.
func (c *Call) Miscount(what string) { c.received.odd = what }

// impossible is the error of a call with impossible token counts; nil: they are possible.
func (c *Call) impossible() error {
	u := c.received.usage
	if c.received.counted() {
		return nil
	}
	counts := []string{fmt.Sprintf("%d of input, %d of output", u.InputTokens, u.OutputTokens)}
	for _, part := range []struct {
		tokens int
		what   string
	}{{u.CachedTokens, "cached"}, {u.CacheWriteTokens, "written to a cache"}, {u.ReasoningTokens, "thoughts"}} {
		if part.tokens > chat.MostTokens {
			counts = append(counts, fmt.Sprintf("%d %s", part.tokens, part.what))
		}
	}
	if c.received.odd != "" {
		counts = []string{c.received.odd}
	}
	failed := c.Fail(providers.BadReply, nil, "the server counts tokens that no call can have taken (%s): what this one "+
		"cost is not known", strings.Join(counts, ", "))
	failed.Final = true // the call has been paid for, and another one would cost again
	return failed
}

// wasted returns the usage of a failed call. It is unknown if the server's counts are impossible.
func (c *Call) wasted() chat.Usage {
	u, size := c.received.usage, max(c.received.size, c.text.Len())
	switch {
	case !c.received.counted():
		return chat.Usage{Estimated: true}
	case u == (chat.Usage{}) && !c.received.begun && size == 0:
		return u
	}
	if u = completed(u, c.Request, &chat.Reply{}); u.OutputTokens == 0 && size > 0 {
		u.OutputTokens, u.Estimated = tokens(size), true
	}
	return u
}

// oddParts is the doubt about a reply in which a part of the tokens is larger than the whole, or negative.
const oddParts = "reports more cached or reasoning tokens than tokens in all, or fewer than 0: they are " +
	"limited to the range from 0 to the whole, and the cost may be wrong"

// Limits of plausible token counts. No model uses more hidden tokens in one call, thoughts and media included, and no
// token is longer.
const (
	mostHidden   = 10_000_000 // tokens
	mostPerByte  = 100
	longestToken = 1000 // bytes
	fewTokens    = 4096 // bytes of a text that may consist of a few long tokens
)

// oddCount is the doubt about token counts that the texts contradict; "": none.
func oddCount(u chat.Usage, req *chat.Request, r *chat.Reply) string {
	if u.Estimated {
		return ""
	}
	const unknown = ": the reported cost is wrong"
	in, out := sizes(req, r)
	switch {
	case u.OutputTokens > mostHidden+mostPerByte*out:
		return fmt.Sprintf("has %s, but is counted as %s%s", plural.Count(out, "byte"), plural.Count(u.OutputTokens, "token"),
			unknown)
	case u.InputTokens > mostHidden+mostPerByte*in:
		return fmt.Sprintf("has an input of %s, which is counted as %s%s", plural.Count(in, "byte"),
			plural.Count(u.InputTokens, "token"),
			unknown)
	case u.OutputTokens > 0 && out > fewTokens+longestToken*u.OutputTokens:
		return fmt.Sprintf("has %s, but is counted as %s%s", plural.Count(out, "byte"), plural.Count(u.OutputTokens, "token"),
			unknown)
	}
	return ""
}

// within limits each part of the input or output tokens to the whole, and reports whether one was larger or negative. A
// negative part becomes 0.
func within(u chat.Usage) (_ chat.Usage, odd bool) {
	limit := func(part *int, whole int) {
		odd = odd || *part > whole || *part < 0
		*part = min(max(*part, 0), whole)
	}
	limit(&u.CachedTokens, u.InputTokens)
	limit(&u.CacheWriteTokens, u.InputTokens-max(u.CachedTokens, 0))
	limit(&u.ReasoningTokens, u.OutputTokens)
	return u, odd
}

// completed estimates tokens that the server did not count.
func completed(u chat.Usage, req *chat.Request, r *chat.Reply) chat.Usage {
	if u.InputTokens > 0 && u.OutputTokens > 0 {
		return u
	}
	guess := estimate(req, r)
	if u.InputTokens == 0 && guess.InputTokens > 0 {
		u.InputTokens, u.Estimated = guess.InputTokens, true
	}
	if u.OutputTokens == 0 && guess.OutputTokens > 0 {
		u.OutputTokens, u.Estimated = guess.OutputTokens, true
	}
	return u
}

// estimate is the estimated tokens of a call that the server did not count.
func estimate(req *chat.Request, r *chat.Reply) chat.Usage {
	in, out := sizes(req, r)
	return chat.Usage{InputTokens: tokens(in), OutputTokens: tokens(out), Estimated: true}
}

// sizes are the bytes of the texts of a request and its reply.
func sizes(req *chat.Request, r *chat.Reply) (in, out int) {
	out = len(r.Content)
	for i := range req.Messages {
		in += len(req.Messages[i].Text())
		if t := req.Messages[i].ToolResult; t != nil {
			in += len(t.Content)
		}
	}
	for i := range r.ToolCalls {
		out += len(r.ToolCalls[i].Name) + len(fmt.Sprint(r.ToolCalls[i].Args))
	}
	return in, out
}

// tokens estimates the number of tokens in a text: four bytes each.
func tokens(size int) int { return (size + 3) / 4 }
