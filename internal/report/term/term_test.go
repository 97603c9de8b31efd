package term_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// play tells a printer a finished run as if it happened now.
func play(t testing.TB, run *result.Run, o term.Options, reports ...string) {
	t.Helper()
	p := term.New(o)
	p.Start(planOf(run))
	for i := range run.Briefs.Len() {
		trial, err := run.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		p.TrialStarted(trial.ID)
		p.TrialDone(run.Briefs.At(i), trial)
	}
	if err := p.Finish(run, reports...); err != nil {
		t.Fatal(err)
	}
}

func planOf(run *result.Run) term.Plan {
	return term.Plan{Trials: run.Planned, Trial: func(i int) result.Brief {
		if i < run.Briefs.Len() {
			return *run.Briefs.At(i)
		}
		b := result.BriefOf(result.BriefShared{})
		b.ID = fmt.Sprintf("planned-%d/gpt-4o-mini/default", i)
		return b
	}}
}

func rerun(trials ...*result.Brief) string {
	b := trials[0]
	return "arena run " + b.File + " --scenario " + b.Scenario + " --provider " + b.Provider
}

func clock() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func columns(n int) func() int { return func() int { return n } }

func TestPrint(t *testing.T) {
	t.Parallel()
	reports := []string{"out/report.html", "out/junit.xml", "out/results.json"}
	for _, f := range golden.Fixtures() {
		for name, o := range map[string]term.Options{
			"pipe": {},
			"120":  {Width: columns(120)},
			"80":   {Width: columns(80)},
			"40":   {Width: columns(40)},
			"q":    {Width: columns(100), Quiet: true},
			"v":    {Width: columns(100), Verbosity: 1},
			"vv":   {Width: columns(100), Verbosity: 2},
		} {
			t.Run(f.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				var out bytes.Buffer
				o.Out, o.Now, o.Rerun = &out, clock, rerun
				play(t, f.Build(), o, reports...)
				if f.Name == "hostile" && (name == "v" || name == "vv") {
					return // long, and nothing that the others do not show
				}
				golden.Check(t, f.Name+"."+name+".txt", out.Bytes())
			})
		}
	}
}

// BenchmarkPrint prints a run of ten thousand trials to a pipe.
func BenchmarkPrint(b *testing.B) {
	run := resulttest.Big(10_000)
	trials := make([]*result.Trial, run.Briefs.Len())
	for i := range trials {
		trials[i] = trialOf(b, run, i)
	}
	run.Trials = resulttest.Memory(trials)
	b.ReportAllocs()
	for b.Loop() {
		play(b, run, term.Options{Out: io.Discard, Rerun: rerun})
	}
}
