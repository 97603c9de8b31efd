package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/providers"
)

const (
	maxLine = 1 << 20 // bytes
	// patience is how long a program may take to end once its input has ended.
	patience = 2 * time.Second
)

// conversation is a program that answers the turns of one trial in lines of JSON. The first turn starts it. It is
// started again if a reply was closed before its end.
type conversation struct {
	p     *Provider
	trial *providers.Trial

	mu      sync.Mutex  // held by the running call
	program *lineStream // nil: not running
	turn    turn
	notices []string
	noise   string // the first line that is not a message; "": none
}

// conversationKey distinguishes the conversations of one trial: the agent and the simulated user have separate state,
// even if both are the same program.
type conversationKey struct {
	p             *Provider
	step, persona string
}

// lines has the program of the trial answer.
func (p *Provider) lines(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	t := providers.TrialOf(ctx)
	if t == nil {
		return chat.Reply{}, errors.New("a program with protocol: lines answers in trials alone")
	}
	part, ok := t.Keep(conversationKey{p, req.Origin.Step, req.Origin.Persona}, func() providers.TrialPart {
		return &conversation{p: p, trial: t}
	})
	if !ok {
		return chat.Reply{}, errors.New("the trial is over")
	}
	c := part.(*conversation)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.Stream {
		onDelta = nil
	}
	reply, err := c.complete(ctx, req, onDelta)
	if err == nil {
		return reply, nil
	}
	reply = chat.Reply{
		Usage: c.turn.usage, CostUSD: c.turn.usd,
		Content: c.turn.text.String(), ToolCalls: c.turn.pending, ToolResults: c.turn.results,
	}
	if program := c.program; program != nil {
		c.drop()
		if _, refused := errors.AsType[onDeltaError](err); !refused {
			err = process.Ended(p.Command[0], err, program.running.Stderr())
		}
	}
	return reply, err
}

func (c *conversation) complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	var message any
	var err error
	if req.Origin.Reply == 0 {
		if message, err = c.begin(ctx, req); err != nil {
			return chat.Reply{}, err
		}
	} else if !c.turn.open || c.program == nil {
		return chat.Reply{}, errors.New("it was asked to go on with a reply that it had finished")
	} else if c.p.AsksTools {
		message = c.toolResult(req)
	}
	limit := max(c.turn.left, time.Nanosecond)
	limited, cancel := context.WithTimeoutCause(ctx, limit, overdueError{c.p.timeout})
	defer cancel()
	began := time.Now()
	defer func() { c.turn.left -= time.Since(began) }()
	sent := c.program.send(limited, message)
	reply, err := c.read(limited, onDelta)
	if err != nil {
		return chat.Reply{}, err
	}
	if c.program == nil { // nobody wanted more
		return reply, nil
	}
	if err := <-sent; err != nil { // the start of the next message is unknown
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		return chat.Reply{}, fmt.Errorf("it does not read its input: %w", err)
	}
	return reply, nil
}

// begin makes the message of a new turn. A program that runs has said nothing since its last reply.
func (c *conversation) begin(ctx context.Context, req *chat.Request) (any, error) {
	if c.program != nil && c.turn.open {
		c.drop()
		c.notices = append(c.notices, fmt.Sprintf("provider %s: its program was ended before it had replied to turn %d, and "+
			"started again with what was said in history", c.p.id, req.Origin.Turn))
	}
	if err := c.strays(); err != nil {
		return nil, err
	}
	at := len(req.Messages) - 1
	for at >= 0 && req.Messages[at].Role != chat.User {
		at--
	}
	if at < 0 {
		return nil, errors.New("there is no message of a user to answer")
	}
	user := &req.Messages[at]
	parts, err := chat.WithData(user.Parts)
	if err != nil {
		return nil, err
	}
	m := &turnMessage{Type: "turn", Trial: c.trial.ID, Index: req.Origin.Turn, Text: user.Text(), Parts: parts}
	if c.program == nil {
		if m.History, err = history(req.Messages[:at]); err != nil {
			return nil, err
		}
		running, err := c.p.command(ctx, req.Origin.Turn).Start() //nolint:contextcheck // it outlives the call
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.p.Command[0], err)
		}
		c.program = listen(running)
	}
	if c.p.AsksTools {
		for _, tool := range req.Tools {
			m.Tools = append(m.Tools, toolMessage{tool.Name, tool.Description, tool.Schema})
		}
	}
	c.turn = turn{open: true, left: c.p.timeout, ids: map[string]bool{}}
	return m, nil
}

