package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// Self-play: a model, or a program, plays the user in a turn of the scenario. The turn becomes as many turns as it
// sends messages.

// outcome is how a conversation continues after a turn.
type outcome int

const (
	goesOn outcome = iota
	stops          // the turn was judged, and nothing follows
	aborts         // the turn failed
)

// play runs the turns of a turn of the scenario: one if it is scripted. done is called after each finished turn, and
// says how the conversation continues.
func (s *session) play(ctx context.Context, script int, done func(*result.Turn, error) outcome) outcome {
	p := s.trial.players.at(script)
	if p == nil {
		return done(s.turn(ctx, s.next(script)))
	}
	talk := s.newTalk(script, p)
	for {
		at := s.next(script)
		user, err := talk.next(ctx, at)
		if err == nil && user == nil {
			s.endTalk(script, result.EndedByMark)
			return goesOn
		}
		var turn *result.Turn
		if err != nil {
			turn = s.addTurnWithoutMessage(at)
		} else {
			turn, err = s.answer(ctx, at, *user)
		}
		ended := talk.ended()
		if err == nil {
			turn.Ended = ended
		}
		if how := done(turn, err); how != goesOn || ended != "" {
			return how
		}
	}
}

// addTurnWithoutMessage adds a turn for which there is no message of the user.
func (s *session) addTurnWithoutMessage(at turnIndex) *result.Turn {
	turn := s.addTurn(at, "")
	s.turnStart = len(s.messages)
	s.emit.turnStarted(turn)
	return turn
}

// endTalk records why the persona sent no more after the last turn.
func (s *session) endTalk(script int, why string) {
	if n := len(s.out.Turns); n > 0 && s.out.Turns[n-1].Script() == script {
		s.out.Turns[n-1].Ended = why
	}
}

// talk is the part of a persona in one turn of the scenario.
type talk struct {
	s      *session
	p      *player
	spec   *scenario.Turn
	system string // the instructions of the model; "": not made yet
	said   int    // messages so far
	marked bool   // the last one ended the conversation
	last   string // the last one, with spaces normalised
	alike  int    // number of repetitions of the last message
	echo   echo
}

func (s *session) newTalk(script int, p *player) *talk {
	return &talk{s: s, p: p, spec: &s.trial.Scenario.Turns[script]}
}

// ended says why the persona sends no more; "": it may.
func (t *talk) ended() string {
	switch {
	case t.marked && t.said >= t.spec.Least():
		return result.EndedByMark
	case t.said >= t.spec.Most():
		return result.EndedByMaximum
	}
	return ""
}

// stuckAfter is how often a persona may repeat itself.
const stuckAfter = 3

var (
	errSilentUser = errors.New("it said nothing")
	errEndedFirst = errors.New("it ended the conversation before it had said anything")
)

// next has the persona send a message; nil: it ended the conversation without one.
func (t *talk) next(ctx context.Context, at turnIndex) (*chat.Message, error) {
	t.s.emit.generating(at.number)
	m, err := t.nextMessage(ctx, at)
	if m == nil && err == nil {
		t.s.emit.generating(result.NoTurn)
	}
	if _, named := errors.AsType[*providers.Error](err); named {
		return nil, fmt.Errorf("persona %s: %w", t.p.persona.ID, err)
	}
	if err != nil {
		return nil, fmt.Errorf("persona %s (provider %s): %w", t.p.persona.ID, t.p.endpoint.Spec.ID, err)
	}
	return m, nil
}

