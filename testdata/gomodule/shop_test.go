package shop

import (
	"context"
	"errors"
	"fmt"
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

// TestPrices asks for every article by a scenario that is in memory alone.
func TestPrices(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	seller := &Seller{Prices: map[string]float64{"glass teapot": 49.99, "kettle": 20}}
	files := map[string][]byte{}
	for article, euros := range seller.Prices {
		name := strings.ReplaceAll(article, " ", "-")
		files[name+".yaml"] = fmt.Appendf(nil, `
id: %s
turns:
  - role: user
    content: What does the %s cost?
    assertions:
      - {type: price, params: {currency: EUR, most: %v}}
`, name, article, euros)
	}
	res := arenatest.Run(t, "", arenatest.Files(files), arenatest.Checks(checks), arenatest.Agent("seller", seller))
	if len(res.Trials) != 2 {
		t.Errorf("%d trials, want 2", len(res.Trials))
	}
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
