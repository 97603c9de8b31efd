package arena_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/arena-evals/arena"
)

// calm is a StreamChecker: nobody shouts.
type calm struct {
	partial func(text string) (float64, error)
}

func (calm) Eval(_ context.Context, s *arena.Subject) (arena.Finding, error) {
	if strings.Contains(s.Reply, "SHOUT") {
		return arena.Fail("somebody shouts"), nil
	}
	return arena.Pass("all is calm"), nil
}

func (c calm) EvalPartial(text string) (float64, error) { return c.partial(text) }

func calmRegistry(t testing.TB, partial func(string) (float64, error)) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	err := arena.Register(r, arena.CheckInfo{Name: "calm", Blocks: true}, func(struct{}) (arena.Check, error) {
		return calm{partial}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func quiet(text string) (float64, error) {
	if strings.Contains(text, "SHOUT") {
		return 0, nil
	}
	return 1, nil
}

// TestStreamChecker closes the stream at the first word that is wrong.
func TestStreamChecker(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		dir := guarded(t, "calm", stream)
		res := run(t, arena.Options{Config: dir + "/config.arena.yaml", Checks: calmRegistry(t, quiet)})
		tr := res.Trials[0]
		if tr.Status != arena.Passed || len(tr.Turns[0].Guardrails) != 1 {
			t.Fatalf("%s\n%+v", tr.Failure(), tr)
		}
		f := tr.Turns[0].Guardrails[0]
		if f.Type != "calm" || f.Action != "replaced" || f.StreamClosed != stream || f.Status != arena.Failed {
			t.Errorf("%+v", f)
		}
		if tr.Turns[0].Assistant != "I cannot say that." {
			t.Errorf("%q", tr.Turns[0].Assistant)
		}
	}
}

// TestStreamCheckerBreaks holds that a guardrail that breaks in the middle is an error, whatever it says at the end.
func TestStreamCheckerBreaks(t *testing.T) {
	t.Parallel()
	for want, partial := range map[string]func(string) (float64, error){
		"the check panicked: boom":     func(string) (float64, error) { panic("boom") },
		"no idea":                      func(string) (float64, error) { return 1, errors.New("no idea") },
		"the check gave the score -1;": func(string) (float64, error) { return -1, nil },
	} {
		dir := guarded(t, "calm", true)
		res := run(t, arena.Options{Config: dir + "/config.arena.yaml", Checks: calmRegistry(t, partial)})
		tr := res.Trials[0]
		if res.ExitCode != 3 || !strings.Contains(tr.Error, "guardrail calm") || !strings.Contains(tr.Error, want) {
			t.Errorf("want %q: %d %s", want, res.ExitCode, tr.Error)
		}
	}
}

// TestStreamCheckerLies holds that the end of a reply is judged whatever was said of its beginning.
func TestStreamCheckerLies(t *testing.T) {
	t.Parallel()
	blind := func(string) (float64, error) { return 1, nil }
	res := run(t, arena.Options{Config: guarded(t, "calm", true) + "/config.arena.yaml", Checks: calmRegistry(t, blind)})
	turn := res.Trials[0].Turns[0]
	if len(turn.Guardrails) != 1 || turn.Guardrails[0].StreamClosed || turn.Assistant != "I cannot say that." {
		t.Errorf("%+v", turn)
	}
}
