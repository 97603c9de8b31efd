package open

import (
	"net/http"
	"slices"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/exec"
	"github.com/arena-evals/arena/internal/tools/live"
)

// modes are those of tools that can be called. Scenarios that need others are refused.
var modes = []string{"", "mock", "client", "exec", "live", scenario.ToolOfAgent, scenario.ToolOfProgram}

// World is what the tools of a project reach of it.
type World struct {
	HTTP     *http.Client           // nil: calls over HTTP are refused
	OnStderr func(who, line string) // gets the lines that programs write to stderr; nil: lines are dropped
	Media    *attach.Store          // nil: the files of canned results are not read
}

// Registry compiles the tools that the files of a project describe. It starts nothing.
func Registry(p *scenario.Project, w World) (*tools.Registry, error) {
	able := slices.DeleteFunc(slices.Clone(p.Tools), func(t *scenario.Tool) bool {
		return !slices.Contains(modes, t.Mode)
	})
	for i := range able {
		able[i] = withMedia(able[i], w.Media)
	}
	return tools.New(able, func(spec *scenario.Tool) (tools.Runner, error) {
		switch spec.Mode {
		case "live":
			return live.New(spec, w.HTTP, p.Getenv), nil
		case scenario.ToolOfProgram:
			return tools.Runner{Run: spec.Run}, nil
		}
		return exec.New(spec, exec.Host{Getenv: p.Getenv, OnStderr: w.OnStderr})
	})
}
