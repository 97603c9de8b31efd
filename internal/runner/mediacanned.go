package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/open"
)

// Media in files: of simulated tools and mock replies. They are read, validated and encoded like those of turns. Media
// with only an address are not fetched.

// cannedMedia is a mock provider that loads the media of its replies.
type cannedMedia struct {
	next    providers.Provider
	store   *attach.Store
	lenient bool
}

// Complete implements providers.Provider.
func (c *cannedMedia) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	reply, err := c.next.Complete(ctx, req, onDelta)
	if err != nil {
		return reply, err
	}
	reply.Parts, err = c.attached(reply.Parts)
	for i := range reply.ToolResults {
		if err == nil {
			reply.ToolResults[i].Parts, err = c.attached(reply.ToolResults[i].Parts)
		}
	}
	if err != nil {
		return chat.Reply{}, &providers.Error{Kind: providers.BadReply, Final: true, Msg: err.Error()}
	}
	return reply, nil
}

// Unwrap returns the mock.
func (c *cannedMedia) Unwrap() providers.Provider { return c.next }

func (c *cannedMedia) attached(parts []chat.Part) ([]chat.Part, error) {
	if !slices.ContainsFunc(parts, open.IsMedium) {
		return parts, nil
	}
	own := slices.Clone(parts)
	for i := range own {
		part := &own[i]
		if part.Media == nil {
			continue
		}
		got, err := open.AttachCanned(c.store, part)
		if err != nil && (got == nil || !c.lenient) {
			return nil, fmt.Errorf("mock: %s: %w", mediumName(part), err)
		}
		part.Media = got
	}
	return own, nil
}

// reportCanned reports problems of a canned medium. whose names its owner: "the tool look", "a mock reply".
func (m *matrix) reportCanned(p *project, whose string, part *chat.Part, at diag.Pos) {
	_, err := open.AttachCanned(p.media, part)
	switch {
	case err == nil:
	case errors.Is(err, media.ErrOtherType) && p.lenient:
		m.warnMedium(part, at, err)
	case errors.Is(err, media.ErrOtherType):
		m.mediaProblem(at, "bad-media", fmt.Sprintf("%s of %s is %v", mediumName(part), whose, err), rightFile)
	default:
		m.unreadableMedium(at, part, mediumName(part)+" of "+whose, err)
	}
}

// rightFile is the hint for bytes that are not of the declared type.
const rightFile = "send the right file, or correct type and mime_type"

// reportToolMedia reports invalid media in the answers of simulated tools, whatever the providers.
func (m *matrix) reportToolMedia(p *project) {
	for _, tool := range p.Tools {
		tool.EachMedium(func(part *chat.Part, at diag.Pos) { m.reportCanned(p, "the tool "+tool.ID, part, at) })
	}
}

// reportReplyMedia reports problems of media in mock replies for a scenario.
func (m *matrix) reportReplyMedia(p *project, s *scenario.Scenario, spec *scenario.Provider) {
	if s.Skip != "" || spec.Type != scenario.MockType {
		return
	}
	file := spec.Mock
	if p.Mock != nil { // it replaces the mocks of the providers
		file = p.Mock
	}
	s.EachMockReply(file, func(reply *scenario.MockReply) {
		reply.EachMedium(func(part *chat.Part, at diag.Pos) { m.reportCanned(p, "a mock reply", part, at) })
	})
}

// showable reports media of simulated tools that a provider cannot be sent. It returns true if there are none.
func (m *matrix) showable(p *project, s *scenario.Scenario, e *Endpoint) bool {
	if s.Skip != "" || e.Spec.IsAgent() || p.tools == nil {
		return true
	}
	offered := map[string]bool{}
	prompts, _ := inventory.PossiblePrompts(p.Project, s) // matrix.prompt reports the error
	for _, prompt := range prompts {
		if prompt == nil {
			continue
		}
		for _, tool := range p.tools.Offered(prompt.AllowedTools) {
			offered[tool.Name] = true
		}
	}
	ok := true
	for _, tool := range p.Tools {
		if !offered[tool.ID] {
			continue
		}
		tool.EachMedium(func(part *chat.Part, at diag.Pos) {
			ok = m.checkSendable(p, part, at, e, "the tool "+tool.ID+" answers with") && ok
		})
	}
	return ok
}

// warnUnshownMedia warns of tool media that the model does not get unchanged. Results of simulated tools were validated
// before the run.
func (s *session) warnUnshownMedia(call string, res *chat.ToolResult) {
	if s.trial.Project.tools.Simulated(call) || s.trial.Endpoint.Simulated {
		return
	}
	for i := range res.Parts {
		part := &res.Parts[i]
		if part.Media == nil {
			continue
		}
		said := func(err error) {
			s.warnOnce(fmt.Sprintf("the tool %s returned %s that the model may not have seen: %v", call,
				withArticle(part.Type), err))
		}
		if err := providers.Takes(s.trial.Endpoint.Client, part); err != nil {
			said(err)
			continue
		}
		if !part.Media.Holds() {
			continue
		}
		held := *part.Media
		if held.Content != nil { // its data was removed
			held.Data, _ = held.Content.Base64()
			held.SHA256, held.Size, held.Content = "", 0, nil
		}
		if _, err := s.trial.Project.media.AttachLocal(part.Type, &held); err != nil {
			said(fmt.Errorf("it is %w", err))
		}
	}
}
