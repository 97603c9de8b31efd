package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// TestReplay records what the seller says, and judges it again without the seller.
func TestReplay(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	recording := t.TempDir()
	seller := &Seller{Prices: map[string]float64{"glass teapot": 49.99}}
	for _, way := range []arenatest.Option{arenatest.Record(recording), arenatest.Replay(recording)} {
		arenatest.Run(t, "scenarios/price.yaml", arenatest.Checks(checks), arenatest.Agent("seller", seller), way)
		seller = nil // whoever asks it now panics
	}
}

// TestRates asks how often the mock is right.
func TestRates(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	res := arenatest.Run(t, "scenarios/price.yaml", arenatest.Mock(), arenatest.Checks(checks), arenatest.PassRate(0.8))
	for _, g := range res.Groups {
		t.Logf("%s: %s, the rate is between %v and %v", g.Scenario, g.Status, g.Low, g.High)
	}
}

// TestMetrics runs the scenarios with their metrics at hand, as a service does that runs them every hour.
func TestMetrics(t *testing.T) {
	checks, err := Checks()
	if err != nil {
		t.Fatal(err)
	}
	suite, err := arena.Load(arena.Options{
		Paths: []string{"scenarios"}, Mock: true, Checks: checks, Cache: t.TempDir(),
		Metrics: &arena.Metrics{Namespace: "shop"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	mux := http.NewServeMux()
	mux.Handle("/metrics", suite.Metrics())
	if _, err := suite.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(page.Body.String(), `status="passed"`) {
		t.Error(page.Body)
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
