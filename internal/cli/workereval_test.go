package cli

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// A request that names no prompt gets the evals that every prompt has. Those that only one of several prompts has would
// silently not run, unless the request names which evals it wants.
func TestRequestsWithoutAPrompt(t *testing.T) {
	t.Parallel()
	suite, diags := checks.Load(scenario.Options{
		Paths: []string{filepath.Join("testdata", "prompts.pack.json")}, Bare: true, Recorded: true,
		Getenv: func(string) (string, bool) { return "", false },
	})
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted())
	}
	w := newPackEvals(suite.Projects[0], runner.PlanOptions{}, diags)
	if diags.Errors() > 0 {
		t.Fatal(diags.Sorted())
	}
	defer w.close()
	for _, tc := range []struct {
		name    string
		request dispatch.Request
		refused bool
	}{
		{"all", dispatch.Request{}, true},
		{"of a prompt", dispatch.Request{Evals: []string{"says"}}, true},
		{"some of a prompt", dispatch.Request{Evals: []string{"all", "says"}}, true},
		{"of every prompt", dispatch.Request{Evals: []string{"all"}}, false},
		{"prompt", dispatch.Request{Prompt: "a"}, false},
	} {
		_, err := w.evaluator(&tc.request)
		_, refused := errors.AsType[*dispatch.RefusedError](err)
		if refused != tc.refused || !refused && err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	if err := (&listenFlags{}).validatePrompt(w); err == nil {
		t.Error("a worker that listens needs no prompt")
	}
	if err := (&listenFlags{prompt: "a"}).validatePrompt(w); err != nil {
		t.Error(err)
	}
}
