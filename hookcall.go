package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/providers"
)

// hookedCall is one call of a model on its way through the hooks. It belongs to one goroutine.
type hookedCall struct {
	hooks []namedHook
	req   *Request      // as hooks see it, with their changes
	sent  *chat.Request // what the model gets
	text  strings.Builder
	notes []string
}

func newHookedCall(h *hooked, req *chat.Request) *hookedCall {
	return &hookedCall{hooks: h.hooks, req: requestFrom(req, h.origin), sent: req}
}

// run runs a method of a hook.
func (c *hookedCall) run(ctx context.Context, h namedHook, method string, f func() error) error {
	return contain.Do(ctx, "hook "+h.name+": "+method, f)
}

// before calls BeforeCall of all hooks.
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

// refusal is the error of a call that a hook refused. The error of a panic names the hook already.
func (c *hookedCall) refusal(h namedHook, method string, err error) error {
	if prefix := "hook " + h.name + ": " + method; strings.HasPrefix(err.Error(), prefix) {
		return err
	}
	return fmt.Errorf("hook %s refused the call: %w", h.name, err)
}

// watch returns a handler that passes the pieces of a stream to the hooks that want them, and then to next, which may
// be nil.
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

// after calls AfterCall of all hooks, in reverse order.
func (c *hookedCall) after(ctx context.Context, reply *chat.Reply) error {
	for _, h := range slices.Backward(c.hooks) {
		seen, own := replyFrom(reply), replyFrom(reply)
		err := c.run(ctx, h, "AfterCall", func() error { return h.AfterCall(ctx, c.req, own) })
		if err != nil {
			return c.refusal(h, "AfterCall", err)
		}
		if applyChanges(reply, seen, own) {
			c.notes = append(c.notes, "hook "+h.name+" changed a reply")
		}
	}
	return nil
}

// note adds to the notice of the reply what the hooks did.
func (c *hookedCall) note(reply *chat.Reply) {
	if reply.Notice != "" {
		c.notes = append([]string{reply.Notice}, c.notes...)
	}
	reply.Notice = strings.Join(c.notes, "; ")
}

// requestFrom converts a request for hooks. The copy shares nothing with req.
func requestFrom(req *chat.Request, at Origin) *Request {
	o := &req.Origin
	at.Scenario, at.Trial, at.Turn, at.Round = o.Scenario, o.Trial, o.Turn, o.Reply
	at.Step, at.Judge = o.Step, o.Judge
	out := &Request{
		Messages: messagesFrom(req.Messages), ToolChoice: req.ToolChoice, Temperature: clone(req.Temperature),
		TopP: clone(req.TopP), MaxTokens: clone(req.MaxTokens), Seed: clone(req.Seed), Stream: req.Stream, Origin: at,
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, ToolSpec{t.Name, t.Description, bytes.Clone(t.Schema)})
	}
	return out
}

// changed applies the changes of a hook to a request. Everything else stays, also the fields that hooks do not see.
func changed(req *chat.Request, seen, now *Request) *chat.Request {
	out := *req
	out.ToolChoice, out.Temperature, out.TopP = now.ToolChoice, clone(now.Temperature), clone(now.TopP)
	out.MaxTokens, out.Seed, out.Stream = clone(now.MaxTokens), clone(now.Seed), now.Stream
	if !reflect.DeepEqual(seen.Tools, now.Tools) {
		out.Tools = nil
		for _, t := range now.Tools {
			out.Tools = append(out.Tools, chat.Tool{Name: t.Name, Description: t.Description, Schema: bytes.Clone(t.Schema)})
		}
	}
	out.Messages = mergedMessages(req.Messages, seen.Messages, now.Messages)
	return &out
}

// mergedMessages keeps the unchanged messages at both ends of the conversation and converts those in between.
func mergedMessages(were []chat.Message, seen, now []Message) []chat.Message {
	head := 0
	for head < min(len(seen), len(now)) && reflect.DeepEqual(seen[head], now[head]) {
		head++
	}
	tail := 0
	for tail < min(len(seen), len(now))-head &&
		reflect.DeepEqual(seen[len(seen)-1-tail], now[len(now)-1-tail]) {
		tail++
	}
	var known knownParts
	for i := range were {
		known.learn(were[i].Parts)
	}
	known.messages = were
	out := slices.Clone(were[:head])
	for _, m := range now[head : len(now)-tail] {
		out = append(out, known.message(m))
	}
	return append(out, were[len(were)-tail:]...)
}

// knownParts are the parts of the original conversation. They are used again if a hook left a part unchanged, so that
// an image stays the user's own file when only the text changes.
type knownParts struct {
	parts    []chat.Part
	seen     []Part
	messages []chat.Message // the original ones
	lists    [][]Part       // the parts of each message, as hooks see them
}

