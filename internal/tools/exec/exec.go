// Package exec runs the calls of tools by programs: one that is started for each call, or one that keeps running and
// answers call after call. A program sees of the environment what it was given, and ends with all that it started.
package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

const maxOutput = 10 << 20 // bytes of an answer

// Host is what programs need of their surroundings.
type Host struct {
	Getenv func(name string) (string, bool)
	// OnStderr receives the lines that a program writes to stderr, with the name of its tool, from any goroutine; nil:
	// nobody listens.
	OnStderr func(who, line string)
}

// New makes the runner of a tool of mode exec. It starts nothing.
func New(spec *scenario.Tool, host Host) (tools.Runner, error) {
	if spec.Exec == nil { // which loading has reported
		return tools.Runner{Run: func(context.Context, map[string]any) (chat.ToolResult, error) {
			return chat.ToolResult{}, errors.New("it names no program")
		}}, nil
	}
	p := &program{ExecTool: spec.Exec, name: spec.ID, env: sync.OnceValue(func() []string {
		return environment(spec.Exec, host.Getenv)
	})}
	if host.OnStderr != nil {
		p.onStderr = func(line string) { host.OnStderr("tool "+spec.ID, line) }
	}
	if !spec.Exec.Server {
		return tools.Runner{Run: p.run}, nil
	}
	o := &tools.Opener{Name: "tool " + spec.ID, Open: func() tools.Source { return newServer(p) }}
	if spec.Exec.Session {
		o.Scope = tools.PerSession
	}
	return tools.Runner{Opener: o}, nil
}

// program is how the program of a tool is started.
type program struct {
	*scenario.ExecTool
	name     string // of the tool
	env      func() []string
	onStderr func(line string) // see process.Command
}

func (p *program) command() *process.Command {
	return &process.Command{
		Path: p.Command, Args: p.Args, Dir: p.Dir, Env: p.env(), MaxStdout: maxOutput, OnStderr: p.onStderr,
	}
}

// environment is what a program sees: what every program needs, and what the file gives.
func environment(e *scenario.ExecTool, getenv func(name string) (string, bool)) []string {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	given := make([]string, len(e.Env))
	for i, entry := range e.Env {
		given[i] = entry
		if name, value, sets := strings.Cut(entry, "="); sets {
			given[i] = name + "=" + scenario.Expand(value, getenv).Text
		}
	}
	env, _ := process.Environment(getenv, given) // the plan reports what is missing
	return env
}

// overdueError ends a call that takes too long.
type overdueError struct{ limit time.Duration }

func (e overdueError) Error() string { return fmt.Sprintf("no answer within %s (timeout_ms)", e.limit) }

// run starts the program for one call.
func (p *program) run(ctx context.Context, args map[string]any) (chat.ToolResult, error) {
	stdin, err := line(map[string]any{"args": args})
	if err != nil {
		return chat.ToolResult{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.Timeout, overdueError{p.Timeout})
	defer cancel()
	c := p.command()
	c.Stdin = stdin
	out, err := c.Run(ctx)
	if err != nil {
		ended := process.Ended(p.Command, err, string(out.Stderr))
		if exit, ok := errors.AsType[*process.ExitError](err); ok && exit.Own() {
			return chat.ToolResult{}, ended
		}
		return chat.ToolResult{}, tools.NoAnswer(ended)
	}
	res, err := parseOutput(out.Stdout)
	if err != nil {
		return res, tools.NoAnswer(process.Ended(p.Command, err, string(out.Stderr)))
	}
	return res, nil
}

// line is a value as one line of JSON.
func line(v any) ([]byte, error) {
	data, err := jsonvalue.Plain(v)
	if err != nil {
		return nil, fmt.Errorf("the arguments cannot be written as JSON: %w", err)
	}
	return append(data, '\n'), nil
}

// parseOutput parses the output of a program for one call: one JSON value.
func parseOutput(stdout []byte) (chat.ToolResult, error) {
	stdout = bytes.TrimSpace(chat.WithoutBOM(stdout))
	switch {
	case !utf8.Valid(stdout):
		return chat.ToolResult{}, fmt.Errorf("its output is not valid UTF-8: %s", process.Excerpt(stdout))
	case len(stdout) == 0:
		return chat.ToolResult{}, errors.New("it printed nothing, expected one JSON value")
	}
	if _, err := chat.DecodeJSON(stdout); err != nil {
		return chat.ToolResult{}, fmt.Errorf("its output is not one JSON value (%w): %s", err, process.Excerpt(stdout))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(stdout, &fields) != nil { // a value that is no object
		return chat.ToolResult{Content: tools.Present(stdout)}, nil
	}
	if key, twice := jsonvalue.KeyTwiceAsWritten(stdout); twice {
		return chat.ToolResult{}, fmt.Errorf("its output has the key %q twice in one object: %s", key,
			process.Excerpt(stdout))
	}
	if problem := fields["error"]; given(problem) {
		return tools.Failure(chat.ToolCall{}, chat.ErrorExecution, tools.Present(problem)), nil
	}
	if given(fields["pending"]) {
		return chat.ToolResult{}, errors.New("it says that the call is pending, and nobody completes it in a test")
	}
	if result, there := fields["result"]; there {
		stdout = result
	}
	return resultOf(chat.ToolCall{}, stdout), nil
}

// resultOf is the result of a call, which may report its own failure.
func resultOf(call chat.ToolCall, result []byte) chat.ToolResult {
	if text, failed := tools.ReportedFailure(result); failed {
		return tools.Failure(call, chat.ErrorExecution, text)
	}
	return chat.ToolResult{Content: tools.Present(result)}
}

// given reports whether a field says something.
func given(raw json.RawMessage) bool {
	text := strings.TrimSpace(string(raw))
	return text != "" && text != "null" && text != `""` && text != "false"
}
