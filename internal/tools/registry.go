// Package tools runs the tools that an agent calls. Every failure of a call is an error result for the model, except
// that of a simulated tool without an answer (chat.ErrorMock), which ends the conversation.
package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// MaxResult is the size limit of the text of a result in bytes. Longer text is cut.
const MaxResult = 1 << 20

// Registry holds the compiled tools of one project. It is immutable and safe for concurrent use.
type Registry struct {
	byName map[string]*tool
	names  []string // sorted
}

// tool is one compiled tool.
type tool struct {
	spec   *scenario.Tool // nil: no file describes it
	offer  chat.Tool
	input  *schema
	output *schema // nil: results are not validated
	run    func(ctx context.Context, args map[string]any) (chat.ToolResult, error)
	opener *Opener // of the source that runs it; nil: run does
}

// Runner runs the calls of a tool that a file describes: by a function, or by a source that it has its state from.
type Runner struct {
	// Run gets arguments that fit the input_schema. A result with an error of its own is one; so is the Go error, of
	// type execution.
	Run    func(ctx context.Context, args map[string]any) (chat.ToolResult, error)
	Opener *Opener
}

// Modes makes the runners of tools that are not simulated, by their mode.
type Modes func(spec *scenario.Tool) (Runner, error)

// New compiles the tools of a project. Schemas and templates were checked when the project was loaded; an error names
// the tool. Without modes there are simulated tools only.
func New(specs []*scenario.Tool, modes Modes) (*Registry, error) {
	r := &Registry{byName: make(map[string]*tool, len(specs))}
	for _, spec := range specs {
		t, err := compile(spec, modes)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", spec.ID, err)
		}
		r.byName[spec.ID] = t
		r.names = append(r.names, spec.ID)
	}
	slices.Sort(r.names)
	return r, nil
}

func compile(spec *scenario.Tool, modes Modes) (*tool, error) {
	t := &tool{spec: spec, offer: chat.Tool{Name: spec.ID, Description: spec.Description, Schema: spec.InputSchema}}
	var err error
	if t.input, err = compileSchema(spec.InputSchema); err != nil {
		return nil, fmt.Errorf("input_schema: %w", err)
	}
	if t.output, err = compileSchema(spec.OutputSchema); err != nil {
		return nil, fmt.Errorf("output_schema: %w", err)
	}
	if !simulated(spec) {
		if modes == nil {
			return nil, fmt.Errorf("mode %s is not available", spec.Mode)
		}
		r, err := modes(spec)
		t.run, t.opener = r.Run, r.Opener
		return t, err
	}
	if spec.Client != nil && !spec.Client.ValidateOutput {
		t.output = nil
	}
	if spec.Agent != nil {
		t.run, err = compileAgent(spec.Agent)
		return t, err
	}
	t.run, err = compileMock(spec)
	return t, err
}

// Names lists the tools, sorted.
func (r *Registry) Names() []string { return r.names }

// Offered returns the tools that a prompt allows, sorted by name. An allowed name may end in *, and then allows all
// tools with that prefix. Those that ask agents need not be allowed.
func (r *Registry) Offered(allowed []string) []chat.Tool {
	var out []chat.Tool
	for _, name := range r.names {
		t := r.byName[name]
		if t.spec.Agent != nil || slices.ContainsFunc(allowed, func(a string) bool { return matches(a, name) }) {
			out = append(out, t.offer)
		}
	}
	return out
}

func matches(pattern, name string) bool {
	prefix, wild := strings.CutSuffix(pattern, "*")
	return pattern == name || wild && strings.HasPrefix(name, prefix)
}

// simulated reports whether the results of a tool are in its file.
func simulated(spec *scenario.Tool) bool {
	return spec.Mode == "" || spec.Mode == "mock" || spec.Mode == "client" || spec.Agent != nil
}

// Simulated reports whether the results of a tool are in its file. It is false for a tool without a file.
func (r *Registry) Simulated(name string) bool {
	t := r.byName[name]
	return t != nil && simulated(t.spec)
}

// Unredacted are the fields that a tool should redact and that no answer had, and whether there were answers.
func (r *Registry) Unredacted(name string) (fields []string, answered bool) {
	if t := r.byName[name]; t != nil && t.opener != nil && t.opener.Unredacted != nil {
		return t.opener.Unredacted()
	}
	return nil, false
}

