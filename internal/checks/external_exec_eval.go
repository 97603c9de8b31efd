package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
)

// execEval is a check that a program scores. The program gets the request as JSON on stdin and answers with one JSON
// object on stdout.
type execEval struct {
	handler *scenario.Handler
	params  map[string]any
}

type execRequest struct {
	Type    string         `json:"type"`
	Params  map[string]any `json:"params"`
	Content string         `json:"content"` // the last reply in scope
	Context execContext    `json:"context"`
}

type execContext struct {
	Messages  []messageView     `json:"messages"`
	TurnIndex int               `json:"turn_index"` // from 0; of the last turn at the end of the conversation
	ToolCalls []callView        `json:"tool_calls"`
	Variables map[string]string `json:"variables"`
	Metadata  map[string]any    `json:"metadata"`
	SessionID string            `json:"session_id"`
	PromptID  string            `json:"prompt_id"`
}

func (c *execEval) request(s *Subject) execRequest {
	r := execRequest{
		Type: c.handler.Type, Params: c.params, Content: s.Output(),
		Context: execContext{
			Messages: messagesOf(s), TurnIndex: s.Turn, ToolCalls: callsOf(s), Variables: s.Variables, Metadata: s.Metadata,
			SessionID: s.SessionID, PromptID: s.PromptID,
		},
	}
	if r.Context.TurnIndex < 0 {
		_, r.Context.TurnIndex = LastTurn(s.Messages)
	}
	if r.Context.Variables == nil {
		r.Context.Variables = map[string]string{}
	}
	if r.Context.Metadata == nil {
		r.Context.Metadata = map[string]any{}
	}
	return r
}

func (c *execEval) Eval(ctx context.Context, s *Subject) (Finding, error) {
	switch {
	case s.Host == nil:
		return Finding{}, errNoHost
	case c.handler.Later != "":
		return Finding{}, errors.New(c.unavailable())
	}
	stdin, err := encodeRequest(c.request(s))
	if err != nil {
		return Finding{}, fmt.Errorf("the conversation cannot be written as JSON: %w", err)
	}
	h := c.handler
	e := environmentOf(h, s.Host.Getenv)
	line := strings.Join(append([]string{h.Command}, h.Args...), " ")
	sent := Sent{Kind: ByProgram, To: line, Body: stdin, scrub: e.scrub}
	got, err := s.exchange(ctx, sent, func() (Received, error) { return c.run(ctx, e.vars, stdin) })
	if err != nil {
		if ctx.Err() != nil {
			return Finding{}, endOfTrial(ctx)
		}
		return Finding{}, fmt.Errorf("%s: %w%s", h.Command, err, stderrEnd(e.scrub, got.Stderr))
	}
	f, err := scoreFrom(got.Text, e.scrub)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: %w%s", h.Command, err, stderrEnd(e.scrub, got.Stderr))
	}
	return f, nil
}

// run runs the program and returns its output.
func (c *execEval) run(ctx context.Context, env []string, stdin []byte) (Received, error) {
	h := c.handler
	limited, cancel := context.WithTimeoutCause(ctx, h.Timeout, timeoutError{h.Timeout})
	defer cancel()
	out, err := (&process.Command{Path: h.Command, Args: h.Args, Dir: h.Dir, Env: env, Stdin: stdin}).Run(limited)
	if err == nil && !utf8.Valid(out.Stdout) {
		err = errors.New("its output is not valid UTF-8")
	}
	return Received{Text: string(out.Stdout), Stderr: string(out.Stderr)}, err
}

// timeoutError is the cause that ends a call of an external evaluator.
type timeoutError struct{ limit time.Duration }

func (e timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.limit) }

// environment is the environment of a program.
type environment struct {
	vars    []string
	scrub   *providers.Scrubber // of the values that it gets
	missing []string            // names to pass on of variables that are not set
	unset   []string            // names in values of variables that are not set
}

