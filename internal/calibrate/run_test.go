package calibrate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/scenario"
)

// judges answers by what it was shown: the first key that the question holds.
type judges struct {
	replies map[string]string
	before  func()
	asked   atomic.Int32
}

func (j *judges) Ask(ctx context.Context, _ grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	j.asked.Add(1)
	if j.before != nil {
		j.before()
	}
	if err := ctx.Err(); err != nil {
		return grading.Answer{}, err
	}
	a := grading.Answer{
		Judge: "strict", Provider: "p", Model: "m", Key: q.Messages[1].Content, Usage: chat.Usage{InputTokens: 10},
		CostUSD: new(0.5),
	}
	for key, reply := range j.replies {
		if strings.Contains(q.Messages[1].Content, key) {
			if reply == "" {
				return a, errors.New("503: overloaded")
			}
			a.Text = reply
		}
	}
	return a, nil
}

func compiled(t *testing.T, spec *scenario.Check) *checks.Compiled {
	t.Helper()
	var d diag.List
	c := (&checks.Compiler{}).Compile(spec, &d)
	if c == nil {
		t.Fatalf("the check does not compile: %v", problems(&d))
	}
	return c
}

func judge(t *testing.T, j *judges) *calibrate.Judge {
	t.Helper()
	return &calibrate.Judge{Check: compiled(t, calibrate.Criteria("Names the amount.", calibrate.Override{})), Judges: j}
}

func examples(labels ...string) (all []calibrate.Example) {
	for i, label := range labels {
		text, word, _ := strings.Cut(label, " ")
		all = append(all, calibrate.Example{
			Pos: diag.Pos{File: "a.jsonl", Line: int32(i + 1)}, Text: text, Pass: word == "pass",
		})
	}
	return all
}

func TestRun(t *testing.T) {
	t.Parallel()
	j := &judges{replies: map[string]string{
		"kind": `{"score": 0.9}`, "curt": `{"score": 0.2}`, "prose": "I would rather not.", "broken": "",
	}}
	var mu sync.Mutex
	told := map[calibrate.Status]int{}
	outcomes := calibrate.Run(t.Context(), judge(t, j),
		examples("kind1 pass", "curt1 pass", "kind2 fail", "curt2 fail", "prose pass", "broken fail"), 3,
		func(o *calibrate.Outcome) {
			if !mu.TryLock() {
				t.Error("two are told at once")
				return
			}
			defer mu.Unlock()
			told[o.Status]++
		})
	r := calibrate.NewReport("a.jsonl", judge(t, j).Check, outcomes)
	var got []string
	for _, it := range r.Items {
		got = append(got, fmt.Sprintf("%d %s %s/%s", it.Position.Line, it.Status, it.Human, it.Judge))
	}
	want := []string{
		"1 agree pass/pass", "2 disagree pass/fail", "3 disagree fail/pass", "4 agree fail/fail", "5 error pass/",
		"6 error fail/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[calibrate.Status]int{calibrate.Agrees: 2, calibrate.Disagrees: 2, calibrate.Broken: 2}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if r.Table != (agreement.Table{TruePass: 1, FalsePass: 1, FalseFail: 1, TrueFail: 1}) || r.Errors != 2 || r.N != 4 {
		t.Errorf("got %+v", r)
	}
	if r.Judges == nil || r.Judges.Calls != 6 || *r.Judges.CostUSD != 3 { // the repair of prose is one; broken took nothing
		t.Errorf("judges: got %+v", r.Judges)
	}
	if r.Judge != "strict" || r.Provider != "p" || r.Model != "m" {
		t.Errorf("judge: got %q %q %q", r.Judge, r.Provider, r.Model)
	}
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	j := &judges{replies: map[string]string{"a": `{"score": 1}`}}
	var once sync.Once
	outcomes := calibrate.Run(ctx, judge(t, j), examples("a1 pass", "a2 pass", "a3 pass", "a4 fail"), 1,
		func(*calibrate.Outcome) { once.Do(cancel) })
	r := calibrate.NewReport("a.jsonl", judge(t, j).Check, outcomes)
	if r.N != 1 || r.Cancelled != 3 || r.Total != 4 || len(r.Items) != 1 || j.asked.Load() != 1 {
		t.Errorf("got %d judged, %d stopped of %d, %d items, %d asked", r.N, r.Cancelled, r.Total, len(r.Items), j.asked.Load())
	}
}

// TestRunDropsWhatIsInFlight ends while a judge is asked: what comes of that is no error of the judge.
func TestRunDropsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	j := &judges{before: func() { cancel(errors.New("stopped")) }}
	outcomes := calibrate.Run(ctx, judge(t, j), examples("a pass"), 1, nil)
	if got := outcomes[0].Status; got != calibrate.Stopped {
		t.Errorf("got %s, want %s", got, calibrate.Stopped)
	}
}

func TestReportMeasures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		labels    []string
		kappa     float64
		note      string
		reached   []float64 // of these least kappas
		unreached []float64
	}{
		"agrees":        {[]string{"kind1 pass", "curt1 fail"}, 1, "", []float64{0, 1}, nil},
		"chance":        {[]string{"kind1 pass", "curt1 fail", "kind2 fail", "curt2 pass"}, 0, "", []float64{0, -1}, []float64{0.01}},
		"only passes":   {[]string{"kind1 pass", "kind2 pass"}, 0, "undefined: every label is pass; some must be fail", nil, []float64{-1, 0}},
		"only fails":    {[]string{"curt1 fail", "kind2 fail"}, 0, "undefined: every label is fail; some must be pass", nil, []float64{-1, 0}},
		"only errors":   {[]string{"broken1 pass", "broken2 fail"}, 0, "undefined: nothing could be compared", nil, []float64{-1}},
		"one is broken": {[]string{"kind1 pass", "curt1 fail", "broken2 fail"}, 1, "", []float64{1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge(t, &judges{replies: map[string]string{"kind": `{"score": 0.9}`, "curt": `{"score": 0.2}`, "broken": ""}})
			r := calibrate.NewReport("a", j.Check, calibrate.Run(t.Context(), j, examples(c.labels...), 2, nil))
			switch {
			case r.KappaNote != c.note:
				t.Errorf("note: got %q, want %q", r.KappaNote, c.note)
			case (r.Kappa == nil) != (c.note != ""):
				t.Errorf("kappa: got %v", r.Kappa)
			case r.Kappa != nil && *r.Kappa != c.kappa:
				t.Errorf("kappa: got %v, want %v", *r.Kappa, c.kappa)
			}
			for least, want := range union(c.reached, c.unreached) {
				if r.MinKappa = &least; r.Reached() != want {
					t.Errorf("a least kappa of %v: got %t", least, r.Reached())
				}
			}
		})
	}
}

func union(reached, unreached []float64) map[float64]bool {
	all := map[float64]bool{}
	for _, x := range reached {
		all[x] = true
	}
	for _, x := range unreached {
		all[x] = false
	}
	return all
}
