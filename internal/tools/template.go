package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template/parse"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// maxSteps is how often the parts of a mock_template may begin anew: rounds of its loops, and templates within it.
const maxSteps = 100_000

var (
	errLongMock = errors.New("its text is longer than 1 MiB")
	errManyMock = fmt.Errorf("it takes more than %d steps", maxSteps)
)

// brokenMockError says that a simulated tool has no answer. Its author erred, and not the agent.
type brokenMockError struct{ err error }

func (e brokenMockError) Error() string { return "mock_template: " + e.err.Error() }

func (e brokenMockError) Unwrap() error { return e.err }

// overdueError ends a simulated call that takes too long.
type overdueError struct{ limit time.Duration }

func (e overdueError) Error() string { return fmt.Sprintf("no answer within %s (timeout_ms)", e.limit) }

// mockTemplate is a template of which every loop ends: with the context, or where it would never.
type mockTemplate struct {
	template *template.Template
	limit    time.Duration // 0: none of its own
}

// parseMock prepares a template over the arguments of a tool.
func parseMock(name, text string) (*template.Template, error) {
	t, err := template.New(name).Funcs(template.FuncMap{
		"html":     func(args ...any) (string, error) { return bounded(template.HTMLEscaper(args...)) },
		"js":       func(args ...any) (string, error) { return bounded(template.JSEscaper(args...)) },
		"urlquery": func(args ...any) (string, error) { return bounded(template.URLQueryEscaper(args...)) },
		"print":    func(args ...any) (string, error) { return bounded(fmt.Sprint(args...)) },
		"println":  func(args ...any) (string, error) { return bounded(fmt.Sprintln(args...)) },
		"printf":   func(f string, args ...any) (string, error) { return bounded(fmt.Sprintf(f, args...)) },
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	for _, part := range t.Templates() {
		if part.Tree != nil && part.Root != nil {
			mark(part.Root)
			markLoops(part.Root)
		}
	}
	return t, nil
}

func bounded(s string) (string, error) {
	if len(s) > MaxResult {
		return "", errLongMock
	}
	return s, nil
}

// mark lets a part of a template write an empty text each time it begins, so that its writer can stop it.
func mark(part *parse.ListNode) {
	part.Nodes = append([]parse.Node{&parse.TextNode{NodeType: parse.NodeText, Pos: part.Pos}}, part.Nodes...)
}

// markLoops marks what a part of a template repeats.
func markLoops(part *parse.ListNode) {
	if part == nil {
		return
	}
	for _, n := range part.Nodes {
		var branch *parse.BranchNode
		switch n := n.(type) {
		case *parse.RangeNode:
			mark(n.List)
			branch = &n.BranchNode
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		default:
			continue
		}
		markLoops(branch.List)
		markLoops(branch.ElseList)
	}
}

// answer renders the template with these arguments.
func (m *mockTemplate) answer(ctx context.Context, args map[string]any) (chat.ToolResult, error) {
	if m.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, m.limit, overdueError{m.limit})
		defer cancel()
	}
	w := mockWriter{ctx: ctx}
	if err := m.template.Execute(&w, plain(args)); err != nil {
		return chat.ToolResult{}, brokenMockError{err}
	}
	text := strings.TrimSpace(w.text.String())
	if !json.Valid([]byte(text)) {
		wrapped, err := jsonvalue.Plain(map[string]string{"result": text})
		if err != nil {
			return chat.ToolResult{}, brokenMockError{err}
		}
		text = string(wrapped)
	}
	return chat.ToolResult{Content: Present([]byte(text))}, nil
}

// mockWriter collects the output of a template, within limits.
type mockWriter struct {
	ctx   context.Context // of the one call for which the writer is made
	text  strings.Builder
	steps int
}

func (w *mockWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		w.steps++
	}
	switch {
	case w.ctx.Err() != nil:
		return 0, context.Cause(w.ctx)
	case w.steps > maxSteps:
		return 0, errManyMock
	case w.text.Len()+len(p) > MaxResult:
		return 0, errLongMock
	}
	return w.text.Write(p)
}

// Template is a template over the arguments of a tool with its own escaping of values. Its loops are limited like those
// of mock templates.
type Template struct{ template *template.Template }

// ParseTemplate prepares a template. value writes what stands in for {{.name}}; it is given nil where a call has no
// such argument.
func ParseTemplate(name, text string, value func(v any) (string, error)) (*Template, error) {
	t, err := template.New(name).Funcs(template.FuncMap{writesValue: func(v any) (string, error) { return value(v) }}).
		Parse(text)
	if err != nil {
		return nil, err
	}
	for _, part := range t.Templates() {
		if part.Tree != nil && part.Root != nil {
			writeValues(part.Root)
			mark(part.Root)
			markLoops(part.Root)
		}
	}
	return &Template{t}, nil
}

// writesValue is the name of the function through which all goes that a template writes.
const writesValue = "_value"

func writeValues(part *parse.ListNode) {
	if part == nil {
		return
	}
	for _, n := range part.Nodes {
		var branch *parse.BranchNode
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				name := parse.NewIdentifier(writesValue).SetPos(n.Pos).SetTree(nil)
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{
					NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name},
				})
			}
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		case *parse.RangeNode:
			branch = &n.BranchNode
		default:
		}
		if branch != nil {
			writeValues(branch.List)
			writeValues(branch.ElseList)
		}
	}
}

// Text is what the template says to these arguments.
func (t *Template) Text(ctx context.Context, args map[string]any) (string, error) {
	w := mockWriter{ctx: ctx}
	exact := make(map[string]any, len(args))
	for name, v := range args {
		exact[name] = plain(v)
		if n, ok := v.(json.Number); ok && !strings.ContainsAny(n.String(), ".eE") {
			if _, small := exact[name].(int); !small {
				exact[name] = n.String() // an id of many digits keeps them
			}
		}
	}
	if err := t.template.Execute(&w, exact); err != nil {
		if inner, ok := errors.AsType[template.ExecError](err); ok && errors.Unwrap(inner.Err) != nil {
			return "", errors.Unwrap(inner.Err)
		}
		return "", err
	}
	return w.text.String(), nil
}
