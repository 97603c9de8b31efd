package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// sighted is a model that is shown pictures and nothing else.
type sighted struct{ answer }

func (sighted) Takes(p *chat.Part) error {
	if p.Type != "image" {
		return errors.New("the API does not take " + p.Type)
	}
	return nil
}

// TestUnseenResults: what a tool returned and the model could not see as it is, is told.
func TestUnseenResults(t *testing.T) {
	t.Parallel()
	png, err := os.ReadFile(filepath.Join("..", "media", "testdata", "rgb.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		part       chat.Part
	}{
		{"a picture", "", chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: chat.Encode(png)}}},
		{"another type", "not what it is declared as: image/jpeg, and its bytes are png",
			chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/jpeg", Data: chat.Encode(png)}}},
		{"a sound", "the API does not take audio",
			chat.Part{Type: "audio", Media: &chat.Media{MIMEType: "audio/wav", Data: chat.Encode([]byte("RIFF"))}}},
		{"an address", "", chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", URL: "https://pictures.example/a.png"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client := sighted{func(_ context.Context, req *chat.Request) (chat.Reply, error) {
				if req.Origin.Reply > 0 {
					return chat.Reply{Content: "done", FinishReason: "stop"}, nil
				}
				return chat.Reply{FinishReason: "tool_calls", ToolCalls: []chat.ToolCall{{ID: "1", Name: "look", Args: map[string]any{}}}}, nil
			}}
			registry, err := tools.New([]*scenario.Tool{{
				Meta: scenario.Meta{ID: "look"}, Mode: scenario.ToolOfProgram, InputSchema: []byte(`{"type":"object"}`),
			}}, func(*scenario.Tool) (tools.Runner, error) {
				return tools.Runner{Run: func(context.Context, map[string]any) (chat.ToolResult, error) {
					return chat.ToolResult{Content: "here", Parts: []chat.Part{c.part}}, nil
				}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			plan := planOf(t, 1, client)
			plan.spans[0].Project.tools = tools.NewKit(registry)
			plan.spans[0].Prompt = &scenario.Prompt{AllowedTools: []string{"look"}}
			plan.spans[0].Endpoint.Simulated = false
			trial := listen(t, t.Context(), plan, 1).trial(t)
			told := strings.Join(trial.Warnings, "\n")
			if (c.want == "") != (told == "") || !strings.Contains(told, c.want) {
				t.Errorf("told %q, want %q (%s)", told, c.want, trial.Error)
			}
		})
	}
}

// TestMediaOfWorkers: the line of a trial that is run for somebody else has the bytes of its media in it.
func TestMediaOfWorkers(t *testing.T) {
	t.Parallel()
	data := chat.Encode(make([]byte, chat.InlineMedia+1))
	plan := planOf(t, 1, answer(func(context.Context, *chat.Request) (chat.Reply, error) {
		part := chat.Part{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: data}}
		return chat.Reply{Parts: []chat.Part{part}, FinishReason: "stop"}, nil
	}))
	single := NewSingle(plan, options(1))
	defer single.Close()
	_, line, _ := single.Run(t.Context(), 0)
	trial, err := result.DecodeLine(line)
	if err != nil {
		t.Fatal(err)
	}
	messages := trial.Turns[0].Messages
	if got := messages[len(messages)-1].Parts[0].Media; got.Data != data || got.SHA256 != "" {
		t.Errorf("%d characters, and the hash %q", len(got.Data), got.SHA256)
	}
}
