// Package shards merges the journals of shards: of runs that each had a part of one plan.
package shards

import (
	"errors"
	"fmt"
	"os"
	"sort"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

// Part is the journal of a shard.
type Part struct {
	Path    string // of the journal, for messages
	Shard   *result.Shard
	outline *result.Outline
	file    *os.File
	starts  []int // how many trials of the shard stand before each range of places
}

// Open opens the journal of a shard. It must be closed.
func Open(path string) (p *Part, err error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	outline, err := result.ReadOutline(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h := &outline.Header
	switch {
	case h.Merged != nil:
		return nil, fmt.Errorf("%s is merged already: name the folders of its shards", path)
	case h.Shard == nil:
		return nil, fmt.Errorf("%s is the run of a whole plan, and no shard of one", path)
	case h.Spec == nil || h.Spec.Command != "run":
		return nil, fmt.Errorf("%s is no run of agents: shards are merged before they are judged again", path)
	}
	p = &Part{Path: path, Shard: h.Shard, outline: outline, file: file}
	if err := p.checkPlaces(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Close closes the journal.
func (p *Part) Close() error { return p.file.Close() }

// checkPlaces refuses a header that contradicts itself.
func (p *Part) checkPlaces() error {
	s, h := p.Shard, &p.outline.Header
	n, last := 0, 0
	for _, r := range h.Places {
		if r[0] < last || r[1] <= r[0] || r[1] > max(s.Planned, s.Slots) {
			return fmt.Errorf("corrupt journal: its header has the places %d to %d of a plan of %d trials", r[0], r[1],
				s.Planned)
		}
		p.starts = append(p.starts, n)
		n, last = n+r[1]-r[0], r[1]
	}
	switch {
	case s.Number < 1 || s.Number > s.Of:
		return fmt.Errorf("corrupt journal: its header has the shard %s", s)
	case max(h.Planned, h.Slots) < n:
		return fmt.Errorf("corrupt journal: its header has places for %d trials, and %d are planned", n, h.Planned)
	}
	return nil
}

// size is the number of trials of the shard.
func (p *Part) size() int {
	if len(p.starts) == 0 {
		return 0
	}
	k := len(p.starts) - 1
	last := p.outline.Header.Places[k]
	return p.starts[k] + last[1] - last[0]
}

// slots is the number of places in the whole plan.
func (p *Part) slots() int { return max(p.Shard.Planned, p.Shard.Slots) }

// place is the index of a trial of the shard in the whole plan; -1: it is not in the plan.
func (p *Part) place(index int) int {
	if index < 0 || index >= p.size() {
		return -1
	}
	k := sort.Search(len(p.starts), func(k int) bool { return p.starts[k] > index }) - 1
	return p.outline.Header.Places[k][0] + index - p.starts[k]
}

// gone are ids of kept trials of the shard that are no longer in its plan, those that did not pass first, and the
// number of these.
func (p *Part) gone() (ids []string, red int) {
	var passed []string
	for i := range p.outline.Lines {
		l := &p.outline.Lines[i]
		if !l.Gone() && p.place(l.Index) >= 0 {
			continue
		}
		t, err := p.outline.Trial(l)
		switch {
		case err != nil:
			ids = append(ids, fmt.Sprintf("one that cannot be read (%v)", err))
		case t.Status == result.Passed, t.Status == result.Skipped, t.Status == result.Failed && l.Excused():
			passed = append(passed, t.ID)
		default:
			ids = append(ids, t.ID)
		}
	}
	return append(ids, passed...), len(ids)
}
