package term

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// progress is the state of a run as the live block shows it.
type progress struct {
	total, started, finished int
	failed, errors           int
	tokens                   int
	usd                      float64
	simulated                float64 // the part of usd that mocks made up
	priced                   bool    // some cost is known
	begin                    time.Time
	running                  []runningTrial // the one that started first comes first
}

type runningTrial struct {
	id    string
	since time.Time
}

func (s *progress) trialStarted(id string, now time.Time) {
	s.started++
	s.running = append(s.running, runningTrial{id, now})
}

func (s *progress) trialDone(b *result.Brief) {
	s.finished++
	s.started = max(s.started, s.finished)
	if i := slices.IndexFunc(s.running, func(r runningTrial) bool { return r.id == b.ID }); i >= 0 {
		s.running = slices.Delete(s.running, i, i+1)
	}
	switch b.Status {
	case result.Passed, result.Skipped, result.Cancelled:
	case result.Failed:
		s.failed++
	default:
		s.errors++
	}
	s.tokens += b.Usage.Total()
	if b.CostUSD != nil && *b.CostUSD > 0 {
		s.usd += *b.CostUSD
		s.simulated += b.SimulatedUSD()
		s.priced = true
	}
}

const (
	maxBar = 28
	minBar = 8
)

// bar draws the progress in at most width columns. Where there is little room it leaves out the numbers of the lowest
// priority (keep).
func (s *progress) bar(now time.Time, width int) *row {
	type number struct {
		text string
		as   style
		keep int // the higher, the longer it is kept
	}
	all := []number{{fmt.Sprintf("%d/%d", s.finished, s.total), bold, 9}}
	add := func(when bool, text string, as style, keep int) {
		if when {
			all = append(all, number{text, as, keep})
		}
	}
	running := s.started - s.finished
	add(s.failed > 0, fmt.Sprintf("%d failed", s.failed), red, 8)
	add(s.errors > 0, show.Errors(s.errors), yellow, 7)
	add(running > 0, fmt.Sprintf("%d running", running), plain, 4)
	add(s.tokens > 0, show.Short(s.tokens)+" tokens", dim, 3)
	add(s.priced, show.Spent(&s.usd, s.simulated), dim, 5)
	if left := s.left(now); left != "" {
		add(true, left, plain, 6)
	}
	taken := func() (n int) {
		for _, x := range all {
			n += 2 + show.Width(x.text)
		}
		return n
	}
	for taken()+minBar > width && len(all) > 1 {
		least := 0
		for i := range all {
			if all[i].keep < all[least].keep {
				least = i
			}
		}
		all = append(all[:least], all[least+1:]...)
	}
	r := s.blocks(min(maxBar, width-taken()))
	for _, x := range all {
		r.gap(2).add(x.as, x.text)
	}
	return r.cut(width)
}

const (
	slow      = 5 * time.Second // a trial that runs longer is named
	slowNamed = 3
)

// slowest names the trials that have been running for longest; nil when none has been for long.
func (s *progress) slowest(now time.Time, width int) *row {
	var names []string
	for _, r := range s.running[:min(len(s.running), slowNamed)] {
		if took := now.Sub(r.since); took >= slow {
			names = append(names, took.Truncate(time.Second).String()+" "+show.Line(r.id))
		}
	}
	if names == nil {
		return nil
	}
	return (&row{}).add(dim, "running for longest: "+strings.Join(names, ", ")).cut(width)
}

// blocks is the bar without its numbers.
func (s *progress) blocks(width int) *row {
	r := &row{}
	if width < 3 {
		return r
	}
	full := width
	if s.finished < s.total {
		full = min(width*s.finished/s.total, width-1)
	}
	as := green
	switch {
	case s.failed > 0:
		as = red
	case s.errors > 0:
		as = yellow
	}
	return r.add(as, strings.Repeat("━", full)).add(dim, strings.Repeat("╌", width-full))
}

// left estimates the time left from the mean time of the finished trials.
func (s *progress) left(now time.Time) string {
	if s.finished == 0 || s.finished >= s.total {
		return ""
	}
	each := now.Sub(s.begin) / time.Duration(s.finished)
	seconds := int(math.Ceil((each * time.Duration(s.total-s.finished)).Seconds()))
	switch {
	case seconds < 90:
		return fmt.Sprintf("~%ds left", seconds)
	case seconds < 90*60:
		return fmt.Sprintf("~%dm left", (seconds+30)/60)
	}
	return fmt.Sprintf("~%dh left", (seconds+1800)/3600)
}
