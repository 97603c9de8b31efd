package shop

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena"
	"github.com/arena-evals/arena/arenatest"
)

func TestScenarios(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	arenatest.Run(t, "scenarios", arenatest.Checks(checks), arenatest.Provider("mock"))
}

func TestSeller(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	seller := &Seller{Prices: map[string]float64{"glass teapot": 49.99}}
	arenatest.Run(t, "scenarios/price.yaml", arenatest.Checks(checks), arenatest.Agent("seller", seller))
}

// calls counts the calls of models, and refuses those that leak something.
type calls struct{ made atomic.Int64 }

func (*calls) Name() string { return "calls" }

func (c *calls) BeforeCall(_ context.Context, req *arena.Request) error {
	c.made.Add(1)
	for _, m := range req.Messages {
		if strings.Contains(m.Text, "secret") {
			return errors.New("it would send a secret")
		}
	}
	return nil
}

func (*calls) AfterCall(context.Context, *arena.Request, *arena.Reply) error { return nil }

func TestCalls(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	hook := &calls{}
	arenatest.Run(t, "scenarios/price.yaml", arenatest.Checks(checks), arenatest.Mock(), arenatest.Hooks(hook))
	if n := hook.made.Load(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}
