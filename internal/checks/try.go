package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Try judges one text with one check. params is the parameters as JSON, "" for none; scope is turn or session. Without
// a verdict the check could not be compiled; with one, the problems are warnings. Their positions are in the text of
// params.
func Try(ctx context.Context, name, params, output, scope string) (*result.Verdict, []diag.Diagnostic) {
	compiled, problems := compileJSON(&Compiler{}, name, params, scope, nil)
	if compiled == nil {
		return nil, problems
	}
	verdict := compiled.Judge(ctx, (&vectorContext{Output: &output}).subject(scope))
	return &verdict, problems
}

// paramsFile stands for the file in the positions of problems with parameters that come from no file.
const paramsFile = "params.json"

// compileJSON compiles a check whose parameters are JSON text. The problems may be warnings only.
func compileJSON(c *Compiler, name, params, scope string, when *vectorWhen) (*Compiled, []diag.Diagnostic) {
	return compileWith(nil, c, name, params, scope, when)
}

// compileWith is compileJSON in a project that declares check types.
func compileWith(
	handlers map[string]*scenario.Handler, c *Compiler, name, params, scope string, when *vectorWhen,
) (*Compiled, []diag.Diagnostic) {
	var problems diag.List
	spec := scenario.Check{Type: name, Pos: diag.Pos{File: paramsFile}, Handlers: handlers, Settled: true} // no template
	spec.ParamsPos = diag.Pos{File: paramsFile, Line: 1, Col: 1}
	switch scope {
	case scopeTurn:
	case scopeSession:
		spec.Surface = scenario.ConversationAssertion
	default:
		problems.Errorf(spec.Pos, 1, "unknown-value", "scope cannot be %q; expected %s or %s", scope, scopeTurn, scopeSession)
	}
	if strings.TrimSpace(params) != "" {
		docs := node.Parse(&node.Reader{File: paramsFile, Diags: &problems}, []byte(params))
		if len(docs) > 0 {
			spec.Params = docs[0]
		}
		if len(docs) > 1 {
			problems.Errorf(spec.Pos, 1, "second-document", "the parameters are one document, found %d", len(docs))
		}
	}
	if when != nil {
		spec.When = &scenario.When{
			ToolCalled: when.ToolCalled, ToolCalledPattern: when.ToolCalledPattern, AnyToolCalled: when.AnyToolCalled,
			MinToolCalls: when.MinToolCalls,
		}
	}
	var compiled *Compiled
	if problems.Errors() == 0 {
		compiled = c.Compile(&spec, &problems)
	}
	return compiled, problems.Sorted()
}
