package checks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/say"
)

var toolExecDef = define[toolExecParams](Def{
	Name:    "tool_exec",
	Summary: "A tool of the project, called by the check itself, succeeds, whether agents are offered it or not.",
	Scoring: "1 when the tool gives no error in time and its result fits the patterns, else 0. A check that passes at " +
		"0, by max_score or below not, needs an answer of the tool: without one it is an error.",
	Family:   FamilyTools,
	Surfaces: OnAssertion | OnEval,
	Scope:    WholeAlways,
	Needs:    NeedsTool,
	Reads:    ReadsNothing,
})

type toolExecParams struct {
	Tool string              `param:"tool,required" is:"tool to call" doc:"The tool to call."`
	Args map[string]anyValue `param:"args" doc:"Its arguments, passed as they are; none when left out."`

	TimeoutSeconds float64 `param:"timeout_seconds" default:"120" above:"0" max:"86400" doc:"How long the tool may take."`
	SuccessPattern pattern `param:"success_pattern" any:"idle" doc:"What the result must match."`
	FailurePattern pattern `param:"failure_pattern" any:"decides" doc:"What the result must not match."`
}

func (p toolExecParams) Build(b *binder) Check {
	c := &toolExec{
		use:     ToolUse{Name: p.Tool, Args: make(map[string]any, len(p.Args)), Pos: b.r.Pos(b.read["tool"])},
		timeout: time.Duration(p.TimeoutSeconds * float64(time.Second)),
		success: p.SuccessPattern.Regexp, failure: p.FailurePattern.Regexp,
	}
	for name, v := range p.Args {
		c.use.Args[name] = v.v
	}
	return c
}

// ToolUse is a call that a check makes, so that the plan can refuse a call that cannot work.
type ToolUse struct {
	Name string
	Args map[string]any
	Pos  diag.Pos // of the name
}

// ToolUses are the calls that the check, or one within it, makes.
func (c *Compiled) ToolUses() (uses []*ToolUse) {
	if exec, ok := c.Check.(*toolExec); ok {
		uses = append(uses, &exec.use)
	}
	for _, part := range c.Nested() {
		uses = append(uses, part.ToolUses()...)
	}
	return uses
}

func (c *toolExec) scoreOfMatch() float64 { return 0 } // a result that matches failure_pattern fails

type toolExec struct {
	use              ToolUse
	timeout          time.Duration
	success, failure *regexp.Regexp // nil: not given
}

func (c *toolExec) Eval(ctx context.Context, s *Subject) (Finding, error) {
	switch {
	case s.Tools == nil:
		return Finding{}, errors.New("no tools can be called here")
	case stateGone(s.Tools, c.use.Name):
		return Finding{}, fmt.Errorf("not known: the conversation is over, and what it left behind in %s is gone; another "+
			"call would judge something else: judge it in the run itself", c.use.Name)
	case !s.Tools.Has(c.use.Name):
		return Finding{}, fmt.Errorf("the project has no tool %q", c.use.Name)
	}
	if t, ok := s.Tools.(interface {
		Takes(name string, args map[string]any) error
	}); ok {
		if err := t.Takes(c.use.Name, c.use.Args); err != nil {
			return Finding{}, fmt.Errorf("%s was not called, for it does not take these arguments: %w", c.use.Name, err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	res := s.Tools.Call(limited, c.use.Name, c.use.Args)
	if err := ctx.Err(); err != nil {
		return Finding{}, err
	}
	if res.ErrorType == chat.ErrorMock {
		return Finding{}, fmt.Errorf("tool %s", res.Error)
	}
	f := c.judge(&res, res.Error != "" && limited.Err() != nil)
	f.silent = res.Error != "" && (limited.Err() != nil || res.ErrorType != chat.ErrorExecution && res.ErrorType != "")
	return f, nil
}

// stateGone reports whether a call of a tool would not see the state at the end of the conversation.
func stateGone(tools ToolCaller, name string) bool {
	t, ok := tools.(interface{ StateGone(name string) bool })
	return ok && t.StateGone(name)
}

func (c *toolExec) judge(res *chat.ToolResult, late bool) Finding {
	result := newToolText(res.Text(), unmasked)
	f := Finding{Details: Details{
		"tool": c.use.Name, "latency_ms": res.LatencyMS, "result": parsedResult(res.Text()),
	}}
	says := ": " + say.Quote(result.text)
	switch {
	case late:
		f.Explanation = fmt.Sprintf("%s gave no result within %s", c.use.Name, c.timeout)
	case res.Error != "":
		f.Explanation = c.use.Name + " failed: " + say.Quote(res.Error)
		f.Details["error"] = say.Content(res.Error)
	case c.failure != nil && result.matches(c.failure):
		f.Explanation = "the result of " + c.use.Name + " matches the failure_pattern " + say.Quote(c.failure.String()) + says
	case c.success != nil && !result.matches(c.success):
		f.doubt = result.doubt()
		f.Explanation = "the result of " + c.use.Name + " does not match the success_pattern " +
			say.Quote(c.success.String()) + says
	default:
		if c.failure != nil {
			f.doubt = result.doubt()
		}
		f.Score, f.Explanation = 1, c.use.Name+" succeeded"+says
	}
	return f
}

// parsedResult returns a result for details, decoded when it is JSON. An object or list within a JSON string is decoded
// as well.
func parsedResult(text string) any {
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return say.Cut(text, say.KeptLimit)
	}
	if inner, ok := v.(string); ok {
		if w, ok := structured(inner); ok {
			return say.Kept(w)
		}
	}
	return say.Kept(v)
}

// structured decodes a text that is a JSON object or list.
func structured(text string) (any, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	v, err := chat.DecodeJSON([]byte(trimmed))
	return v, err == nil
}