func environmentOf(h *scenario.Handler, getenv func(string) (string, bool)) *environment {
	e := &environment{}
	given := make([]string, len(h.Env))
	var secrets []string
	for i, entry := range h.Env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			given[i] = entry
			value, _ := getenv(name)
			secrets = append(secrets, value)
			continue
		}
		filled := scenario.Expand(value, getenv)
		given[i] = name + "=" + filled.Text
		secrets, e.unset = append(secrets, filled.Values...), append(e.unset, filled.Unset...)
	}
	e.vars, e.missing = process.Environment(getenv, given)
	e.scrub = providers.NewScrubber(secrets...)
	return e
}

// stderrEnd returns the end of a program's stderr, for an error.
func stderrEnd(scrub *providers.Scrubber, stderr string) string {
	const limit = 300
	text := []rune(scrub.Excerpt(stderr, 1<<20))
	switch {
	case len(text) == 0:
		return ""
	case len(text) > limit:
		text = append([]rune("…"), text[len(text)-limit:]...)
	}
	return "; stderr: " + string(text)
}

// scoreFrom reads the output of a program: one JSON object and nothing else.
func scoreFrom(stdout string, scrub *providers.Scrubber) (Finding, error) {
	if strings.TrimSpace(stdout) == "" {
		return Finding{}, errors.New("it printed nothing, expected a JSON object with a score")
	}
	fields, o, err := grading.OneAnswer(stdout)
	if _, wrong := errors.AsType[*grading.NotOneObject](err); wrong {
		return Finding{}, fmt.Errorf("its output is %w: %q", err, scrub.Excerpt(stdout, say.QuoteLimit))
	}
	if err != nil {
		return Finding{}, fmt.Errorf("its output cannot be used: %w", err)
	}
	detail, _ := fields["detail"].(string)
	details := scrubbed(scrub, fields["data"])
	if o.Against != "" {
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
		details[grading.Against] = scrub.Text(o.Against)
	}
	return Finding{
		Score: o.Score, Explanation: reason(scrub.Text(detail), "the program gave no detail"), Details: details,
	}, nil
}

// scrubbed returns external data for details: without secrets, and long texts cut.
func scrubbed(scrub *providers.Scrubber, data any) map[string]any {
	switch v := withoutSecrets(scrub, data).(type) {
	case nil:
		return nil
	case map[string]any:
		for key, item := range v {
			v[key] = say.Kept(item)
		}
		return v
	default:
		return map[string]any{"data": say.Kept(v)}
	}
}

func withoutSecrets(scrub *providers.Scrubber, v any) any {
	switch v := v.(type) {
	case string:
		return scrub.Text(v)
	case []any:
		for i, item := range v {
			v[i] = withoutSecrets(scrub, item)
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, item := range v {
			clean[scrub.Text(key)] = withoutSecrets(scrub, item)
		}
		return clean
	}
	return v
}

// unavailable returns a requirement of the type that arena does not support.
func (c *execEval) unavailable() string {
	return c.handler.Type + " needs " + c.handler.Later + ": this version of arena does not have that yet"
}

// preflight reports types that arena cannot run, missing programs and variables that are not set, at the declaration of
// the type.
func (c *execEval) preflight(getenv func(string) (string, bool), d *diag.List) {
	h := c.handler
	width := utf8.RuneCountInString(h.Type)
	if h.Later != "" {
		d.Errorf(h.Pos, width, diag.NotAvailable, "%s", c.unavailable()).Hint =
			"take its checks out, or choose scenarios that do not need it with --scenario"
		return
	}
	if err := process.Find(h.Dir, h.Command); err != nil {
		d.Errorf(h.CommandPos, utf8.RuneCountInString(h.Command), "missing-program", "%s: %q cannot be started: %v", h.Type,
			h.Command, err)
	}
	e := environmentOf(h, getenv)
	for _, name := range e.unset {
		d.Errorf(h.Pos, width, "unset-variable", "%s: the environment has no %s, of which env makes use", h.Type, name).
			Hint = setIt(name)
	}
	for _, name := range e.missing {
		d.Warnf(h.Pos, width, "unset-variable", "%s: the environment has no %s to pass on", h.Type, name)
	}
}
