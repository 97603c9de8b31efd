package checks

import (
	"context"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// The scopes of a check without a file: it is compiled as a turn assertion, or as a conversation assertion.
const (
	ScopeTurn    = "turn"
	ScopeSession = "session"
)

// Try judges one text with one check. params is the parameters as JSON; "": none. Without a verdict the check could not
// be compiled; with one, the problems are warnings. Their positions are in the text of params.
func Try(ctx context.Context, name, params, output, scope string) (*result.Verdict, []diag.Diagnostic) {
	compiled, problems := compileJSON(&Compiler{}, name, params, scope, nil)
	if compiled == nil {
		return nil, problems
	}
	free := 0.0
	said := chat.Message{Role: chat.Assistant, Content: output}
	if output == "" { // no agent was called
		said.CostUSD, said.Usage = &free, &chat.Usage{}
	}
	s := &Subject{Messages: []chat.Message{{Role: chat.User}, said}, Session: scope == ScopeSession}
	if s.Session {
		s.Turn = -1
	}
	verdict := compiled.Judge(ctx, s)
	return &verdict, problems
}

// paramsFile is the file name in positions of problems with parameters that are not from a file.
const paramsFile = "params.json"

// compileJSON is [Compiler.CompileJSON] for a check that is built in.
func compileJSON(c *Compiler, name, params, scope string, when *scenario.When) (*Compiled, []diag.Diagnostic) {
	return c.CompileJSON(&JSONCheck{Type: name, Params: params, Scope: scope, When: when})
}

// JSONCheck is a check without a file.
type JSONCheck struct {
	Type     string
	Params   string // JSON; "" for none
	Scope    string
	When     *scenario.When
	Handlers map[string]*scenario.Handler // check types that the project declares
}

// CompileJSON compiles a check whose parameters are JSON text. Without a compiled check the problems say why; with one
// they are warnings.
func (c *Compiler) CompileJSON(j *JSONCheck) (*Compiled, []diag.Diagnostic) {
	var problems diag.List
	spec := scenario.Check{
		Type: j.Type, Pos: diag.Pos{File: paramsFile}, Handlers: j.Handlers, When: j.When, Settled: true, // no template
	}
	spec.ParamsPos = diag.Pos{File: paramsFile, Line: 1, Col: 1}
	switch j.Scope {
	case ScopeTurn:
	case ScopeSession:
		spec.Surface = scenario.ConversationAssertion
	default:
		problems.Errorf(spec.Pos, 1, "unknown-value", "scope cannot be %q; expected %s or %s", j.Scope, ScopeTurn,
			ScopeSession)
	}
	if strings.TrimSpace(j.Params) != "" {
		docs := node.Parse(&node.Reader{File: paramsFile, Diags: &problems}, []byte(j.Params))
		if len(docs) > 0 {
			spec.Params = docs[0]
		}
		if len(docs) > 1 {
			problems.Errorf(spec.Pos, 1, "second-document", "the parameters are one document, found %d", len(docs))
		}
	}
	var compiled *Compiled
	if problems.Errors() == 0 {
		compiled = c.Compile(&spec, &problems)
	}
	return compiled, problems.Sorted()
}
