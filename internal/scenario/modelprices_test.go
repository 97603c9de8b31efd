package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// priced loads a config with prices and one provider, and returns its problems.
func priced(t *testing.T, pricing, model string) (*scenario.Project, string) {
	t.Helper()
	dir := t.TempDir()
	config := "kind: Arena\nmetadata: {name: shop}\nspec:\n  prompt_specs: {p: {system_template: hi, task_type: p}}\n" +
		"  provider_specs: {m: {type: openai, model: " + model + "}}\n" +
		"  scenario_specs: {s: {task_type: p, turns: [{role: user, content: hi}]}}\n  pricing: " + pricing + "\n"
	if err := os.WriteFile(filepath.Join(dir, "config.arena.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, d := scenario.Load(scenario.Options{Dir: dir, Paths: []string{"config.arena.yaml"}})
	var said strings.Builder
	for _, p := range d.Sorted() {
		said.WriteString(p.Severity.String() + ": " + p.Msg + " " + p.Hint + "\n")
	}
	if d.Errors() > 0 {
		return nil, said.String()
	}
	return suite.Projects[0], said.String()
}

// TestModelPrices: valid and invalid prices in a config.
func TestModelPrices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pricing, wrong string }{
		"all":            {"{gpt-4o: {input: 2.5, output: 10, cached: 1.25, cache_write: 3}}", ""},
		"free":           {"{gpt-4o: {input: 0, output: 0}}", ""},
		"none":           {"{}", ""},
		"negative":       {"{gpt-4o: {input: -1, output: 10}}", "input"},
		"not a number":   {"{gpt-4o: {input: .nan, output: 10}}", "input"},
		"endless":        {"{gpt-4o: {input: 1, output: .inf}}", "output"},
		"a text":         {"{gpt-4o: {input: cheap, output: 10}}", "input"},
		"a quoted price": {"{gpt-4o: {input: 1, output: \"$10\"}}", "output"},
		"nothing":        {"{gpt-4o: {input: null, output: 10}}", "input"},
		"no output":      {"{gpt-4o: {input: 1}}", "output"},
		"a misspelt key": {"{gpt-4o: {input: 1, outptu: 10}}", `did you mean "output"`},
		"a bare number":  {"{gpt-4o: 10}", "the price of a model must be a map"},
		"a list":         {"[{input: 1, output: 2}]", "pricing"},
		"twice":          {"{gpt-4o: {input: 1, output: 2}, GPT-4o: {input: 3, output: 4}}", "is the model of line"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, said := priced(t, c.pricing, "gpt-4o")
			if c.wrong == "" && (p == nil || said != "") || c.wrong != "" && (p != nil || !strings.Contains(said, c.wrong)) {
				t.Errorf("got %v and:\n%s", p != nil, said)
			}
		})
	}
}

// TestPriced: the prices of each provider, and warnings of prices for unused models.
func TestPriced(t *testing.T) {
	t.Parallel()
	p, said := priced(t, "{gpt-4o: {input: 2.5, output: 10}, other: {input: 1, output: 1}}", "openai/GPT-4o-2024-08-06")
	if p == nil || said != "" {
		t.Fatal(said)
	}
	q := p.Providers[0]
	if own := q.Prices.Of(q.Model); len(q.Prices) != 1 || own == nil || own.InputPer1K != 0.0025 {
		t.Errorf("got %+v", q.Prices)
	}
	if p.Prices.Of("gpt-4o-mini") != nil || p.Prices.Of("gpt-4o-audio") != nil || p.Prices.Of("") != nil {
		t.Error("a price is found for another model")
	}
	if p, _ := priced(t, "{m-1: {input: 1, output: 1}}", "deployment"); len(p.Providers[0].Prices) != 1 {
		t.Error("the model that a server names would have no price")
	}
	_, said = priced(t, "{gtp-4o: {input: 1, output: 1}}", "gpt-4o")
	if !strings.Contains(said, `no provider has the model "gtp-4o"`) || !strings.Contains(said, `did you mean "gpt-4o"?`) {
		t.Errorf("a misspelt model: %q", said)
	}
}
