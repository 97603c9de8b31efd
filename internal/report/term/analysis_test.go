package term_test

import (
	"bytes"
	"testing"

	"github.com/arena-evals/arena/internal/analysis"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestAnalyze: how the trials of a run are spread, whatever their names are.
func TestAnalyze(t *testing.T) {
	t.Parallel()
	fixtures := append(golden.Fixtures(), golden.Fixture{Name: "three", Build: resulttest.Compared})
	for _, f := range fixtures {
		for name, o := range map[string]term.Options{"100": {Width: columns(100)}, "60": {Width: columns(60)}} {
			if f.Name != "three" && f.Name != "hostile" && f.Name != "flaky" {
				continue
			}
			run := f.Build()
			inputs := []analysis.Input{{Name: "out-" + f.Name, Run: run}}
			if f.Name == "hostile" {
				inputs = append(inputs, analysis.Input{Name: resulttest.Poison, Run: run})
			}
			r, err := analysis.Analyze(inputs...)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			o.Out, o.Now = &out, clock
			if err := term.New(o).Analyze(r); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "analysis."+f.Name+"."+name+".txt", out.Bytes())
		}
	}
}
