package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/textsearch"
)

// turn plays one user message until the assistant's final reply. The result has the turn even after an error.
func (s *session) turn(ctx context.Context, at turnIndex) (*result.Turn, error) {
	return s.answer(ctx, at, s.userMessage(at, &s.trial.Scenario.Turns[at.script]))
}

// answer has the agent answer a message of the user. The result has the turn even after an error.
func (s *session) answer(ctx context.Context, at turnIndex, user chat.Message) (*result.Turn, error) {
	turn := s.addTurn(at, user.Text())
	began := s.clock.elapsed()
	unsent := s.attach(ctx, at, &user)
	s.emit.turnStarted(turn)
	s.turnStart, s.inputValidations = len(s.messages), nil
	s.add(user)
	loop := newToolLoop(s, at)
	err := unsent
	if err == nil {
		err = s.refreshTools(ctx)
	}
	if err == nil {
		err = s.converse(ctx, turn, loop)
	}
	turn.LatencyMS = milliseconds(s.clock.elapsed() - began)
	turn.Messages = s.messages[s.turnStart:len(s.messages):len(s.messages)]
	turn.ToolCalls = loop.log
	if err == nil {
		turn.Assistant = s.lastWords()
	}
	return turn, err
}

// lastWords is the text of the last reply. What a workflow says behind it is none.
func (s *session) lastWords() string {
	for i := len(s.messages) - 1; i >= s.turnStart; i-- {
		if s.messages[i].Role == chat.Assistant {
			return s.messages[i].Text()
		}
	}
	return ""
}

// userMessage renders the scripted message: first the variant, then the variables.
func (s *session) userMessage(in turnIndex, spec *scenario.Turn) chat.Message {
	m := chat.Message{
		Role: chat.User, Content: s.render(in, spec.Content, spec.Literal), Parts: slices.Clone(spec.Parts),
	}
	for at := range m.Parts {
		m.Parts[at].Text = s.render(in, m.Parts[at].Text, spec.Literal)
	}
	return m
}

// userText is the text of the scripted message.
func (s *session) userText(at turnIndex, spec *scenario.Turn) string {
	m := s.userMessage(at, spec)
	return m.Text()
}

// render fills in the placeholders of a text. Unknown ones are an error at load, except in files of other tools.
func (s *session) render(at turnIndex, text string, literal bool) string {
	if literal {
		return text
	}
	out, err := s.values.at(at.script).UserText(text)
	if err != nil && s.trial.Scenario.Row == nil {
		s.notice(fmt.Sprintf("turn %d was sent unchanged: %v", at.number+1, err))
	}
	return out
}

// converse calls the model, runs the tools that it calls, and calls it again until it answers with text.
func (s *session) converse(ctx context.Context, turn *result.Turn, loop *toolLoop) error {
	if answered, err := s.checkInput(ctx, turn); answered || err != nil {
		return err
	}
	if c := s.composition(); c != nil {
		return s.compose(ctx, turn, loop, c)
	}
	for round := 0; ; round++ {
		if err := errors.Join(loop.checkRound(), loop.checkChoice()); err != nil {
			return err
		}
		req, err := s.request(ctx, loop.at, round, loop)
		if err != nil {
			return err
		}
		turn.Streamed = req.Stream
		s.trace = nil
		reply, err := s.generateReply(ctx, turn, req, s.calls[len(s.calls)-len(loop.log):])
		if turn.Trace = s.trace; err != nil {
			return err
		}
		loop.warnToolChoice(&reply)
		if len(reply.ToolCalls) == 0 {
			loop.keepRemovedCalls()
			loop.keepOverspent()
			return checkReply(&reply)
		}
		if err := loop.run(ctx, reply.ToolCalls); err != nil {
			return err
		}
		if err := s.recorder.Err(); err != nil {
			return err
		}
		if ended, err := s.advance(ctx, loop); ended || err != nil {
			return err
		}
	}
}

// errEmptyReply is returned for a reply that is empty, errBlankReply for one in which nothing can be seen: every check
// that forbids something would pass.
var (
	errEmptyReply = errors.New("the model answered with an empty text")
	errBlankReply = errors.New("the model answered with white space alone")
)

