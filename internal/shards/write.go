package shards

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// Header is how the journal of the whole run begins.
func (s *Set) Header() result.JournalHeader {
	first := s.Parts[0]
	h := first.outline.Header
	merged := &result.Merged{Of: first.Shard.Of, Plan: first.Shard.Plan, Missing: s.Holes}
	for _, p := range s.Parts {
		merged.Shards = append(merged.Shards, p.Shard.Number)
		if p.outline.Header.Started.Before(h.Started) {
			h.Started = p.outline.Header.Started
		}
		if p.outline.Header.Programs != h.Programs {
			h.Programs = "" // it is not known which programs a trial used
		}
	}
	spec := *h.Spec
	spec.Shard, spec.ShardBy, spec.Out = "", "", ""
	h.Spec, h.Merged, h.Planned, h.Resume = &spec, merged, first.Shard.Planned, nil
	h.Gates, h.Slots = nil, 0
	for _, p := range s.Parts {
		for _, g := range p.outline.Header.Gates {
			g.First = p.place(g.First)
			h.Gates = append(h.Gates, g)
		}
	}
	sortby.Func(h.Gates, func(a, b result.GatedGroup) int { return a.First - b.First })
	if len(h.Gates) > 0 {
		h.Slots = first.slots()
	}
	h.Shard, h.Places, h.Kept, h.Recounted, h.Rejudged, h.Dropped = nil, nil, nil, nil, nil, nil
	return h
}

// Write writes the journal of the whole run, without its footer. It copies the lines of the shards.
func (s *Set) Write(file *os.File, h result.JournalHeader) (*result.Journal, error) {
	pieces := make([]result.Piece, len(s.Parts))
	for i, p := range s.Parts {
		pieces[i] = result.Piece{Outline: p.outline, Place: p.place}
	}
	return result.Compose(&buffered{File: file, w: bufio.NewWriterSize(file, 1<<18)}, h, pieces)
}

// buffered is a file that is written in large pieces.
type buffered struct {
	*os.File

	w *bufio.Writer
}

func (b *buffered) Write(p []byte) (int, error) { return b.w.Write(p) }

// Sync implements result.Syncer.
func (b *buffered) Sync() error {
	if err := b.w.Flush(); err != nil {
		return err
	}
	return b.File.Sync()
}

// Lasted is how long the longest shard took: they are meant to run at the same time.
func (s *Set) Lasted() time.Duration {
	longest := 0.0
	for _, p := range s.Parts {
		if end := p.outline.Footer; end != nil {
			longest = max(longest, end.DurationMS)
		}
	}
	return time.Duration(longest * float64(time.Millisecond))
}

// Warnings are the warnings about files and single shards, each once, and those of claims that no shard met. If a part
// is missing, claims are not reported: it may have met them.
func (s *Set) Warnings() (files, own, claims []string) {
	once := map[string]bool{}
	add := func(to *[]string, texts []string) {
		for _, text := range texts {
			if !once[text] {
				once[text] = true
				*to = append(*to, text)
			}
		}
	}
	var all [][]result.Claim
	add(&files, s.left)
	add(&own, s.warnTimeGap())
	for _, p := range s.Parts {
		if end := p.outline.Footer; end != nil && end.Shard != nil {
			add(&files, end.Shard.Files)
			add(&own, end.Shard.Own)
			all = append(all, end.Shard.Claims)
		}
	}
	if len(s.Holes) == 0 {
		for _, c := range result.UnmetClaims(result.JoinClaims(all...)) {
			claims = append(claims, c.Unmet)
		}
	}
	return files, own, claims
}

// together is how long after the first shard of a run the others begin at most, unless one is of another run.
const together = 24 * time.Hour

// warnTimeGap warns of shards that started long after each other: they have the same plan, but the agent may have
// changed.
func (s *Set) warnTimeGap() []string {
	at := func(p *Part) time.Time { return p.outline.Header.Started }
	first := slices.MinFunc(s.Parts, func(a, b *Part) int { return at(a).Compare(at(b)) })
	last := slices.MaxFunc(s.Parts, func(a, b *Part) int { return at(a).Compare(at(b)) })
	if at(last).Sub(at(first)) <= together {
		return nil
	}
	return []string{fmt.Sprintf("the shards began more than a day apart, and one may be of an earlier run: "+
		"%s at %s, %s at %s",
		first.Path, at(first).UTC().Format(time.RFC3339), last.Path, at(last).UTC().Format(time.RFC3339))}
}

// whose is the shard of a line of the journal that Write wrote, by its number.
func (s *Set) whose(line int) *Part {
	line -= 2 // the first is the header
	for _, p := range s.Parts {
		if line < len(p.outline.Lines) {
			return p
		}
		line -= len(p.outline.Lines)
	}
	return s.Parts[len(s.Parts)-1]
}