func (t *talk) nextMessage(ctx context.Context, at turnIndex) (*chat.Message, error) {
	req, err := t.request(at)
	if err != nil {
		return nil, err
	}
	reply, err := t.ask(ctx, req)
	if err != nil {
		return nil, err
	}
	spoken := grading.WithoutThoughts(reply.Content, nil)
	if spoken != strings.TrimSpace(reply.Content) {
		t.s.notice(fmt.Sprintf("the persona %q thinks aloud: its thoughts were not sent to the agent", t.p.persona.ID))
	}
	words, marked := withoutMark(spoken)
	if visible(words) == "" {
		return nil, t.wordless(marked)
	}
	t.said++
	t.marked = marked
	if err := t.repeats(words, reply.Doubt != ""); err != nil {
		return nil, err
	}
	t.s.warnOfWords(t.p.persona.ID, words)
	t.warnOfEchoes(words, reply.Doubt != "")
	t.s.warnOfCutUser(t.p, &reply, req)
	if reply.Refused {
		t.s.warn(fmt.Sprintf("the persona %q refuses to play: its model marks what it says as a refusal (%q)", t.p.persona.ID,
			cutWords(words)))
	}
	spec := t.p.endpoint.Spec
	return &chat.Message{Role: chat.User, Content: words, Generated: &chat.Generated{
		Persona: t.p.persona.ID, Role: t.p.role, Provider: spec.ID, Model: reply.Model, FinishReason: reply.FinishReason,
		Ends: marked, Usage: reply.Usage, CostUSD: reply.CostUSD, LatencyMS: reply.LatencyMS, Cached: reply.Cached,
	}}, nil
}

// wordless handles a message without text: it ends the conversation, if the persona may do that.
func (t *talk) wordless(marked bool) error {
	switch {
	case !marked:
		return errSilentUser
	case t.said == 0:
		return errEndedFirst
	case t.said < t.spec.Least():
		return fmt.Errorf("it ended the conversation after %s of at least %d", plural.Count(t.said, "message"),
			t.spec.Least())
	}
	return nil
}

// repeats is an error if the persona repeats itself. Generic texts of a mock do not count.
func (t *talk) repeats(words string, generic bool) error {
	words = strings.Join(strings.Fields(words), " ")
	if words != t.last || generic {
		t.last, t.alike = words, 0
		return nil
	}
	if t.alike++; t.alike < stuckAfter {
		return nil
	}
	return fmt.Errorf("it is stuck: it said the same %d times more: %q", stuckAfter, cutWords(words))
}

// request is the call of the model that plays the user.
func (t *talk) request(at turnIndex) (*chat.Request, error) {
	if t.system == "" {
		system, err := t.instructions()
		if err != nil {
			return nil, err
		}
		t.system = system
	}
	s, spec, params := t.s, t.p.endpoint.Spec, userParameters(t.p.persona, t.spec)
	sc := s.trial.Scenario
	messages, empty := seenByUser(t.system, s.messages)
	req := &chat.Request{
		Messages: messages, Temperature: &params.temperature, TopP: spec.TopP, MaxTokens: &params.maxTokens,
		Seed: seedOf(firstSet(s.opts.Seed, &params.seed), s.trial.N), Stream: s.streams(t.spec),
		Stop: spec.Stop, ReasoningEffort: spec.ReasoningEffort, Extra: spec.Body,
		Origin: chat.Origin{
			Scenario: sc.ID, ScenarioAlias: sc.Alias, Region: s.trial.Region, Trial: s.trial.N,
			Repetition: s.trial.Repetition(), Turn: at.number, Added: at.number - at.script, Before: empty,
			Persona: t.p.persona.ID, PersonaAlias: t.p.persona.Alias,
		},
	}
	if sc.Row != nil {
		req.Origin.Row = sc
	}
	return req, nil
}

// instructions are the system prompt of the model: the persona, and how to end the conversation.
func (t *talk) instructions() (string, error) {
	trial := t.s.trial
	text, err := scenario.PersonaPrompt(t.p.persona, trial.Prompt, trial.Scenario, trial.Region)
	if err != nil || !t.spec.MayEnd() {
		return text, err
	}
	return text + "\n\n" + endInstruction, nil
}

// mostUserRounds is how many rounds of its own tool calls a program may report before a message.
const mostUserRounds = 100