// toolResult returns the message with the result of a tool that arena has run.
func (c *conversation) toolResult(req *chat.Request) any {
	m := &resultMessage{Type: "tool_result", ID: c.turn.asked, Error: "the call was not made"}
	for _, v := range slices.Backward(req.Messages) {
		r := v.ToolResult
		if r == nil || r.ID != c.turn.asked {
			continue
		}
		if m.Error = r.Error; r.Error == "" {
			m.Result = resultValue(r.Text())
		}
		break
	}
	c.turn.asked = ""
	return m
}

// read reads the program's output up to its reply or its calls.
func (c *conversation) read(ctx context.Context, onDelta func(chat.Delta) error) (chat.Reply, error) {
	for {
		text, err := c.program.next(ctx)
		if err != nil && c.noise != "" {
			err = fmt.Errorf("%w; it wrote lines that are no messages (objects of JSON with a type), the first of them %s", err,
				c.noise)
		}
		if err != nil {
			return chat.Reply{}, err
		}
		if c.turn.bytes += len(text) + 1; c.turn.bytes > maxOutput {
			return chat.Reply{}, fmt.Errorf("%w %d MB for one reply", process.ErrTooMuchOutput, maxOutput>>20)
		}
		m, err := c.parse(text)
		if err != nil {
			return chat.Reply{}, err
		}
		if m == nil {
			continue
		}
		reply, err := c.take(m, text, onDelta)
		if err != nil || reply != nil {
			if reply == nil {
				reply = &chat.Reply{}
			}
			return *reply, err
		}
	}
}

// parse reads a line; nil for one that is only to be heard.
func (c *conversation) parse(text []byte) (*message, error) {
	m, err := parse(text)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		if err := hiddenMessage(text); err != nil {
			return nil, err
		}
		c.onNoise(string(text))
		if c.noise == "" && strings.TrimSpace(string(text)) != "" {
			c.noise = process.Excerpt(text)
			c.notices = append(c.notices, fmt.Sprintf("provider %s: its program writes lines that are no messages, the first "+
				"of them %s", c.p.id, c.noise))
		}
		return nil, nil
	case m.Type == "log":
		if m.Text != nil {
			c.onNoise(*m.Text)
		}
		return nil, nil
	}
	return m, nil
}

func (c *conversation) onNoise(line string) {
	if c.p.onStderr != nil {
		c.p.onStderr(strings.ToValidUTF8(line, "\uFFFD"))
	}
}

// take handles a message. It returns a reply when there is one.
func (c *conversation) take(m *message, line []byte, onDelta func(chat.Delta) error) (*chat.Reply, error) {
	quoted := func(format string, args ...any) error {
		return fmt.Errorf(format+": %s", append(args, process.Excerpt(line))...)
	}
	t := &c.turn
	switch m.Type {
	case "delta":
		return c.addPiece(m, quoted, onDelta)
	case "tool_call":
		return c.call(m, quoted)
	case "tool_result":
		return c.result(m, quoted)
	case "usage":
		return nil, t.count(m, quoted)
	case "error":
		text := ""
		if m.Text != nil {
			text = *m.Text
		}
		return nil, fmt.Errorf("it says that it cannot reply: %s", process.Excerpt([]byte(text)))
	case "reply":
		return c.reply(m, quoted, onDelta)
	}
	return nil, quoted("it wrote a message of the unknown type %q; expected delta, tool_call, tool_result, usage, log, "+
		"reply or error", m.Type)
}

// addPiece adds a piece of the reply.
func (c *conversation) addPiece(
	m *message, quoted func(string, ...any) error, onDelta func(chat.Delta) error,
) (*chat.Reply, error) {
	if m.Text == nil {
		return nil, quoted("its delta has no text")
	}
	if err := checkText("its delta", *m.Text); err != nil {
		return nil, err
	}
	if *m.Text == "" {
		return nil, nil
	}
	if len(c.turn.pending) > 0 {
		return nil, quoted("it went on before it reported the result of its call %s", c.turn.pending[0].Name)
	}
	c.turn.part.WriteString(*m.Text)
	c.turn.text.WriteString(*m.Text)
	if onDelta == nil {
		return nil, nil
	}
	return c.emit(onDelta, *m.Text)
}

