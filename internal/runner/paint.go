package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/own"
)

// Image and video models: in a project with a model of role image or video, an agent gets a tool for it.

// paintersOf opens the media models for an agent. With a simulated agent, one that cannot be opened is not an error: it
// is seldom called.
func (m *matrix) paintersOf(p *scenario.Project, s *scenario.Scenario, agent *Endpoint) (all []*Endpoint) {
	if s.Skip != "" || agent.Spec.Makes() != "" || agent.Spec.IsAgent() {
		return nil
	}
	specs := own.MediaMakers(p)
	for _, what := range []string{"image", "video"} {
		spec := specs[what]
		if spec == nil {
			continue
		}
		told := m.diags
		if agent.Simulated {
			m.diags = &diag.List{}
		}
		e := m.endpoint(p, spec)
		if m.diags = told; e != nil {
			all = append(all, e)
		}
	}
	return all
}

// paintSource lists the tools of the models of a project. Sessions run their calls.
type paintSource []chat.Tool

// paintOpener is the source of the tools of a project that make media; nil: it has none.
func paintOpener(p *scenario.Project) *tools.Opener {
	var list paintSource
	specs := own.MediaMakers(p)
	for _, what := range []string{"image", "video"} {
		if specs[what] != nil {
			list = append(list, own.Media()[what])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &tools.Opener{Name: "models of media", Open: func() tools.Source { return list }, Always: true}
}

// List implements tools.Source.
func (l paintSource) List(context.Context) ([]chat.Tool, error) { return l, nil }

// Call implements tools.Source.
func (l paintSource) Call(_ context.Context, call chat.ToolCall) chat.ToolResult {
	return tools.Failure(call, chat.ErrorUnavailable, call.Name+" makes media within a run alone")
}

// Close implements tools.Source.
func (l paintSource) Close() error { return nil }

// paints reports whether a tool generates media.
func (s *session) paints(tool string) bool {
	return own.MediaSignatures()[tool] != nil && slices.Contains(s.trial.Project.OwnTools(), tool)
}

// painted is the tool result that describes generated media.
type painted struct {
	Provider string `json:"provider"`
	MIME     string `json:"mime_type"`
	Count    int    `json:"count"`
}

// painter is the model behind a tool; nil: none.
func (t *Trial) painter(tool string) *Endpoint {
	for _, e := range t.painters {
		if scenario.MediaTool(cmp.Or(e.Spec.Makes(), e.Spec.Role)) == tool {
			return e
		}
	}
	return nil
}

// mockPaints reports whether the agent is a mock whose replies call a media model.
func (t *Trial) mockPaints() (asks bool) {
	file := t.Endpoint.Spec.Mock
	if t.Project.Mock != nil { // it replaces those of the providers
		file = t.Project.Mock
	}
	if len(t.painters) == 0 {
		return false
	}
	t.Scenario.EachMockReply(file, func(r *scenario.MockReply) {
		for i := range r.ToolCalls {
			e := t.painter(r.ToolCalls[i].Name)
			_, came := r.Results[i]
			asks = asks || e != nil && !e.Simulated && !came
		}
	})
	return asks
}

// paint generates a medium. Its usage is part of that of the agent.
func (s *session) paint(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	if res, ok := s.preview.standIn(s, call); ok {
		return res
	}
	if call.Args == nil {
		return tools.Failure(call, chat.ErrorValidation, chat.ArgsProblem(call.BadArgs)+": "+call.BadArgs)
	}
	args, err := own.MediaSignatures()[call.Name].Take(call.Args)
	if err != nil {
		return tools.Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid arguments for %s: %v", call.Name, err))
	}
	e := s.trial.painter(call.Name)
	switch {
	case e == nil:
		return tools.Failure(call, chat.ErrorMock, call.Name+": the provider that it asks could not be opened")
	case e.Simulated:
		return tools.Failure(call, chat.ErrorMock, call.Name+
			": a mock makes no media: give the call a result in the mock reply")
	}
	reply, err := s.timed(ctx, e, s.paintRequest(e, call.Name, args), nil, nil)
	if err != nil {
		s.spend.addFailed(err)
		if missing := s.recorder.Err(); missing != nil {
			return tools.Failure(call, chat.ErrorMock, missing.Error())
		}
		return tools.Failure(call, chat.ErrorExecution, cmp.Or(said(err), err.Error()))
	}
	s.spend.add(&reply)
	s.noteReply(e, &reply, max(len(s.out.Turns)-1, 0))
	out := painted{Provider: e.Spec.ID}
	for _, p := range reply.Parts {
		if p.Media != nil {
			out.MIME, out.Count = cmp.Or(out.MIME, p.Media.MIMEType), out.Count+1
		}
	}
	text, err := jsonvalue.Plain(out)
	if err != nil {
		return tools.Failure(call, chat.ErrorExecution, err.Error())
	}
	return chat.ToolResult{
		ID: call.ID, Name: call.Name, Content: string(text), LatencyMS: reply.LatencyMS,
		Parts: append([]chat.Part{{Type: "text", Text: string(text)}}, reply.Parts...),
	}
}

// said is the error of a failed call as the agent sees it; "": not an error of a provider.
func said(err error) string {
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		return failed.Error()
	}
	return ""
}

func (s *session) paintRequest(e *Endpoint, tool string, args map[string]any) *chat.Request {
	sc, spec := s.trial.Scenario, e.Spec
	extra := jsonvalue.Object{}
	maps.Copy(extra, spec.Body)
	for name, v := range args {
		if text, _ := v.(string); name != "prompt" && strings.TrimSpace(text) != "" {
			extra[name] = v
		}
	}
	prompt, _ := args["prompt"].(string)
	return &chat.Request{
		Messages: []chat.Message{{Role: chat.User, Content: prompt}}, Extra: extra,
		Origin: chat.Origin{
			Scenario: sc.ID, ScenarioAlias: sc.Alias, Region: s.trial.Region, Trial: s.trial.N,
			Repetition: s.trial.Repetition(), Turn: len(s.out.Turns), Tool: tool,
		},
	}
}
