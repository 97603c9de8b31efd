package conformance

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// meantTurned are checks that ask the same of all that the agent does, and that a not over them is meant to find one
// that is otherwise.
var meantTurned = map[string]string{
	"valid_tool_call":            "some call is not valid",
	"invariant_fields_preserved": "some call changes a field",
}

// TestTurnedByMore: if an additional action of the agent makes a check fail, a not over it bans nothing, because it
// passes as soon as something else happens. There must be a warning for each such check.
func TestTurnedByMore(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, d := range checks.Builtin() {
		for _, x := range readExamples(t, d) {
			if x.Want != "passed" || x.When != nil || d.Scope == checks.WholeAlways {
				continue
			}
			c := compileOnly(t, &x, scenario.TurnAssertion)
			if c.MinScore != nil || c.MaxScore != nil {
				continue // its degrees count
			}
			for what, more := range furtherThings {
				s, _ := (&Vector{Context: x.vectorContext, Tools: x.Tools}).subject(x.Scope)
				if judges := x.judges(); judges != nil {
					s.Judges = judges
				}
				more(s)
				if v := c.Judge(t.Context(), s); v.Status != result.Failed {
					continue
				}
				met[d.Name] = true
				for _, least := range []*float64{nil, new(0.0), new(0.5)} {
					if told := toldTurned(t, &x, least); meantTurned[d.Name] == "" && len(told) != 1 {
						t.Errorf("%s (%s): %s makes it fail, and of a not over it is told %v", d.Name, x.Name, what, told)
					}
				}
			}
		}
	}
	for _, name := range []string{"tool_calls_with_args", "tool_call_f1", "image_format", "video_duration", "tool_call_count"} {
		if !met[name] {
			t.Errorf("no example of %s was tried", name)
		}
	}
	for name := range meantTurned {
		if !met[name] {
			t.Errorf("%s is an exception, and none is needed", name)
		}
	}
}

func compileOnly(t *testing.T, x *example, surface scenario.Surface) *checks.Compiled {
	t.Helper()
	var problems diag.List
	spec := &scenario.Check{Type: x.Type, Pos: x.paramsPos, Params: x.params, ParamsPos: x.paramsPos, Surface: surface}
	c := (&checks.Compiler{}).Compile(spec, &problems)
	if c == nil {
		t.Fatal(problems.Sorted())
	}
	return c
}

// toldTurned returns the warnings for a not over an example, with a min_score next to the not.
func toldTurned(t *testing.T, x *example, least *float64) (told []diag.Diagnostic) {
	t.Helper()
	scalar := func(text string) *node.Node { return &node.Node{Kind: node.Scalar, Tag: "!!str", Value: text} }
	inner := &node.Node{Kind: node.Map, Content: []*node.Node{scalar("type"), scalar(x.Type)}}
	if x.params != nil {
		inner.Content = append(inner.Content, scalar("params"), x.params)
	}
	params := &node.Node{Kind: node.Map, Content: []*node.Node{scalar("check"), inner}}
	spec := &scenario.Check{Type: "not", Pos: x.paramsPos, Params: params, ParamsPos: x.paramsPos, MinScore: least}
	var problems diag.List
	if (&checks.Compiler{}).Compile(spec, &problems) == nil {
		t.Fatal(x.Type, x.Name, problems.Sorted())
	}
	return slices.DeleteFunc(problems.Sorted(), func(d diag.Diagnostic) bool { return d.Code != "turned-round" })
}

// furtherThings are additional actions of an agent.
var furtherThings = map[string]func(*checks.Subject){
	"another call": func(s *checks.Subject) {
		for _, call := range slices.Clone(s.Calls) {
			call.Args, call.Result, call.Parts = map[string]any{"zz": "other"}, "other", nil
			s.Calls = append(s.Calls, call)
		}
	},
	"another medium": func(s *checks.Subject) {
		i := slices.IndexFunc(s.Messages, func(m chat.Message) bool { return m.Role == chat.Assistant && len(m.Parts) > 0 })
		if i < 0 {
			return
		}
		s.Messages = slices.Clone(s.Messages)
		more := slices.Clone(s.Messages[i].Parts)
		for j := range more {
			if more[j].Media != nil {
				more[j].Media = &chat.Media{MIMEType: more[j].Type + "/other"}
			}
		}
		s.Messages[i].Parts = append(more, s.Messages[i].Parts...)
	},
}