func checkReply(r *chat.Message) error {
	switch {
	case !isBlank(r):
		return nil
	case r.Text() == "":
		return fmt.Errorf("%w (finish reason %q)", errEmptyReply, r.FinishReason)
	}
	return fmt.Errorf("%w (finish reason %q)", errBlankReply, r.FinishReason)
}

// isBlank reports whether a message shows a reader nothing.
func isBlank(m *chat.Message) bool {
	return !slices.ContainsFunc(m.Parts, func(p chat.Part) bool { return p.Media != nil }) &&
		strings.TrimSpace(textsearch.Plain(m.Text())) == ""
}

// complete calls the model and records usage and time.
func (s *session) complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	reply, err := s.timed(ctx, s.trial.Endpoint, req, s.window.leftOut, onDelta)
	if err != nil {
		s.spend.addFailed(err)
		return reply, err
	}
	s.toolResults, s.ranCalls, s.trace = reply.ToolResults, nil, reply.Trace
	if s.agentRanCalls() {
		s.ranCalls = reply.ToolCalls
	}
	s.spend.add(&reply)
	s.noteReply(s.trial.Endpoint, &reply, max(len(s.out.Turns)-1, 0))
	s.warnGeneric(&req.Origin)
	return reply, nil
}

func (s *session) notice(text string) {
	if slices.Contains(s.out.Notices, text) {
		return
	}
	s.out.Notices = append(s.out.Notices, text)
}

// request is the model call of a round. Parameters come from the command line, the turn, the arena's defaults, the
// prompt and the provider, in this order. Nil leaves them to the server.
func (s *session) request(
	ctx context.Context, at turnIndex, round int, loop *toolLoop,
) (*chat.Request, error) {
	sc, spec := s.trial.Scenario, &s.trial.Scenario.Turns[at.script]
	defaults, provider := &s.trial.Project.Defaults, s.trial.Endpoint.Spec
	prompt := &s.stance.params
	req := &chat.Request{
		Temperature: firstSet(s.opts.Temperature, spec.More().Temperature, defaults.Temperature, prompt.Temperature,
			provider.Temperature),
		TopP:      firstSet(defaults.TopP, prompt.TopP, provider.TopP),
		MaxTokens: firstSet(s.opts.MaxTokens, defaults.MaxTokens, prompt.MaxTokens, provider.MaxTokens),
		Seed:      seedOf(firstSet(s.opts.Seed, spec.More().Seed, defaults.Seed), s.trial.N),
		Stream:    s.streams(spec),
		Origin: chat.Origin{
			Scenario: sc.ID, ScenarioAlias: sc.Alias, Region: s.trial.Region, Trial: s.trial.N,
			Repetition: s.trial.Repetition(), Turn: at.number, Added: at.number - at.script,
			Earlier: s.repliesBefore(at), Reply: round,
		},
	}
	if sc.Row != nil {
		req.Origin.Row = sc
	}
	req.Tools, req.ToolChoice = loop.offer()
	tune(req, provider, s.stance.schema)
	s.step.adapt(req)
	req.Extra = prompt.AddTo(req.Extra, provider)
	return req, s.fill(ctx, req)
}

// seedOf is the seed of trial n: the seed of its group plus n. With one seed for all trials a model that honours it
// answers the same each time, and many trials would show no more than one.
func seedOf(first *int64, n int) *int64 {
	if first == nil {
		return nil
	}
	return new(*first + int64(n-1))
}

// tune sets what the provider, the scenario and the prompt say about the format of replies.
func tune(req *chat.Request, spec *scenario.Provider, schema json.RawMessage) {
	req.Stop, req.ReasoningEffort, req.ParallelToolCalls = spec.Stop, spec.ReasoningEffort, spec.ParallelToolCalls
	req.Extra = spec.Body
	switch {
	case spec.ReplyFormat == "json_object":
		req.JSON = true
	case spec.ReplyFormat != "text" && schema != nil:
		req.JSONSchema, req.SchemaName = schema, spec.SchemaName
	}
}

func firstSet[T any](choices ...*T) *T {
	for _, c := range choices {
		if c != nil {
			return c
		}
	}
	return nil
}
