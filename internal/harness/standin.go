package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/scenario"
)

// StandIns opens providers for a run that calls no model. They answer with the mock replies and recordings of the
// files, else with a placeholder text.
type StandIns struct{ Clients }

// Open is a runner.Opener.
func (c *StandIns) Open(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	if err := open.Supported(spec); err != nil {
		return nil, false, err
	}
	simulated := open.Simulated(spec.Type)
	mocked := *spec
	if !simulated {
		mocked.Type = "mock"
	}
	client, _, err := c.Clients.Open(p, &mocked)
	if err != nil {
		return nil, false, err
	}
	return &standIn{
		spec: spec, from: client, simulated: simulated, scripted: p.Mock != nil || spec.Mock != nil, inline: inlineReplies(p),
	}, simulated, nil
}

// standIn answers in place of a model.
type standIn struct {
	spec      *scenario.Provider
	from      providers.Provider
	simulated bool // the provider answers from files itself
	scripted  bool // there is a mock file
	inline    func(id string, turn int) []scenario.MockReply
}

func (s *standIn) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	at := req.Origin
	if !s.simulated && !s.scripted && len(s.inline(at.Scenario, at.Script())) == 0 {
		return s.placeholder(at), nil
	}
	reply, err := s.from.Complete(ctx, req, onDelta)
	if failed, ok := errors.AsType[*providers.Error](err); ok && failed.Kind == providers.BadReply && failed.Final {
		return s.placeholder(at), nil
	}
	if err == nil && !s.simulated {
		reply.Notice = fmt.Sprintf("turn %d: a mock reply stands for what %s would answer", at.Turn+1, s.spec.ID)
	}
	return reply, err
}

// placeholder is the reply where there is neither a mock reply nor a recording.
func (s *standIn) placeholder(at chat.Origin) chat.Reply {
	text := fmt.Sprintf("(the reply of %s in turn %d, which was not asked)", s.spec.ID, at.Turn+1)
	return chat.Reply{
		Content: text, FinishReason: "stop", Model: s.spec.Model,
		Notice: fmt.Sprintf("turn %d: %q stands for the reply: there is no mock reply for it, and no recording",
			at.Turn+1, text),
	}
}

// Close closes the client.
func (s *standIn) Close() error { return providers.Close(s.from) }