// emit passes a piece of the reply to onDelta. It returns the reply if onDelta closes the stream; the program is ended
// then, so that it does nothing unobserved.
func (c *conversation) emit(onDelta func(chat.Delta) error, text string) (*chat.Reply, error) {
	err := onDelta(chat.Delta{Text: text})
	switch {
	case errors.Is(err, providers.ErrEnough):
		r := c.turn.reply(c.p.model)
		r.FinishReason = ""
		c.drop()
		c.notices = append(c.notices, fmt.Sprintf("provider %s: a guardrail closed the stream, and so its program was "+
			"ended; a further turn starts it again, with what was said in history", c.p.id))
		return r, nil
	case err != nil:
		return nil, onDeltaError{err}
	}
	return nil, nil
}

// reply takes the end of a turn.
func (c *conversation) reply(
	m *message, quoted func(string, ...any) error, onDelta func(chat.Delta) error,
) (*chat.Reply, error) {
	t := &c.turn
	if open := t.without(); len(open) > 0 {
		return nil, quoted("it replied and did not report the result of its call of %s (id %q): write a tool_result, or "+
			"let arena run the tools with tools: arena", open[0].Name, open[0].ID)
	}
	if chat.BrokeOff(m.Finish) {
		return nil, quoted("its reply broke off (finish_reason %s)", m.Finish)
	}
	text, final := "", t.part.String()
	if m.Text != nil {
		text = *m.Text
	}
	if err := checkText("its reply", text); err != nil {
		return nil, err
	}
	whole := t.text.String()
	switch {
	case text == "" && final == "" && len(m.Parts) == 0:
		return nil, quoted("its reply has no text")
	case text == "", text == final, final != "" && text == whole:
	case final == "":
		if rest, repeats := strings.CutPrefix(text, whole); repeats && whole != "" && rest != "" {
			text = rest
		}
		t.text.WriteString(text)
		t.part.WriteString(text)
		if onDelta != nil {
			if r, err := c.emit(onDelta, text); r != nil || err != nil {
				return r, err
			}
		}
	default:
		return nil, quoted("its deltas say %s, and its reply says something else", process.Excerpt([]byte(whole)))
	}
	r := t.reply(c.p.model)
	r.Parts = m.Parts
	if m.Finish != "" {
		r.FinishReason = m.Finish
	}
	t.open = false
	if len(c.notices) > 0 {
		r.Notice, c.notices = strings.Join(c.notices, "; "), nil
	}
	return r, nil
}

// strays reads the output since the last reply, which must not contain messages.
func (c *conversation) strays() error {
	if c.program == nil {
		return nil
	}
	for {
		select {
		case text, more := <-c.program.lines:
			if !more {
				return nil // the next turn reports the reason
			}
			if err := c.stray(text); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (c *conversation) stray(text []byte) error {
	m, err := c.parse(text)
	switch {
	case err != nil:
		return err
	case m == nil:
		return nil
	case m.Type == "reply":
		return fmt.Errorf("it replied a second time, or before it was asked: %s", process.Excerpt(text))
	}
	return fmt.Errorf("it wrote a message of type %q after its reply, which belongs to no turn: %s", m.Type,
		process.Excerpt(text))
}

// drop ends the program.
func (c *conversation) drop() {
	if c.program == nil {
		return
	}
	c.program.leave()
	c.program.running.Stop(0)
	c.program, c.turn.open = nil, false
}

// End implements providers.TrialPart: it tells the program that the conversation is over, and waits for its end.
func (c *conversation) End(ctx context.Context) (notices []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { notices, c.notices = c.notices, nil }()
	if c.program == nil || c.turn.open {
		c.drop()
		return nil, nil
	}
	program := c.program
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	drained := make(chan error, 1)
	go func() {
		var first error
		for text := range program.lines {
			if first == nil {
				first = c.stray(text)
			}
		}
		drained <- first
	}()
	<-program.send(limited, endMessage{"end"}) //nolint:errcheck // one that reads no more is told by the end of its input
	itself := program.running.Stop(patience)
	stray := <-drained
	program.leave()
	c.program = nil
	switch ended := program.running.Err(); {
	case stray != nil:
		err = stray
	case program.err != nil:
		err = program.err
	case itself && ended != nil:
		err = fmt.Errorf("it ended after its last reply: %w", ended)
	case !itself:
		c.notices = append(c.notices, fmt.Sprintf("provider %s: its program did not end within %s of the end of its input, "+
			"and was ended", c.p.id, patience))
	}
	if err != nil {
		err = c.p.failed(process.Ended(c.p.Command[0], err, program.running.Stderr()))
	}
	return nil, err
}
