package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/evals"
)

// listenFlags say which events a worker evaluates.
type listenFlags struct {
	subject     string
	prompt      string
	ttl         time.Duration
	maxSessions int
}

func (f *listenFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.subject, "listen", "", "follow message.created events on this `subject`, such as app.events")
	fl.StringVar(&f.prompt, "prompt", "", "task `type` of the prompt whose evals are meant for the sessions of --listen\n"+
		"(default: the only one, else only the evals of the pack)")
	fl.DurationVar(&f.ttl, "session-ttl", dispatch.DefaultTTL, "a session ends after this `time` of silence")
	fl.IntVar(&f.maxSessions, "max-sessions", dispatch.DefaultMaxSessions,
		"hold at most `n` sessions; the one silent for longest ends early")
}

func (f *listenFlags) validate(g givenFlags) error {
	if !g.has("listen") {
		for _, flag := range []string{"prompt", "session-ttl", "max-sessions"} {
			if g.has(flag) {
				return fmt.Errorf("--%s does nothing without --listen SUBJECT", flag)
			}
		}
		return nil
	}
	switch {
	case f.ttl < time.Second:
		return fmt.Errorf("--session-ttl must be at least 1s, found %s", f.ttl)
	case f.maxSessions < 1:
		return fmt.Errorf("--max-sessions must be at least 1, found %d", f.maxSessions)
	}
	if err := nats.CheckSubject(f.subject); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	return nil
}

// validatePrompt refuses a prompt that the packs do not have.
func (f *listenFlags) validatePrompt(e *packEvals) error {
	if f.prompt == "" && e.notUnderDefault != "" {
		return fmt.Errorf("--listen: %s\nname the prompt of the sessions with --prompt", e.notUnderDefault)
	}
	if e.evaluators[f.prompt] == nil {
		return fmt.Errorf("--prompt: there is no prompt %q; known: %s", f.prompt, strings.Join(e.prompts(), ", "))
	}
	return nil
}

// listener is nil without --listen.
func (f *listenFlags) listener(
	client *nats.Client, e *packEvals, w *nats.Worker, tell func(string),
) *nats.Listener {
	if f.subject == "" {
		return nil
	}
	a := dispatch.NewAccumulator()
	a.TTL, a.MaxSessions, a.Prompt = f.ttl, f.maxSessions, f.prompt
	fires := func(phases ...evals.Phase) bool {
		return slices.ContainsFunc(e.evaluators[f.prompt].Evals(), func(eval *evals.Eval) bool {
			return slices.Contains(phases, evals.PhaseOf(eval.Trigger))
		})
	}
	a.Turns, a.Ends = fires(evals.AfterTurn), fires(evals.SessionEnd, evals.ConversationEnd)
	return &nats.Listener{
		Client: client, Subject: f.subject, Name: w.Durable, Accumulator: a, Worker: w.Name, Notify: tell,
		Now: time.Now, // for the length of silence, even where the time in reports is fixed
	}
}
