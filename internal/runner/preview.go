package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// PreviewOptions are what the first request of a turn depends on besides the plan.
type PreviewOptions struct {
	Calls     CallParameters
	Now       func() time.Time
	Cassettes *cassette.Folder // replays the exchanges of the turns before; nil: the endpoint of the trial answers
	// Again returns the command that records a trial again; with all, everything of it.
	Again func(t *result.Trial, all bool) string
}

// Preview is the request that begins a turn of a trial.
type Preview struct {
	Request *chat.Request // nil: a guardrail answers in the place of the model
	Notices []string      // what replaces data that only a run has
}

// Preview makes the request that begins the turn at an index, without sending it. In earlier turns the client of the
// endpoint answers, which need not be the model. Only simulated tools are called, and guardrails that would call a
// model or a service do not judge. Sources are asked for their tools, as in a run.
func (p *Plan) Preview(ctx context.Context, t *Trial, turn int, o PreviewOptions) (_ *Preview, err error) {
	opts := &Options{
		Temperature: o.Calls.Temperature, MaxTokens: o.Calls.MaxTokens, Seed: o.Calls.Seed,
		Now: o.Now, Cassettes: o.Cassettes, Again: o.Again,
	}
	s := newSession(*t, opts, nil)
	s.preview = &preview{turn: turn}
	s.clock.simulated = true
	s.takeStance(t.Prompt)
	defer func() {
		closeTools(p.kits())
		if p := recover(); p != nil {
			err = fmt.Errorf("arena crashed in this trial: %v", p)
		}
	}()
	defer s.closeBox()
	ctx, done, err := s.openCassette(ctx)
	defer done()
	if err != nil {
		return nil, err
	}
	if err := s.checkRow(); err != nil {
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	for i := range turn + 1 {
		var failed error
		s.play(ctx, i, func(_ *result.Turn, err error) outcome {
			if failed = err; err != nil {
				return aborts
			}
			return goesOn
		})
		if failed != nil && !errors.Is(failed, errPreviewed) {
			return nil, fmt.Errorf("turn %d: %w", i+1, failed)
		}
	}
	return &Preview{s.preview.request, s.out.Notices}, nil
}

// preview is the state of a session that only shows a request.
type preview struct {
	turn int

	mu      sync.Mutex    // steps of a composition may run concurrently
	request *chat.Request // nil: no request yet
}

// errPreviewed ends the turn whose request is shown.
var errPreviewed = errors.New("this request is only shown")

// shows reports whether a request is the one to show, and stores it. Of concurrent steps it takes the first by name, so
// that the result is always the same.
func (p *preview) shows(req *chat.Request) bool {
	if p == nil || req.Origin.Script() != p.turn || req.Origin.Persona != "" || req.Origin.Summary > 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.request == nil || req.Origin.Step < p.request.Origin.Step {
		p.request = req
	}
	return true
}

// standIn answers a call of a tool that must not run in a preview; ok is false for others.
func (p *preview) standIn(s *session, call chat.ToolCall) (res chat.ToolResult, ok bool) {
	if p == nil || s.trial.Project.tools.Simulated(call.Name) || s.remembers(call.Name) || !s.box.Has(call.Name) {
		return res, false
	}
	text := fmt.Sprintf("(the result of %s, which was not called)", call.Name)
	return chat.ToolResult{
		ID: call.ID, Name: call.Name, Content: text,
		Notice: fmt.Sprintf("the tool %s was not called: %q stands for its result", call.Name, text),
	}, true
}

// userStandIn is the message of a persona that a model would have to write.
func (p *preview) userStandIn(s *session, who *player) (text string, ok bool) {
	if p == nil || s.recorder != nil {
		return "", false
	}
	text = fmt.Sprintf("(what %s says, which a model would write)", who.persona.ID)
	s.notice(fmt.Sprintf("the model that plays %s was not called: %q stands for what it says", who.persona.ID, text))
	return text + " " + endMark, true
}

// summaryStandIn is a summary that a model would have to write.
func (p *preview) summaryStandIn(s *session) (text string, ok bool) {
	if p == nil || s.recorder != nil || s.trial.summarizer.Simulated {
		return "", false
	}
	text = "(a summary, which a model would write)"
	s.notice(fmt.Sprintf("the model that summarizes was not called: %q stands for what it writes", text))
	return text, true
}

// guards removes guardrails that need a model, a program or the network, unless a cassette answers for them.
func (p *preview) guards(s *session, v *values) {
	prompt := s.stance.prompt
	if p == nil || prompt == nil || s.stance.guards == nil || s.opts.Cassettes != nil {
		return
	}
	own := slices.DeleteFunc(boundGuards(prompt.Validators, func(c any) any { return v.bind(c, noTurn) }),
		func(g *scenario.Validator) bool {
			check, ok := g.Compiled.(*checks.Compiled)
			outside := ok && check.Needs().Outside()
			if outside && g.Enabled {
				s.notice(fmt.Sprintf("the guardrail %s did not judge: it would ask others", g.Type))
			}
			return outside
		})
	s.stance.guards, _ = guard.New(own) // no error: a larger set was made before
}
