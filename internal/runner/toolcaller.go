package runner

import (
	"context"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// toolCaller lets the checks of a trial ask the tools of its project.
type toolCaller struct{ s *session }

func (t toolCaller) Has(name string) bool { return t.s.trial.Project.tools.Has(name) }

func (t toolCaller) Fits(name string, args map[string]any) error {
	return t.s.trial.Project.tools.Fits(name, args)
}

func (t toolCaller) Call(ctx context.Context, name string, args map[string]any) chat.ToolResult {
	began := t.s.opts.Now()
	res := t.s.trial.Project.tools.Call(ctx, chat.ToolCall{Name: name, Args: args})
	if !t.s.clock.simulated {
		res.LatencyMS = milliseconds(t.s.opts.Now().Sub(began))
	}
	return res
}

// toolUses reports the calls of chosen scenarios' checks that cannot work: of a tool that the project does not have,
// or with arguments that the tool refuses.
func (m *matrix) toolUses(p *project, chosen []*scenario.Scenario) {
	if len(chosen) > 0 {
		m.toolUsesOf(p, p.Globals)
	}
	for _, s := range chosen {
		if s.Skip != "" {
			continue
		}
		m.toolUsesOf(p, s.Conversation)
		for i := range s.Turns {
			m.toolUsesOf(p, s.Turns[i].Assertions)
		}
	}
}

func (m *matrix) toolUsesOf(p *project, list []scenario.Placed) {
	for _, c := range list {
		check, ok := c.Compiled.(*checks.Compiled)
		if !ok { // its problem is reported already
			continue
		}
		for _, use := range check.ToolUses() {
			m.toolUse(p, check, use)
		}
	}
}

func (m *matrix) toolUse(p *project, c *checks.Compiled, use *checks.ToolUse) {
	width := utf8.RuneCountInString(use.Name)
	if !p.tools.Has(use.Name) {
		m.diags.Errorf(use.Pos, width, "unknown-tool", "%s: there is no tool %q to call", c.Type, use.Name).Hint =
			missingTool(p, use.Name)
		return
	}
	if err := p.tools.Takes(use.Name, use.Args); err != nil {
		m.diags.Errorf(use.Pos, width, "bad-arguments", "%s: %s does not take these arguments: %v", c.Type, use.Name, err)
	}
}

// missingTool says what to do about a tool that cannot be called.
func missingTool(p *project, name string) string {
	for _, t := range p.Tools {
		if t.Is(name) {
			return "this version of arena cannot run tools of mode " + t.Mode + " yet"
		}
	}
	if hint := diag.DidYouMean(name, p.tools.Names()); hint != "" {
		return hint
	}
	return "list its file under tools in the arena file"
}
