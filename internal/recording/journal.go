package recording

import (
	"strconv"

	"github.com/arena-evals/arena/internal/result"
)

func isJournal(h *head) bool { return h.lines && h.has("journal", "arena") }

// scanJournal finds the trials of a journal. The journal of a killed run may end in an incomplete line.
func scanJournal(s *scan) {
	silent, header, ended := 0, false, false
	planned, early := 0.0, false
	left := -1                  // trials that did not finish, as the end says; -1: there is none
	waiting := map[int64]bool{} // offsets of trials that did not start
	cut := s.lines(func(l line) bool {
		index, trial := l.get("index"), l.get("trial")
		if !l.get("journal").missing() {
			if err := s.declare(l.get("declared")); err != nil {
				s.errorf(s.pos(l.span), "wrong-type", "declared: %v", err)
				return false
			}
		}
		switch {
		case header && !l.get("journal").missing():
			silent = s.keepResumed(l.get("kept"), waiting)
			planned, _ = l.get("planned").number()
			ended, early, left = false, !l.get("gates").missing(), -1
		case !header:
			header = true
			version, _ := l.get("journal").number()
			if version != result.SchemaVersion {
				s.errorf(s.pos(l.span), "unknown-version", "the journal has version %s; this arena reads version %d",
					cutText(string(l.get("journal").text), 20), result.SchemaVersion)
				return false
			}
			planned, _ = l.get("planned").number()
			early = !l.get("gates").missing()
		case l.get("end").kind() == '{':
			n, _ := l.get("end").get("unfinished").number()
			ended, left = true, int(n)
		case trial.kind() != '{' || index.missing():
			s.errorf(s.pos(l.span), "wrong-line", "a line of a journal must be a trial or the end").
				Hint = "is this line from another file?"
		case hasNoMessages(trial):
			silent++
			if n := countNotStarted(trial); n > 0 {
				waiting[l.span.at] = true
				s.missing += n
			}
		default:
			if e := s.add(string(index.text), l.span); e.count > 1 {
				s.errorf(s.pos(l.span), "duplicate-trial", "trial %s is already on line %d", index.text, e.first().line)
			}
		}
		return true
	})
	if cut.line > 0 {
		s.notef("line %d is cut, as a run that was killed leaves it, and was left out", cut.line)
	}
	trials := len(s.index.entries) + silent
	switch {
	case s.problems.Errors() > 0:
	case early && left >= 0: // trials that no verdict needed are not missing
		started := trials - s.missing
		s.missing = 0
		s.countMissing(float64(started+left), started, "journal")
	case int(planned) > trials: // also when an incomplete run was judged
		s.countMissing(planned, trials, "journal")
	case !ended:
		s.notef("the run did not end by itself: %d of %s trials are in its journal",
			trials, strconv.FormatFloat(planned, 'f', -1, 64))
	}
	s.noteEmptyTrials(silent)
}

// keepResumed keeps the trials that the resumed run kept, by their index in its plan. empty counts those without
// messages. Trials of the earlier part that did not start are missing only if they were kept: the others run again.
func (s *scan) keepResumed(kept value, waiting map[int64]bool) (silent int) {
	at := map[int64]*entry{}
	for _, e := range s.index.entries {
		for piece := range e.all {
			at[piece.at] = e
		}
	}
	s.index, s.missing = index{}, 0
	for pair := range kept.items {
		var numbers []string
		for item := range pair.items {
			numbers = append(numbers, string(item.text))
		}
		if len(numbers) != 2 {
			continue
		}
		offset, err := strconv.ParseInt(numbers[1], 10, 64)
		if e := at[offset]; e != nil && err == nil {
			s.add(numbers[0], e.first())
		} else {
			silent++
			if waiting[offset] {
				s.missing++
			}
		}
	}
	return silent
}
