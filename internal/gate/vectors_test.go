package gate

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the lines, odds and ends of the gates in testdata anew")

// vector is a gate with what is right for it.
type vector struct {
	Lo         float64               `json:"lo"`
	Hi         float64               `json:"hi"`
	Confidence float64               `json:"confidence"`
	Max        int                   `json:"max"`
	Min        int                   `json:"min"`
	Block      int                   `json:"block"`
	PassLine   []int                 `json:"pass_line"`
	FailLine   []int                 `json:"fail_line"`
	Odds       map[string][4]float64 `json:"pass_fail_undecided_trials"` // by rate
	Ends       []vectorEnd           `json:"ends"`
}

type vectorEnd struct {
	N        int      `json:"n"`
	Passes   int      `json:"passes"`
	Verdict  string   `json:"verdict"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Estimate float64  `json:"estimate"`
	PassPow3 *float64 `json:"pass_pow_3,omitempty"`
}

func (v *vector) rule() Rule {
	return Rule{PassRate: v.Hi, Tolerance: v.Hi - v.Lo, Confidence: v.Confidence, Max: v.Max, Min: v.Min, Block: v.Block}
}

// TestVectors holds gates against numbers that were found before: those in testdata, and those of another
// implementation in the file that ARENA_STATISTICS names.
func TestVectors(t *testing.T) {
	t.Parallel()
	own := filepath.Join("testdata", "gates.json")
	if *update {
		writeVectors(t, own)
	}
	files := []string{own}
	if other := os.Getenv("ARENA_STATISTICS"); other != "" {
		files = append(files, other)
	}
	for _, file := range files {
		var all struct{ Gates []vector }
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &all)
		}
		if err != nil || len(all.Gates) == 0 {
			t.Fatalf("%s: %d gates, %v", file, len(all.Gates), err)
		}
		for i := range all.Gates {
			all.Gates[i].holds(t)
		}
	}
}

func (v *vector) holds(t *testing.T) {
	t.Helper()
	g := gateOf(t, v.rule())
	if diff := cmp.Diff([][]int{v.PassLine, v.FailLine}, [][]int{g.PassLine, g.FailLine}); diff != "" {
		t.Errorf("%+v: lines (-want +got):\n%s", g.Rule, diff)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("%+v: %s is %v, want %v", g.Rule, what, got, want)
		}
	}
	for text, want := range v.Odds {
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		o := g.Odds(rate)
		for i, got := range []float64{o.Passed, o.Failed, o.Undecided, o.Trials} {
			near("number "+strconv.Itoa(i)+" at rate "+text, got, want[i])
		}
	}
	for _, e := range v.Ends {
		c := Counts{Passed: e.Passes, Failed: e.N - e.Passes}
		at, bar := " at "+strconv.Itoa(e.Passes)+" of "+strconv.Itoa(e.N), g.Bar(c)
		if got := g.At(c).String(); got != e.Verdict || !bar.Exact {
			t.Errorf("%+v: %s%s, with an exact bar: %v; want %s", g.Rule, got, at, bar.Exact, e.Verdict)
		}
		near("low"+at, bar.Low, e.Low)
		near("high"+at, bar.High, e.High)
		near("estimate"+at, g.Estimate(c), e.Estimate)
		if e.PassPow3 != nil {
			got, ok := g.AllOf(3, c)
			near("pass^3"+at, got, *e.PassPow3)
			if !ok {
				t.Errorf("%+v: no pass^3%s", g.Rule, at)
			}
		}
	}
}

// writeVectors writes gates of several forms, with every fifth of their ends.
func writeVectors(t *testing.T, file string) {
	t.Helper()
	var all struct {
		Gates []vector `json:"gates"`
	}
	for _, r := range []Rule{
		{0.5, 0, 0.95, 10, 1, 1},
		{0.5, 0.1, 0.9, 12, 1, 1},
		{0.8, 0, 0.95, 20, 1, 1},
		{0.8, 0, 0.95, 20, 20, 1},
		{0.8, 0, 0.95, 50, 1, 1},
		{0.8, 0, 0.9, 30, 3, 3},
		{0.9, 0.15, 0.95, 50, 3, 1},
		{0.9, 0.2, 0.95, 48, 4, 4},
		{0.95, 0, 0.95, 100, 1, 1},
		{0.99, 0.01, 0.95, 200, 1, 1},
	} {
		g := gateOf(t, r)
		v := vector{r.Lower(), r.Upper(), r.Confidence, r.Max, r.Min, r.Block, g.PassLine, g.FailLine, nil, nil}
		v.Odds = map[string][4]float64{}
		for _, rate := range []float64{0, 0.5, 0.8, 0.95, 1} {
			o := g.Odds(rate)
			v.Odds[strconv.FormatFloat(rate, 'f', -1, 64)] = [4]float64{o.Passed, o.Failed, o.Undecided, o.Trials}
		}
		ends, estimates := g.Stopping().Ends(), g.Stopping().Estimates()
		for i := 0; i < len(ends); i += 5 {
			c := Counts{Passed: ends[i].Passes, Failed: ends[i].N - ends[i].Passes}
			b := g.Bar(c)
			e := vectorEnd{ends[i].N, c.Passed, ends[i].Verdict.String(), b.Low, b.High, estimates[i], nil}
			if p, ok := g.AllOf(3, c); ok {
				e.PassPow3 = &p
			}
			v.Ends = append(v.Ends, e)
		}
		all.Gates = append(all.Gates, v)
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func gateOf(t testing.TB, r Rule) *Gate {
	t.Helper()
	g, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
