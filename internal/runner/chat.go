package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/window"
)

// ChatOptions are the options of a conversation with a person.
type ChatOptions struct {
	Calls     CallParameters
	Now       func() time.Time
	Cassettes *cassette.Folder // records the conversation; nil: it is not recorded
	// Again says how a trial is recorded again; see Options.
	Again func(t *result.Trial, all bool) string
	// Stream has replies streamed, and their pieces come as ChatPiece.
	Stream bool
	// OnEvent gets the events of the conversation in order, while Send waits for it.
	OnEvent func(result.Event)
	// Crash receives a panic; see Options.
	Crash func(trial string, cause any, stack []byte)
}

// ChatPiece is a piece of a reply that streams in.
type ChatPiece struct {
	result.At

	Text string
}

// Kind implements result.Event.
func (ChatPiece) Kind() result.EventKind { return "" }

// Place implements result.Event.
func (p ChatPiece) Place() result.At { return p.At }

// chatBarrier is an event that is sent when all events before it were handled.
type chatBarrier struct {
	ChatPiece

	handled chan struct{}
}

// Chat is a conversation in which a person, or a script, is the user. Its turns are not known in advance. It belongs to
// one goroutine.
type Chat struct {
	s      *session
	o      ChatOptions
	done   func() // closes what the recording needs
	events chan result.Event
	kits   func()
	before []func() // each makes the session what it was before a turn
}

// Chat begins a conversation with the agent of a trial. The turns of its scenario are not run; they only give mock
// replies. The caller must close it.
func (p *Plan) Chat(ctx context.Context, t *Trial, o ChatOptions) (*Chat, error) {
	opts := &Options{
		Temperature: o.Calls.Temperature, MaxTokens: o.Calls.MaxTokens, Seed: o.Calls.Seed, Now: o.Now,
		Cassettes: o.Cassettes, Again: o.Again, Crash: o.Crash, Started: o.Now(),
	}
	p.expectTools(nil)
	c := &Chat{o: o, done: func() {}, events: make(chan result.Event), kits: func() { closeTools(p.kits()) }}
	go func() {
		for e := range c.events {
			if marker, ok := e.(chatBarrier); ok {
				close(marker.handled)
				continue
			}
			o.OnEvent(e)
		}
	}()
	s := newSession(*t, opts, c.events)
	c.s = s
	s.clock.start()
	if o.Stream {
		s.onDelta = func(d chat.Delta) { c.events <- ChatPiece{s.emit.at(), d.Text} }
	}
	_, done, err := s.openCassette(ctx) // nothing is replayed that could end it
	c.done = done
	if err == nil {
		err = s.checkRow()
	}
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		_, closed := c.Close(ctx, false)
		return nil, errors.Join(err, closed)
	}
	c.sync()
	return c, nil
}

// sync returns when all events so far were handled.
func (c *Chat) sync() {
	marker := chatBarrier{handled: make(chan struct{})}
	c.events <- marker
	<-marker.handled
}

// Medium reads a file that the user sends with a message, inside or outside of the working directory.
func (c *Chat) Medium(file string) (part chat.Part, err error) {
	e := c.s.trial.Endpoint
	mime := media.TypeOf(filepath.Ext(file))
	if mime == "" {
		return part, fmt.Errorf("%s: its extension is not that of an image, sound, video or document that can be sent", file)
	}
	part = chat.Part{Type: media.KindOf(mime), Media: &chat.Media{
		Path: file, Local: true, Source: filepath.ToSlash(file), MIMEType: mime,
	}}
	got, err := c.s.trial.Project.media.AttachLocal(part.Type, part.Media)
	if err != nil {
		return part, fmt.Errorf("%s cannot be sent: %w", mediumName(&part), err)
	}
	if needs := lacked(e.Spec, part.Type); needs != "" {
		return part, fmt.Errorf("the capabilities of provider %s are without %s", e.Spec.ID, needs)
	}
	if e.Spec.Program != nil && !e.Spec.Program.Lines {
		return part, fmt.Errorf("the program of provider %s gets text alone (protocol: once)", e.Spec.ID)
	}
	if err := providers.Takes(e.Client, &chat.Part{Type: part.Type, Media: got}); err != nil {
		return part, fmt.Errorf("provider %s cannot be sent %s: %w", e.Spec.ID, mediumName(&part), err)
	}
	return part, nil
}

// Send sends a text of the user, with media, and returns the finished turn. After an error, or when ctx ends, the
// conversation is as it was before. Effects of tools and costs of calls remain.
func (c *Chat) Send(ctx context.Context, text string, media ...chat.Part) (turn *result.Turn, err error) {
	s, before := c.s, c.s.snapshot()
	ctx = providers.InTrial(ctx, s.agent)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arena crashed in this turn: %v", p)
			c.o.Crash(s.trial.ID(), p, debug.Stack())
		}
		c.sync()
		if err != nil {
			turn = nil
			before()
			return
		}
		c.before = append(c.before, before)
	}()
	sc := *s.trial.Scenario
	said := len(s.out.Turns)
	spec := scenario.Turn{
		Role: string(chat.User), Content: text, Literal: true, Rare: &scenario.RareTurn{Streaming: &c.o.Stream},
	}
	if len(media) > 0 {
		spec.Content, spec.Parts = "", append([]chat.Part{{Type: "text", Text: text}}, media...)
	}
	sc.Turns = append(slices.Clip(sc.Turns[:min(said, len(sc.Turns))]), spec)
	s.trial.Scenario = &sc
	at := s.next(said)
	turn, err = s.answer(ctx, at, s.userMessage(at, &spec))
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err == nil {
		s.emit.turnCompleted(turn)
	}
	return turn, err
}

