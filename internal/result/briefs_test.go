package result_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestCollectedBriefsAreWhole keeps more trials than fit on a page, and takes them in two parts.
func TestCollectedBriefsAreWhole(t *testing.T) {
	t.Parallel()
	run := resulttest.Hostile()
	var c result.Collector
	var want []result.Brief
	add := func(n int) {
		for range n {
			one, err := run.Trials.Trial(len(want) % run.Briefs.Len())
			if err != nil {
				t.Fatal(err)
			}
			one.Index, one.ID = len(want), fmt.Sprintf("%s-%d", one.ID, len(want))
			one.Gone = true // so that no other trial has a say
			c.Add(one)
			want = append(want, result.NewBrief(one))
		}
		got := &result.Run{}
		c.Finish(got)
		if diff := cmp.Diff(want, resulttest.Briefs(got)); diff != "" {
			t.Error(diff)
		}
	}
	add(1500)
	add(700)
}

// BenchmarkCollect measures what a run keeps of each of its trials, while it goes on and at its end.
func BenchmarkCollect(b *testing.B) {
	const trials = 100_000
	run := resulttest.AllPassed()
	one, err := run.Trials.Trial(0)
	if err != nil {
		b.Fatal(err)
	}
	one.Trials = trials
	b.ReportAllocs()
	for b.Loop() {
		var c result.Collector
		before := inUse()
		for i := range trials {
			one.Index, one.Trial, one.ID = i, i+1, fmt.Sprintf("refund/gpt-4o/default#%d", i+1)
			c.Add(one)
		}
		b.ReportMetric(float64(inUse()-before)/trials, "B/running")
		var got result.Run
		c.Finish(&got)
		b.ReportMetric(float64(inUse()-before)/trials, "B/ended")
		runtime.KeepAlive(&c)
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
