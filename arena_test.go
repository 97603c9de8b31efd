package arena_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/arena-evals/arena"
)

// TestMain fails when anything that the facade starts is left behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// priceParams are the parameters of the check price.
type priceParams struct {
	Currency string  `param:"currency,required" words:"EUR,USD" doc:"In which currency."`
	Most     float64 `param:"most" default:"1000" above:"0" doc:"The highest price."`
}

// prices is a registry with the check price: the reply names a price that is not too high.
func prices(t testing.TB) *arena.Registry {
	t.Helper()
	r := &arena.Registry{}
	info := arena.CheckInfo{Name: "price", Aliases: []string{"costs"}, Summary: "The reply names a price."}
	err := arena.Register(r, info, func(p priceParams) (arena.Check, error) {
		pattern := regexp.MustCompile(`([0-9.]+) ` + p.Currency)
		return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
			found := pattern.FindStringSubmatch(s.Reply)
			if found == nil {
				return arena.Fail("no price in " + p.Currency), nil
			}
			price, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				return arena.Finding{}, err
			}
			if price > p.Most {
				return arena.Finding{Explanation: fmt.Sprintf("%v is more than %v", price, p.Most)}, nil
			}
			return arena.Finding{Score: 1, Details: map[string]any{"price": price}}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// files writes files, given as name and content by turns, into a new folder.
func files(t testing.TB, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs, and fails the test for everything that keeps a run from beginning.
func run(t testing.TB, opts arena.Options) *arena.Result {
	t.Helper()
	if opts.Getenv == nil {
		opts.Getenv = func(string) (string, bool) { return "", false }
	}
	res, err := arena.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRun(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	var events []string
	res := run(t, arena.Options{
		Paths: []string{"testdata/facade/scenarios"}, Checks: prices(t), Out: out,
		OnEvent: func(e arena.Event) {
			if e.Kind == arena.EventVerdict || e.Kind == arena.EventTrialCompleted {
				data, err := e.Data()
				if err != nil || !strings.Contains(string(data), `"status":"`) {
					t.Errorf("%s: %s %v", e.Kind, data, err)
				}
				events = append(events, fmt.Sprint(e.Kind, " ", e.Turn, " ", e.Done != nil))
			}
		},
	})
	if res.ExitCode != 1 || res.Status != arena.Failed || len(res.Trials) != 1 || res.Planned != 1 {
		t.Fatalf("%+v", res)
	}
	tr := res.Trials[0]
	if tr.ID != "refund/mock/default" || tr.Status != arena.Failed || len(tr.Turns) != 2 {
		t.Errorf("%+v", tr)
	}
	first, second := tr.Turns[0].Assertions[0], tr.Turns[1].Assertions[0]
	if first.Status != arena.Passed || fmt.Sprint(first.Details["price"]) != "49.99" {
		t.Errorf("%+v", first)
	}
	if second.Type != "price" || second.Status != arena.Failed || second.Position.Line != 14 {
		t.Errorf("%+v", second)
	}
	want := `turn 2
  user: And in dollars?
  agent: It is 54 USD.
testdata/facade/scenarios/refund.yaml:14: turn 2: price: prices are in euro
    no price in EUR`
	if diff := cmp.Diff(want, filepath.ToSlash(tr.Failure())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantEvents := []string{"verdict 0 false", "verdict 1 false", "trial.completed -1 true"}
	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range append(res.Reports, filepath.Join(out, "journal.jsonl")) {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	dir := files(t, "a.yaml", `id: a
turns:
  - role: user
    content: Hello
    mock: [Hi]
    assertions:
      - {type: price, params: {curency: EUR}}
      - {type: prise, params: {}}
`)
	_, err := arena.Run(t.Context(), arena.Options{Dir: dir, Paths: []string{"a.yaml"}, Checks: prices(t)})
	bad, ok := errors.AsType[*arena.ProblemsError](err)
	if !ok {
		t.Fatal(err)
	}
	want := []string{"7:31 missing-parameter", "7:32 unknown-parameter", "8:16 unknown-check"}
	var got []string
	for _, p := range bad.Problems {
		if !p.Warning {
			got = append(got, fmt.Sprintf("%d:%d %s", p.Position.Line, p.Position.Column, p.Code))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"nothing was run", "did you mean \"price\"?", "^~~~~~~"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in %s", text, err)
		}
	}
}