// snapshot returns a function that restores the present state of the conversation.
func (s *session) snapshot() (restore func()) {
	messages, calls, turns := s.messages, s.calls, s.out.Turns
	stance, gist, scenario := s.stance, s.window.gist, s.trial.Scenario
	validations, turnStart := s.inputValidations, s.turnStart
	var inner []func()
	if s.skills != nil {
		inner = append(inner, s.skills.Snapshot())
	}
	if s.memory != nil {
		inner = append(inner, s.memory.Snapshot())
	}
	var flow flow
	if s.flow != nil {
		flow = *s.flow
		inner = append(inner, s.flow.machine.Snapshot(), func() { *s.flow = flow })
	}
	return func() {
		s.messages, s.calls, s.out.Turns = slices.Clip(messages), slices.Clip(calls), slices.Clip(turns)
		s.stance, s.window.gist, s.inputValidations, s.turnStart = stance, gist, validations, turnStart
		s.trial.Scenario = scenario
		s.window.forget()
		for _, restore := range inner {
			restore()
		}
		if s.emit != nil {
			s.emit.turn = result.NoTurn
		}
	}
}

var (
	errNothingSaid = errors.New("nothing was said yet")
	errRemembers   = errors.New("the agent remembers by itself what was said, and cannot be made to forget it: start over")
)

// Undo removes the last turn, and returns the text and the media that the user sent in it. The effects of tools are not
// undone.
func (c *Chat) Undo() (said string, media []chat.Part, err error) {
	n := len(c.before)
	switch {
	case n == 0:
		return "", nil, errNothingSaid
	case c.s.trial.Endpoint.Spec.Remembers():
		return "", nil, errRemembers
	}
	last := len(c.s.out.Turns) - 1
	said = c.s.out.Turns[last].User
	for _, part := range c.s.trial.Scenario.Turns[last].Parts {
		if part.Media != nil {
			media = append(media, part)
		}
	}
	c.before[n-1]()
	c.before = c.before[:n-1]
	return said, media, nil
}

// Tools are what the agent is offered now. ctx is for the servers that are asked which tools they have.
func (c *Chat) Tools(ctx context.Context) ([]chat.Tool, error) {
	if err := c.s.refreshTools(ctx); err != nil {
		return nil, err
	}
	return c.s.stance.offered, nil
}

// System is the current system prompt; "": none.
func (c *Chat) System() string {
	if at := c.s.systemAt(); at != window.NoSystem {
		return c.s.messages[at].Content
	}
	return ""
}

// State is the current state of the workflow, with the events that lead out of it; "": there is no workflow.
func (c *Chat) State() (name string, events []string) {
	f := c.s.flow
	if f == nil || f.machine == nil {
		return "", nil
	}
	return f.current, f.machine.Current().EventNames()
}

// Artifacts are those of the workflow, by their names.
func (c *Chat) Artifacts() map[string]string {
	if f := c.s.flow; f != nil && f.machine != nil {
		return f.machine.Artifacts()
	}
	return nil
}

// Memories are what the agent remembers, oldest first.
func (c *Chat) Memories() []result.Memory {
	if c.s.memory == nil {
		return nil
	}
	return c.s.memory.Memories()
}

// Skills are the names of the skills that are active.
func (c *Chat) Skills() (names []string) {
	if c.s.skills == nil {
		return nil
	}
	for _, one := range c.s.skills.Active() {
		names = append(names, one.Name)
	}
	return names
}

// Trial is the conversation so far, as a trial that nothing has judged.
func (c *Chat) Trial() *result.Trial {
	s := c.s
	out := *s.out
	out.Turns = slices.Clone(out.Turns)
	out.Usage = result.Usage{Usage: s.spend.usage, Calls: s.spend.calls, ToolCalls: len(s.calls)}
	out.CostUSD, out.Users, out.Context = s.spend.cost(), s.users.side(), s.window.spend.side()
	return &out
}

// Close ends the conversation, its tools and its recording. whole says that the recording is complete.
func (c *Chat) Close(ctx context.Context, whole bool) (notices []string, err error) {
	s := c.s
	s.closeBox()
	if !s.endAgent(ctx) && s.out.Error != "" {
		err = errors.New(s.out.Error)
	}
	s.closeCassette(whole)
	if s.recordError != nil {
		err = s.recordError
	}
	c.done()
	close(c.events)
	c.kits()
	return s.out.Notices, err
}