// ask asks the model for a message. A program may report calls of its own tools, which are ignored.
func (t *talk) ask(ctx context.Context, req *chat.Request) (chat.Reply, error) {
	for range mostUserRounds {
		reply, err := t.s.completeUser(ctx, t.p, req)
		if err != nil {
			return reply, err
		}
		if len(reply.ToolCalls) == 0 {
			return reply, nil
		}
		if !t.p.endpoint.Spec.RunsTools() && len(reply.ToolResults) == 0 {
			return reply, fmt.Errorf("it called the tool %s, and a user has no tools", reply.ToolCalls[0].Name)
		}
		next := *req
		next.Origin.Reply++
		req = &next
	}
	return chat.Reply{}, fmt.Errorf("it called tools of its own %d times and said nothing", mostUserRounds)
}

// completeUser calls a model that plays a user. Its usage is separate from that of the agent.
func (s *session) completeUser(ctx context.Context, p *player, req *chat.Request) (chat.Reply, error) {
	if text, ok := s.preview.userStandIn(s, p); ok {
		return chat.Reply{Content: text, FinishReason: "stop"}, nil
	}
	began := s.clock.elapsed()
	reply, err := s.timed(ctx, p.endpoint, req, nil, nil)
	s.userTime += s.clock.elapsed() - began
	if recorded := s.recorder.Err(); err == nil && recorded != nil {
		err = recorded
	}
	if err != nil {
		s.users.addFailed(err, p.endpoint.Simulated)
		return reply, err
	}
	s.users.add(&reply, p.endpoint.Simulated)
	s.noteReply(p.endpoint, &reply, max(req.Origin.Turn, 0))
	s.noteUnusedCalls("of the persona "+say.Named(p.persona.ID), &reply, max(req.Origin.Turn, 0))
	return reply, nil
}

// sideSpend is the usage of models other than the agent: players, or models of the context policy.
type sideSpend struct {
	spend

	mocked float64 // the part of the cost that mocks made up
}

func (u *sideSpend) add(r *chat.Reply, simulated bool) {
	before := u.usd
	u.spend.add(r)
	if simulated {
		u.mocked += u.usd - before
	}
}

func (u *sideSpend) addFailed(err error, simulated bool) {
	before := u.usd
	u.spend.addFailed(err)
	if simulated {
		u.mocked += u.usd - before
	}
}

// side is the sum; nil: no calls.
func (u *sideSpend) side() *result.SideCost {
	if u.calls == 0 {
		return nil
	}
	return &result.SideCost{Usage: u.usage, Calls: u.calls, CostUSD: u.cost(), SimulatedUSD: u.mocked}
}

// streams reports whether the replies of a turn are streamed.
func (s *session) streams(turn *scenario.Turn) bool {
	if own := turn.More().Streaming; own != nil {
		return *own
	}
	return s.trial.Scenario.Streaming
}

// timed calls a model, emits an event for the call, and measures its time. left is the part of the conversation that is
// not sent; nil: all is sent.
func (s *session) timed(
	ctx context.Context, e *Endpoint, req *chat.Request, left *chat.LeftOut, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	began := s.opts.Now()
	done := s.emit.call(e.Spec, req, left)
	reply, err := s.call(ctx, e, req, onDelta)
	took := time.Duration(reply.LatencyMS * float64(time.Millisecond))
	switch {
	case s.clock.simulated:
		s.clock.advance(took)
	case reply.Cached:
		s.clock.credit(took, s.opts.Now().Sub(began))
	default:
		reply.LatencyMS = milliseconds(s.opts.Now().Sub(began))
	}
	reply.LeftOut = left
	if done != nil {
		done(&reply, err)
	}
	return reply, err
}

// personaOf is the persona that plays the user in a turn of the scenario; "": it is scripted.
func (s *session) personaOf(script int) string {
	if p := s.trial.players.at(script); p != nil {
		return p.persona.ID
	}
	if turns := s.trial.Scenario.Turns; script < len(turns) && !s.everyReply() {
		return turns[script].Persona()
	}
	return ""
}
