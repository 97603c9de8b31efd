// Package resulttest holds the runs that every report format is tested with: all passed, one failed, errored,
// cancelled, flaky, hostile text, and as many trials as one likes. Every call builds a fresh run; the same call
// always builds the same one.
package resulttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// Memory is a result.Source over trials in memory.
type Memory []*result.Trial

// Trial returns the i-th trial.
func (m Memory) Trial(i int) (*result.Trial, error) {
	if i < 0 || i >= len(m) {
		return nil, fmt.Errorf("trial %d of %d", i, len(m))
	}
	return m[i], nil
}

// Raw returns the i-th trial as compact JSON.
func (m Memory) Raw(i int) ([]byte, error) {
	t, err := m.Trial(i)
	if err != nil {
		return nil, err
	}
	return encode(t)
}

// Generated is a result.Source that makes its trials up when they are asked for, so that a run of any size takes no
// memory of its own.
type Generated struct {
	Len  int
	Make func(i int) *result.Trial // settled
}

// Trial returns the i-th trial.
func (g Generated) Trial(i int) (*result.Trial, error) {
	if i < 0 || i >= g.Len {
		return nil, fmt.Errorf("trial %d of %d", i, g.Len)
	}
	return g.Make(i), nil
}

// Raw returns the i-th trial as compact JSON.
func (g Generated) Raw(i int) ([]byte, error) {
	t, err := g.Trial(i)
	if err != nil {
		return nil, err
	}
	return encode(t)
}

func encode(t *result.Trial) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil {
		return nil, fmt.Errorf("encode trial %s: %w", t.ID, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// NewRun settles the trials, numbers them in the order given and folds them into a run of as many planned trials.
func NewRun(name string, trials ...*result.Trial) *result.Run {
	return Stopped(name, len(trials), trials...)
}

// Stopped is NewRun for a run that ended before all of its planned trials did.
func Stopped(name string, planned int, trials ...*result.Trial) *result.Run {
	for i, t := range trials {
		t.Index = i
		t.Judges = result.JudgesOf(t)
		t.Settle()
	}
	run := fold(name, planned, Generated{Len: len(trials), Make: func(i int) *result.Trial { return trials[i] }})
	run.Trials = Memory(trials)
	return run
}

// fold collects the trials of a source, one after the other.
func fold(name string, planned int, trials Generated) *result.Run {
	return covered(name, planned, nil, trials)
}

// covered is fold for a project that declares something.
func covered(name string, planned int, declared []result.Coverage, trials Generated) *result.Run {
	var c result.Collector
	c.Cover(declared)
	return folded(&c, name, planned, trials)
}

// gatedFold settles and folds trials of groups that may end early.
func gatedFold(name string, planned int, groups []result.GatedGroup, trials []*result.Trial) *result.Run {
	for i, t := range trials {
		t.Index = i
		t.Settle()
	}
	var c result.Collector
	c.Gate(groups)
	run := folded(&c, name, planned, Generated{Len: len(trials), Make: func(i int) *result.Trial { return trials[i] }})
	run.Trials = Memory(trials)
	return run
}

func folded(c *result.Collector, name string, planned int, trials Generated) *result.Run {
	run := &result.Run{
		SchemaVersion: result.SchemaVersion,
		Arena:         "1.2.3",
		Name:          name,
		Command:       []string{"arena", "run", "scenarios"},
		Started:       time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC),
		Planned:       planned,
		Trials:        trials,
	}
	for i := range trials.Len {
		b := c.Add(trials.Make(i))
		run.DurationMS += b.DurationMS / 4 // as if four ran at once
	}
	c.Finish(run)
	return run
}

// Change changes the briefs of a run, each by itself.
func Change(run *result.Run, change func(i int, b *result.Brief)) {
	all := Briefs(run)
	for i := range all {
		all[i].BriefShared = new(*all[i].BriefShared)
		change(i, &all[i])
	}
	run.Briefs = result.BriefsOf(all...)
}

// Briefs are the briefs of a run in a list.
func Briefs(run *result.Run) []result.Brief {
	all := make([]result.Brief, 0, run.Briefs.Len())
	for _, b := range run.Briefs.All() {
		all = append(all, b)
	}
	return all
}