// Client is how a tool of the user's side behaves; nil for other tools and for unknown names.
func (r *Registry) Client(name string) *scenario.ClientTool {
	if t := r.byName[name]; t != nil {
		return t.spec.Client
	}
	return nil
}

// Agent is the simulated agent that a tool asks, by its name in the config; "" for other tools and for unknown names.
func (r *Registry) Agent(name string) string {
	if t := r.byName[name]; t != nil && t.spec.Agent != nil {
		return t.spec.Agent.Agent
	}
	return ""
}

// Definition is a hash of what a simulated tool answers: its template, result and parts, or rules. It is "" for other
// tools and for unknown names.
func (r *Registry) Definition(name string) string {
	t := r.byName[name]
	if t == nil || !simulated(t.spec) {
		return ""
	}
	says := []any{t.spec.MockTemplate, string(t.spec.MockResult), t.spec.MockParts}
	if t.spec.Agent != nil {
		says = []any{t.spec.Agent}
	}
	data, err := json.Marshal(says)
	if err != nil { // cannot happen with what a file held
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Generic reports whether a tool answers with arena's generic text, because no file has its answers.
func (r *Registry) Generic(name string) bool {
	t := r.byName[name]
	return t != nil && simulated(t.spec) && t.spec.Agent == nil && t.spec.MockTemplate == "" && t.spec.MockResult == nil &&
		len(t.spec.MockParts) == 0
}

// call runs the tool, by way of the source that it has its state from, if it has any.
func (t *tool) call(ctx context.Context, from Source, call chat.ToolCall) chat.ToolResult {
	if call.Args == nil {
		return Failure(call, chat.ErrorValidation, chat.ArgsProblem(call.BadArgs)+": "+shorten(call.BadArgs))
	}
	args := t.input.coerce(call.Args)
	if err := t.input.validate(args); err != nil {
		return Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid arguments for %s: %v", call.Name, err))
	}
	res, err := t.safely(ctx, from, call, args)
	if err != nil {
		kind := chat.ErrorExecution
		if _, broken := errors.AsType[brokenMockError](err); broken && ctx.Err() == nil {
			kind = chat.ErrorMock
		}
		if _, silent := errors.AsType[noAnswerError](err); silent {
			kind = chat.ErrorUnavailable
		}
		return Failure(call, kind, fmt.Sprintf("%s: %v", call.Name, err))
	}
	if err := t.output.validateText(res.Content); err != nil && len(res.Parts) == 0 && res.Error == "" {
		return Failure(call, chat.ErrorValidation, fmt.Sprintf("invalid result of %s: %v", call.Name, err))
	}
	res.ID, res.Name = call.ID, call.Name
	res.Content, res.Error = cut(res.Content), cut(res.Error)
	return res
}

// safely turns a panic into an error. Hostile arguments may cause one in a template.
func (t *tool) safely(
	ctx context.Context, from Source, call chat.ToolCall, args map[string]any,
) (res chat.ToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = brokenMockError{fmt.Errorf("the tool crashed: %v", p)}
		}
	}()
	if from != nil {
		call.Args = args
		return from.Call(ctx, call), nil
	}
	return t.run(ctx, args)
}

// Failure returns an error result. The model gets its text.
func Failure(call chat.ToolCall, kind, text string) chat.ToolResult {
	return chat.ToolResult{ID: call.ID, Name: call.Name, Content: text, Error: text, ErrorType: kind}
}

// noAnswerError is why a tool gave no answer.
type noAnswerError struct{ error }

func (e noAnswerError) Unwrap() error { return e.error }

// NoAnswer marks the error of a tool that could not be reached or started, or that gave no answer.
func NoAnswer(err error) error { return noAnswerError{err} }

func cut(s string) string {
	if len(s) <= MaxResult {
		return s
	}
	return strings.ToValidUTF8(s[:MaxResult], "") + chat.CutMark
}

func shorten(s string) string {
	const limit = 200
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

// Canonical writes arguments as JSON with sorted keys and no spaces, so that equal arguments have equal text.
func Canonical(args map[string]any) string {
	b, err := json.Marshal(args)
	if err != nil { // cannot happen with decoded JSON
		return fmt.Sprintf("%#v", args)
	}
	return string(b)
}
