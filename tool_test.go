package arena_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// TestTools: a tool that is written in Go is run in place of the one in the files.
func TestTools(t *testing.T) {
	t.Parallel()
	agents := map[string]arena.Agent{"mine": arena.AgentFunc(seller)}
	for want, tool := range map[string]arena.ToolFunc{
		"It costs 49.99 EUR for a glass teapot.": func(_ context.Context, args map[string]any) (any, error) {
			return "49.99 EUR for a " + args["article"].(string), nil
		},
		"It costs {\n  \"eur\": 49.99\n}.": func(_ context.Context, args map[string]any) (any, error) {
			args["article"] = "changed" // they are its own
			return map[string]float64{"eur": 49.99}, nil
		},
	} {
		res := run(t, arena.Options{Dir: agentFiles(t), Agents: agents, Tools: map[string]arena.ToolFunc{"price": tool}})
		if got := res.Trials[0].Turns[0].Assistant; res.ExitCode != 0 || got != want {
			t.Errorf("%q, want %q: %s", got, want, failuresOf(res))
		}
	}
	for want, tool := range map[string]arena.ToolFunc{
		"the shop is closed": func(context.Context, map[string]any) (any, error) {
			return nil, errors.New("the shop is closed")
		},
		"out of tea": func(context.Context, map[string]any) (any, error) { panic("out of tea") },
		"the result cannot be written as JSON": func(context.Context, map[string]any) (any, error) {
			return func() {}, nil
		},
	} {
		res := run(t, arena.Options{Dir: agentFiles(t), Agents: agents, Tools: map[string]arena.ToolFunc{"price": tool}})
		if got := res.Trials[0].Turns[0].Tools[0].Error; res.ExitCode == 0 || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestToolOptions: a tool of the program that no file describes is refused, and so is one without a function.
func TestToolOptions(t *testing.T) {
	t.Parallel()
	tool := func(context.Context, map[string]any) (any, error) { return "", nil }
	for want, tools := range map[string]map[string]arena.ToolFunc{
		`Tools: no file describes a tool "pric" [unknown-tool]`: {"pric": tool},
		`did you mean "price"?`:                                 {"pric": tool},
		`Tools["price"] must be a function`:                     {"price": nil},
	} {
		_, err := arena.Run(t.Context(), arena.Options{Dir: agentFiles(t), Tools: tools,
			Agents: map[string]arena.Agent{"mine": arena.AgentFunc(seller)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
