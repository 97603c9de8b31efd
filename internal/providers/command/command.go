// Package command is the provider whose agent is a program of the user: one that is started for each reply, or one that
// is started for a trial and exchanges lines of JSON with arena. A program gets only the given environment variables,
// and is ended with all its child processes.
package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

const (
	defaultTimeout = 60 * time.Second
	maxOutput      = 10 << 20 // bytes that a program may write for a reply
)

// Host has what programs need from the system.
type Host struct {
	Getenv func(name string) (string, bool)
	// OnStderr receives the lines that a program writes to its stderr, with the name of its provider, from any goroutine;
	// nil: they are dropped.
	OnStderr func(who, line string)
}

// Provider runs the program of a provider of type command. It is safe for concurrent use.
type Provider struct {
	*scenario.Program
	id, model string
	timeout   time.Duration
	env       []string
	scrub     *providers.Scrubber // for the variables that the program gets
	onStderr  func(line string)   // see process.Command
}

// New makes the provider. It starts nothing.
func New(spec *scenario.Provider, host Host) (*Provider, error) {
	if spec.Program == nil || len(spec.Program.Command) == 0 {
		return nil, &providers.Misconfigured{Pos: spec.Pos, Msg: "additional_config.command is missing"}
	}
	getenv := host.Getenv
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	p := &Provider{Program: spec.Program, id: spec.ID, model: spec.Model, timeout: spec.RequestTimeout}
	if p.timeout <= 0 {
		p.timeout = defaultTimeout
	}
	if host.OnStderr != nil {
		p.onStderr = func(line string) { host.OnStderr("provider "+spec.ID, line) }
	}
	p.environment(getenv)
	return p, nil
}

// environment sets the variables of the program: those that every program needs, and those of the file.
func (p *Provider) environment(getenv func(name string) (string, bool)) {
	given := make([]string, len(p.Program.Env))
	var secrets []string
	for i, entry := range p.Program.Env {
		name, value, sets := strings.Cut(entry, "=")
		if given[i] = entry; !sets {
			passed, _ := getenv(name)
			secrets = append(secrets, passed)
			continue
		}
		filled := scenario.Expand(value, getenv)
		given[i] = name + "=" + filled.Text
		secrets = append(secrets, filled.Values...)
	}
	p.env, _ = process.Environment(getenv, given) // the planner reports missing ones
	p.scrub = providers.NewScrubber(secrets...)
}

// Complete implements providers.Provider. A failed call is never worth another one: the program may have acted.
func (p *Provider) Complete(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if ctx.Err() != nil {
		return chat.Reply{}, context.Cause(ctx)
	}
	began := time.Now()
	var reply chat.Reply
	var err error
	if p.Lines {
		reply, err = p.lines(ctx, req, onDelta)
	} else if reply, err = p.once(ctx, req); err == nil {
		reply, err = p.deliver(req, reply, onDelta)
	}
	reply.LatencyMS = float64(time.Since(began)) / float64(time.Millisecond)
	ended, refused := errors.AsType[onDeltaError](err)
	switch {
	case err == nil:
		return reply, nil
	case refused:
		return chat.Reply{}, ended.error
	case ctx.Err() != nil:
		return chat.Reply{}, context.Cause(ctx)
	}
	failed := p.failed(err)
	failed.Usage, failed.CostUSD = reply.Usage, reply.CostUSD
	failed.Partial = &reply
	return chat.Reply{}, failed
}

// onDeltaError is an error of onDelta on its way out.
type onDeltaError struct{ error }

// deliver passes a complete reply to a caller that wants a stream.
func (p *Provider) deliver(req *chat.Request, r chat.Reply, onDelta func(chat.Delta) error) (chat.Reply, error) {
	if !req.Stream || onDelta == nil {
		return r, nil
	}
	if err := onDelta(chat.Delta{Text: r.Content}); err != nil && !errors.Is(err, providers.ErrEnough) {
		return chat.Reply{}, onDeltaError{err}
	}
	return r, nil
}

// overdueError ends a reply that takes too long.
type overdueError struct{ limit time.Duration }

func (e overdueError) Error() string {
	return fmt.Sprintf("no reply within %s (request_timeout)", e.limit)
}

// failed is the error of a call.
func (p *Provider) failed(err error) *providers.Error {
	kind := providers.BadReply
	if _, late := errors.AsType[overdueError](err); late {
		kind = providers.Timeout
	}
	return &providers.Error{Kind: kind, Provider: p.id, Final: true, Msg: p.scrub.Text(err.Error()), Err: err}
}

// variables are the environment variables that describe the call.
func variables(ctx context.Context, turn int) []string {
	t := providers.TrialOf(ctx)
	if t == nil {
		return nil
	}
	own := []string{
		"ARENA_TRIAL_ID=" + noNUL(t.ID), "ARENA_SCENARIO=" + noNUL(t.Scenario), "ARENA_TURN=" + strconv.Itoa(turn),
	}
	return append(own, providers.Variables(ctx)...)
}

// noNUL makes a text valid for an environment variable.
func noNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// command is the program as it is started for a trial.
func (p *Provider) command(ctx context.Context, turn int) *process.Command {
	vars := variables(ctx, turn)
	env := append(slices.Clip(p.env), vars...)
	args := p.Command[1:]
	return &process.Command{
		Path: p.Command[0], Args: slices.Clip(args), Dir: p.Dir, Env: env, MaxStdout: maxOutput, OnStderr: p.onStderr,
	}
}

// checkText checks the text of a program's reply.
func checkText(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not valid UTF-8: %s", what, process.Excerpt([]byte(text)))
	case strings.ContainsRune(text, 0):
		return fmt.Errorf("%s holds a NUL character: %s", what, process.Excerpt([]byte(text)))
	}
	return nil
}

// estimated is the usage of a call without counts: one token for every four bytes.
func estimated(in, out int) chat.Usage {
	return chat.Usage{InputTokens: (in + 3) / 4, OutputTokens: (out + 3) / 4, Estimated: true}
}
