package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// TestPaint: an agent has the models of media as tools; what they make is in the result of the call, and what that
// costs is a part of the trial.
func TestPaint(t *testing.T) {
	t.Parallel()
	png, err := os.ReadFile(filepath.Join("..", "media", "testdata", "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, args, want, trial string
		simulated               bool
	}{
		{name: "made", args: `{"prompt":"a cat","size":"64x64"}`, want: `{"provider":"painter","mime_type":"image/png","count":1}`},
		{name: "without a prompt", args: `{"size":"64x64"}`, want: "invalid arguments for image__generate"},
		{name: "mocked", args: `{"prompt":"a cat"}`, simulated: true, trial: "a mock makes no media: give the call a result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var offered []string
			var told *chat.ToolResult
			agent := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
				for _, tool := range req.Tools {
					offered = append(offered, tool.Name)
				}
				if req.Origin.Reply > 0 {
					told = req.Messages[len(req.Messages)-1].ToolResult
					return chat.Reply{Content: "done", FinishReason: "stop", CostUSD: new(0.5)}, nil
				}
				args, bad := chat.ParseArgs(c.args)
				return chat.Reply{FinishReason: "tool_calls", CostUSD: new(0.5), ToolCalls: []chat.ToolCall{
					{ID: "1", Name: "image__generate", Args: args, BadArgs: bad},
				}}, nil
			})
			painter := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
				if req.Messages[0].Content != "a cat" || req.Extra["size"] != "64x64" || len(req.Messages) != 1 {
					t.Errorf("asked %+v", req)
				}
				part := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: chat.Encode(png)}}
				return chat.Reply{Parts: []chat.Part{part}, FinishReason: "stop", CostUSD: new(1.0)}, nil
			})
			spec := &scenario.Provider{Meta: scenario.Meta{ID: "painter"}, Type: "imagen", Role: "image"}
			plan := planOf(t, 1, agent)
			p := plan.spans[0].Project
			p.Providers = []*scenario.Provider{spec}
			registry, err := tools.New(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.tools = tools.NewKit(registry, paintOpener(p.Project))
			plan.spans[0].Prompt = &scenario.Prompt{}
			plan.spans[0].painters = []*Endpoint{{Spec: spec, Client: painter, Simulated: c.simulated}}
			trial := listen(t, t.Context(), plan, 1).trial(t)
			if c.trial != "" {
				if !strings.Contains(trial.Error, c.trial) {
					t.Errorf("error %q, want %q", trial.Error, c.trial)
				}
				return
			}
			if len(offered) == 0 || offered[0] != "image__generate" || told == nil {
				t.Fatalf("offered %v, told %v (%s)", offered, told, trial.Error)
			}
			if got := told.Content + told.Error; !strings.Contains(got, c.want) {
				t.Errorf("told %q, want %q", got, c.want)
			}
			usd := 1.0
			if c.name == "made" {
				usd = 2
				if len(told.Parts) != 2 || told.Parts[1].Media.MIMEType != "image/png" {
					t.Errorf("parts %+v", told.Parts)
				}
			}
			if trial.CostUSD == nil || *trial.CostUSD != usd {
				t.Errorf("cost %v, want %v", trial.CostUSD, usd)
			}
		})
	}
}
