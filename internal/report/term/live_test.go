package term_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func trialOf(t testing.TB, run *result.Run, i int) *result.Trial {
	t.Helper()
	trial, err := run.Trials.Trial(i)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

// TestLive watches a screen on which both streams end up, at moments of a run.
func TestLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		run := resulttest.Flaky()
		screen := newScreen(t, 100)
		p := term.New(term.Options{
			Out: screen, Err: screen, TTY: true, Color: true, Width: screen.columns, Rerun: rerun,
		})
		var film bytes.Buffer
		shot := func(title string) { film.WriteString("=== " + title + "\n" + screen.String()) }

		p.Start(planOf(run))
		shot("start")
		for range 4 {
			p.TrialStarted("")
		}
		pass(time.Second)
		shot("four running")
		for i := range 4 {
			p.TrialDone(run.Briefs.At(i), trialOf(t, run, i))
			p.TrialStarted("")
		}
		pass(time.Second)
		shot("four done")
		screen.resize(60)
		for i := 4; i < 7; i++ {
			p.TrialDone(run.Briefs.At(i), trialOf(t, run, i))
		}
		pass(time.Second)
		shot("narrower")
		for i := 7; i < run.Briefs.Len(); i++ {
			p.TrialDone(run.Briefs.At(i), trialOf(t, run, i))
		}
		if err := p.Finish(run, "out/results.json"); err != nil {
			t.Error(err)
		}
		shot("finished")
		golden.Check(t, "live.txt", film.Bytes())
	})
}

// TestSlowTrials names the trials that run for longest, on a screen that becomes narrower.
func TestSlowTrials(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		run := resulttest.Flaky()
		screen := newScreen(t, 100)
		p := term.New(term.Options{Out: screen, Err: screen, TTY: true, Width: screen.columns})
		var film bytes.Buffer
		shot := func(title string) { film.WriteString("=== " + title + "\n" + screen.String()) }
		p.Start(planOf(run))
		for i := range 5 {
			p.TrialStarted(run.Briefs.At(i).ID)
			pass(time.Second)
		}
		shot("the first for five seconds")
		pass(time.Minute)
		shot("all for a minute")
		screen.resize(60)
		p.TrialDone(run.Briefs.At(1), trialOf(t, run, 1))
		pass(time.Second)
		shot("narrower, and one is done")
		for _, i := range []int{0, 2, 3, 4} {
			p.TrialDone(run.Briefs.At(i), trialOf(t, run, i))
		}
		p.Stop()
		shot("stopped")
		golden.Check(t, "slow.txt", film.Bytes())
	})
}

// pass lets time pass; a redraw that is due then has happened.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestRedrawsTenTimesASecond finishes a thousand trials within one second.
func TestRedrawsTenTimesASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		run := resulttest.Big(1000)
		trial := trialOf(t, run, 0)
		err, out := newScreen(t, 80), &bytes.Buffer{}
		p := term.New(term.Options{Out: out, Err: err, TTY: true, Width: columns(80)})
		p.Start(planOf(run))
		for range run.Briefs.Len() {
			p.TrialStarted("")
			p.TrialDone(run.Briefs.At(0), trial)
			pass(time.Millisecond)
		}
		if draws := err.written() / 2; draws > 11 { // each takes one write to erase and one to draw
			t.Errorf("%d redraws in a second", draws)
		}
		p.Stop()
		p.Stop()
		if got := strings.Count(out.String(), "\n"); got != 1000 {
			t.Errorf("%d lines, want one for each of the 1000 trials", got)
		}
		if diff := cmp.Diff("", strings.TrimSpace(err.String())); diff != "" {
			t.Errorf("the block stays behind:\n%s", diff)
		}
	})
}

func TestNothingIsRedrawnWhenNothingChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := newScreen(t, 80)
		p := term.New(term.Options{Out: io.Discard, Err: err, TTY: true, Width: columns(80)})
		p.Start(term.Plan{Trials: 3})
		pass(time.Minute)
		if n := err.written(); n != 1 {
			t.Errorf("%d writes in an idle minute, want 1", n)
		}
		p.Stop()
	})
}

var errPipe = errors.New("broken pipe")

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

func TestErrors(t *testing.T) {
	t.Parallel()
	run := resulttest.OneFailed()
	for name, o := range map[string]term.Options{
		"piped": {Out: brokenPipe{}},
		"live":  {Out: brokenPipe{}, Err: io.Discard, TTY: true, Width: columns(80)},
	} {
		p := term.New(o)
		p.Start(planOf(run))
		p.TrialDone(run.Briefs.At(0), trialOf(t, run, 0))
		if err := p.Finish(run); !errors.Is(err, errPipe) {
			t.Errorf("%s: got %v, want %v", name, err, errPipe)
		}
	}
	run.Trials = resulttest.Memory(nil)
	if err := term.New(term.Options{Out: io.Discard}).Finish(run); err == nil {
		t.Error("failures that cannot be read were left out in silence")
	}
}
