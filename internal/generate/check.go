package generate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// assertion writes the check of a verdict as its author declared it, or else by its recorded parameters. An error says
// why that is not possible.
func (g *Generator) assertion(a *recording.Verdict, surface scenario.Surface) (*node.Node, error) {
	n := g.declared.check(a)
	if n != nil {
		copied := *n // without the comments of its file
		copied.HeadComment, copied.LineComment, copied.FootComment = "", "", ""
		n = &copied
	} else {
		var err error
		if n, err = checkFromParams(a); err != nil {
			return nil, err
		}
	}
	if err := g.compiles(n, surface); err != nil {
		return nil, err
	}
	if a.Failed() && !a.Unanswered {
		n.HeadComment = strings.TrimSpace(header("failed when it was recorded: " + reason(a)))
	}
	return n, nil
}

// reason returns why a check failed.
func reason(a *recording.Verdict) string {
	for _, text := range []string{a.Explanation, a.Error, a.Message} {
		if text != "" {
			return text
		}
	}
	return "no reason was recorded"
}

// checkFromParams writes a check by its recorded parameters.
func checkFromParams(a *recording.Verdict) (*node.Node, error) {
	n := node.NewMap()
	node.Put(n, "type", node.Str(a.Type))
	if a.Message != "" && a.Message != a.Explanation {
		node.Put(n, "message", node.Str(scenario.Literal(a.Message)))
	}
	if len(a.Params) == 0 {
		return n, nil
	}
	params, err := chat.DecodeJSON(a.Params)
	if err != nil {
		return nil, fmt.Errorf("its parameters cannot be read: %w", err)
	}
	if params != nil {
		node.Put(n, "params", node.KeepLineEnds(node.FromJSON(EscapeBraces(params))))
	}
	return n, nil
}

// EscapeBraces escapes all braces in a value and in its keys, because recorded values hold no placeholders.
func EscapeBraces(v any) any {
	switch v := v.(type) {
	case string:
		return scenario.Literal(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = EscapeBraces(item)
		}
		return out
	case jsonvalue.Object:
		out := make(jsonvalue.Object, len(v))
		for key, member := range v {
			out[scenario.Literal(key)] = EscapeBraces(member)
		}
		return out
	}
	return v
}

// readsLatency reports whether a check reads latencies.
func (g *Generator) readsLatency(a *recording.Verdict) bool {
	n := g.declared.check(a)
	if n == nil {
		var err error
		if n, err = checkFromParams(a); err != nil {
			return false
		}
	}
	spec := &scenario.Check{Type: a.Type, Params: node.Get(n, "params")}
	c := g.compiler.Compile(spec, &diag.List{})
	if c == nil || c.Needs()&checks.NeedsUsage == 0 {
		return false
	}
	return c.Def.Name != "cost_budget" && c.Def.Name != "max_cost"
}

// compiles returns the reason why a check would not load.
func (g *Generator) compiles(n *node.Node, surface scenario.Surface) error {
	kind := node.Get(n, "type").Value
	spec := &scenario.Check{Surface: surface, Type: kind, Params: node.Get(n, "params")}
	var problems diag.List
	if g.compiler.Compile(spec, &problems); problems.Errors() == 0 {
		return nil
	}
	first := problems.Sorted()[0]
	if spec.Params == nil && first.Code == "missing-parameter" {
		return errors.New("its parameters were not recorded")
	}
	return errors.New(first.Msg)
}

// asksModel reports whether a judge grades the check, in words that differ each time.
func asksModel(kind string) bool {
	d, known := checks.Lookup(kind)
	return known && d.Needs&checks.NeedsModel != 0
}
