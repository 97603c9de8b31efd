package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// turn plays one user message until the assistant's final reply. The turn is in the result even when it fails.
func (s *session) turn(ctx context.Context, i int) (*result.Turn, error) {
	spec := &s.trial.Scenario.Turns[i]
	user := s.userMessage(i, spec)
	s.out.Turns = append(s.out.Turns, result.Turn{
		Index: i, User: user.Text(),
		Messages: []chat.Message{}, ToolCalls: []result.ToolCall{}, Assertions: []result.Verdict{},
	})
	turn := &s.out.Turns[len(s.out.Turns)-1]
	began := s.clock.elapsed()
	s.tell.turnStarted(i, turn.User)
	s.start, s.heard = len(s.messages), nil
	s.add(user)
	loop := newToolLoop(s, i)
	err := s.equip(ctx)
	if err == nil {
		err = s.converse(ctx, turn, loop)
	}
	turn.LatencyMS = milliseconds(s.clock.elapsed() - began)
	turn.Messages = s.messages[s.start:len(s.messages):len(s.messages)]
	turn.ToolCalls = loop.log
	if err == nil {
		turn.Assistant = s.messages[len(s.messages)-1].Text()
	}
	return turn, err
}

// userMessage renders the scripted text: the variant's substitutions first, then the variables.
func (s *session) userMessage(i int, spec *scenario.Turn) chat.Message {
	m := chat.Message{Role: chat.User, Content: s.userText(i, spec), Parts: slices.Clone(spec.Parts)}
	for at := range m.Parts {
		m.Parts[at].Text = s.render(i, m.Parts[at].Text, spec.Literal)
	}
	return m
}

func (s *session) userText(i int, spec *scenario.Turn) string {
	return s.render(i, spec.Content, spec.Literal)
}

// render fills in what is said in a turn. That something is left open is an error at load, unless the files are of
// another tool.
func (s *session) render(turn int, text string, literal bool) string {
	if literal {
		return text
	}
	out, err := s.values.at(turn).UserText(text)
	if err != nil {
		s.notice(fmt.Sprintf("turn %d was sent as it stands: %v", turn+1, err))
	}
	return out
}

// converse calls the model, runs the tools that it asks for, and calls it again until it answers with text.
func (s *session) converse(ctx context.Context, turn *result.Turn, loop *toolLoop) error {
	if answered, err := s.hear(ctx, turn); answered || err != nil {
		return err
	}
	for round := 0; ; round++ {
		if err := loop.enter(round); err != nil {
			return err
		}
		req := s.request(turn.Index, round, loop)
		turn.Streamed = req.Stream
		reply, err := s.speak(ctx, turn, req, s.calls[len(s.calls)-len(loop.log):])
		if err != nil {
			return err
		}
		if len(reply.ToolCalls) == 0 {
			return checkReply(&reply)
		}
		if err := loop.run(ctx, reply.ToolCalls); err != nil {
			return err
		}
		if err := s.tape.Err(); err != nil {
			return err
		}
	}
}

// errEmptyReply is returned for a reply in which there is nothing to judge: every "must not say" would hold of it.
var errEmptyReply = errors.New("the model answered with an empty text")

func checkReply(r *chat.Message) error {
	if r.Content == "" && len(r.Parts) == 0 {
		return fmt.Errorf("%w (finish reason %q)", errEmptyReply, r.FinishReason)
	}
	return nil
}

// complete runs one model call and books what it took.
func (s *session) complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	began := s.opts.Now()
	done := s.tell.call(s.trial.Endpoint.Spec, req)
	reply, err := s.call(ctx, req, onDelta)
	switch {
	case s.clock.simulated:
		s.clock.advance(time.Duration(reply.LatencyMS * float64(time.Millisecond)))
	case !reply.Cached:
		reply.LatencyMS = milliseconds(s.opts.Now().Sub(began))
	}
	if done != nil {
		done(&reply, err)
	}
	if err != nil {
		s.spend.waste(err)
		return reply, err
	}
	s.out.Retries += reply.Retries
	s.came = reply.ToolResults
	s.spend.add(&reply)
	if reply.Notice != "" {
		s.notice(reply.Notice)
	}
	return reply, nil
}

func (s *session) notice(text string) {
	if slices.Contains(s.out.Notices, text) {
		return
	}
	s.out.Notices = append(s.out.Notices, text)
}

// request is the model call of a round. What the command line sets wins over the turn, that over the arena's
// defaults, those over the prompt's parameters; what is left to nil is the provider's own default.
func (s *session) request(i, round int, loop *toolLoop) *chat.Request {
	sc, spec := s.trial.Scenario, &s.trial.Scenario.Turns[i]
	defaults, provider := &s.trial.Project.Defaults, s.trial.Endpoint.Spec
	prompt := &s.stance.params
	req := &chat.Request{
		Messages: slices.Clip(s.messages),
		Temperature: first(s.opts.Temperature, spec.Temperature, defaults.Temperature, prompt.Temperature,
			provider.Temperature),
		TopP:      first(defaults.TopP, prompt.TopP, provider.TopP),
		MaxTokens: first(s.opts.MaxTokens, defaults.MaxTokens, prompt.MaxTokens, provider.MaxTokens),
		Seed:      first(s.opts.Seed, spec.Seed, defaults.Seed),
		Stream:    sc.Streaming,
		Origin: chat.Origin{
			Scenario: sc.ID, ScenarioAlias: sc.Alias, Region: s.trial.Region, Trial: s.trial.N,
			Repetition: s.trial.Repetition(), Turn: i, Reply: round,
		},
	}
	if spec.Streaming != nil {
		req.Stream = *spec.Streaming
	}
	req.Tools, req.ToolChoice = loop.offer(round)
	tune(req, provider, s.stance.schema)
	req.Extra = prompt.AddTo(req.Extra, provider)
	return req
}

// tune asks for what the files of the provider, the scenario and the prompt say of the replies.
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

func first[T any](choices ...*T) *T {
	for _, c := range choices {
		if c != nil {
			return c
		}
	}
	return nil
}