func (p *knownParts) learn(list []chat.Part) {
	seen := partsFrom(list)
	p.parts, p.seen, p.lists = append(p.parts, list...), append(p.seen, seen...), append(p.lists, seen)
}

func (p *knownParts) part(now Part) chat.Part {
	for i := range p.seen {
		if reflect.DeepEqual(p.seen[i], now) {
			return p.parts[i]
		}
	}
	out := chat.Part{Type: now.Type, Text: now.Text}
	if m := now.Media; m != nil {
		out.Media = &chat.Media{MIMEType: m.MIMEType, Data: m.Data, URL: m.URL, Path: m.Path}
	}
	return out
}

// content returns the parts of a message, or its text if there are none. If the hook changed only the text, the text
// part is replaced.
func (p *knownParts) content(text string, now []Part) (string, []chat.Part) {
	if len(now) == 0 {
		return text, nil
	}
	out := make([]chat.Part, len(now))
	for i := range now {
		out[i] = p.part(now[i])
	}
	same := func(set []Part) bool { return reflect.DeepEqual(set, now) }
	if joined := (&chat.Message{Parts: out}).Text(); joined != text && slices.ContainsFunc(p.lists, same) {
		out = withText(out, text)
	}
	return "", out
}

func (p *knownParts) message(m Message) chat.Message {
	out := chat.Message{Role: chat.Role(m.Role), ToolCalls: toolCallsTo(m.ToolCalls)}
	p.restate(&out)
	out.Content, out.Parts = p.content(m.Text, m.Parts)
	if r := m.ToolResult; r != nil {
		out.ToolResult = &chat.ToolResult{ID: r.ID, Name: r.Name, Content: r.Text, Error: r.Error}
		var err error
		if out.ToolResult.Metadata, err = plain(r.Metadata); err != nil {
			out.ToolResult.Error = fmt.Sprintf("the metadata of the result cannot be written as JSON: %v", err)
		}
		if out.ToolResult.Error != "" {
			out.ToolResult.ErrorType = chat.ErrorExecution
		}
	}
	return out
}

// restate gives a message with the tool calls of an original one the provider state of that message, which hooks do not
// see. Some providers refuse tool calls without it.
func (p *knownParts) restate(m *chat.Message) {
	for i := range p.messages {
		was := &p.messages[i]
		sameID := func(a, b chat.ToolCall) bool { return a.ID == b.ID }
		if len(m.ToolCalls) > 0 && slices.EqualFunc(m.ToolCalls, was.ToolCalls, sameID) {
			m.ToolCalls, m.Opaque = keptState(was.ToolCalls, m.ToolCalls), was.Opaque
			return
		}
	}
}

// keptState gives unchanged tool calls their provider state.
func keptState(were, now []chat.ToolCall) []chat.ToolCall {
	for i := range now {
		for _, was := range were {
			state := was.Opaque
			if was.Opaque = nil; reflect.DeepEqual(was, now[i]) {
				now[i].Opaque = state
			}
		}
	}
	return now
}

func toolCallsTo(list []ToolCall) (out []chat.ToolCall) {
	for _, c := range list {
		out = append(out, chat.ToolCall{ID: c.ID, Name: c.Name, Args: cloneMap(c.Args), BadArgs: c.BadArgs})
	}
	return out
}

func replyFrom(r *chat.Reply) *Reply {
	m := r.Message()
	return &Reply{
		Text: m.Text(), Parts: partsFrom(r.Parts), ToolCalls: toolCallsFrom(r.ToolCalls), FinishReason: r.FinishReason,
		Model: r.Model, Usage: usageFrom(r.Usage), CostUSD: clone(r.CostUSD), Latency: span(r.LatencyMS),
	}
}

// applyChanges applies the changes of a hook to a reply, and reports whether there were any.
func applyChanges(r *chat.Reply, seen, now *Reply) bool {
	text := seen.Text != now.Text
	media := !reflect.DeepEqual(seen.Parts, now.Parts)
	calls := !reflect.DeepEqual(seen.ToolCalls, now.ToolCalls)
	if text || media {
		var known knownParts
		known.learn(r.Parts)
		r.Content, r.Parts = known.content(now.Text, now.Parts)
	}
	if calls {
		r.ToolCalls = keptState(r.ToolCalls, toolCallsTo(now.ToolCalls))
	}
	finish := seen.FinishReason != now.FinishReason
	r.FinishReason = now.FinishReason
	return text || media || calls || finish
}

// withText replaces the text parts of a message by one text.
func withText(list []chat.Part, text string) []chat.Part {
	media := slices.DeleteFunc(slices.Clone(list), func(p chat.Part) bool { return p.Type == "text" })
	return append([]chat.Part{{Type: "text", Text: text}}, media...)
}
