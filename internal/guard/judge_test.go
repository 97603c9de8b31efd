package guard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// verdict is a check made of a function.
type verdict func() (checks.Finding, error)

func (v verdict) Eval(context.Context, *checks.Subject) (checks.Finding, error) { return v() }

// broken is a guardrail of a type that cannot judge.
func broken(t *testing.T, kind string, monitor bool, v verdict) *scenario.Validator {
	t.Helper()
	def, ok := checks.Lookup(kind)
	if !ok {
		t.Fatalf("no check %s", kind)
	}
	c := &checks.Compiled{
		Spelling: &checks.Spelling{Def: def, Type: kind}, Terms: &checks.Terms{}, Check: v,
		Pos: diag.Pos{File: "prompt.yaml", Line: 7},
	}
	return &scenario.Validator{
		Check: scenario.Check{Type: kind, Compiled: c}, Enabled: true, Direction: both, FailOnViolation: !monitor,
	}
}

// TestCannotJudge is about guardrails that end in an error: nothing passes that they were to judge.
func TestCannotJudge(t *testing.T) {
	t.Parallel()
	down := func() (checks.Finding, error) { return checks.Finding{}, errors.New("the judge is down") }
	const problem = "guardrail toxicity (prompt.yaml:7) cannot judge the output: "
	for _, tc := range []struct {
		name, kind string
		monitor    bool
		check      verdict
		want, err  string
	}{
		{"a judge that is down", "toxicity", false, down, refusal, problem + "the judge is down"},
		{"one that only watches", "toxicity", true, down, "Fine.", problem + "the judge is down"},
		{"a panic", "toxicity", false, func() (checks.Finding, error) { panic("boom") }, refusal,
			problem + "the check panicked: boom"},
		{"a score that is none", "toxicity", false, func() (checks.Finding, error) { return checks.Finding{Score: 7}, nil },
			refusal, problem + "the check gave the score 7"},
		{"a limit", "max_length", false, down, refusal,
			"guardrail max_length (prompt.yaml:7) cannot judge the output: the judge is down"},
		{"one that only records", "contains", false, down, "Fine.",
			"guardrail contains (prompt.yaml:7) cannot judge the output: the judge is down"},
		{"one that has nothing to say", "toxicity", false, func() (checks.Finding, error) {
			return checks.Finding{}, checks.ErrNotApplicable
		}, "Fine.", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := New([]*scenario.Validator{broken(t, tc.kind, tc.monitor, tc.check)})
			if err != nil {
				t.Fatal(err)
			}
			o := s.Reply().Finish(t.Context(), before(), assistant("Fine."), nil)
			got := ""
			if o.Err != nil {
				got = o.Err.Error()
			}
			if o.Message.Content != tc.want || !strings.HasPrefix(got, tc.err) || (got == "") != (tc.err == "") {
				t.Errorf("got %q and %q, want %q and %q", o.Message.Content, got, tc.want, tc.err)
			}
			if tc.err == "" {
				return
			}
			if f := o.Firings[0]; f.Verdict.Status != result.Errored || f.Verdict.Error == "" {
				t.Errorf("the firing is %+v, want an error", f)
			}
			in, answered := s.Input(t.Context(), &checks.Subject{}, chat.Message{Content: "Hi"})
			if in.Err == nil || answered != (tc.want == refusal) {
				t.Errorf("input: answered %v, %v", answered, in.Err)
			}
		})
	}
}

// A run that was stopped is no verdict.
func TestStopped(t *testing.T) {
	t.Parallel()
	cause := errors.New("the run was stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	s, err := New([]*scenario.Validator{broken(t, "toxicity", false, func() (checks.Finding, error) {
		return checks.Finding{}, ctx.Err()
	})})
	if err != nil {
		t.Fatal(err)
	}
	o := s.Reply().Finish(ctx, before(), assistant("Fine."), nil)
	if !errors.Is(o.Err, cause) || len(o.Firings) != 0 {
		t.Errorf("got %v and %v, want %v", o.Err, told(o.Firings), cause)
	}
}

// A guardrail that stops a stream and then cannot say why leaves a part of a reply, which must not count.
func TestClosedForNothing(t *testing.T) {
	t.Parallel()
	list := validators(t, noDamn)
	s, err := New(list)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Reply()
	stream(t, r, []string{"damn it"})
	list[0].Compiled.(*checks.Compiled).Check = verdict(func() (checks.Finding, error) { return checks.Finding{Score: 1}, nil })
	if o := r.Finish(t.Context(), before(), assistant(""), nil); o.Err == nil {
		t.Errorf("got %+v without an error", o)
	}
}
