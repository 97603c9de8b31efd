package recording

import (
	"strconv"

	"github.com/arena-evals/arena/internal/result"
)

func isJournal(h *head) bool { return h.lines && h.has("journal", "arena") }

// scanJournal finds the trials of a journal. What a killed run left counts; half a line at the end is no trial.
func scanJournal(s *scan) {
	silent, header, ended := 0, false, false
	planned := 0.0
	waiting := map[int64]bool{} // offsets of trials that never started
	cut := s.lines(func(l line) bool {
		index, trial := l.get("index"), l.get("trial")
		switch {
		case header && !l.get("journal").missing():
			silent = s.resumed(l.get("kept"), waiting)
			planned, _ = l.get("planned").number()
			ended = false
		case !header:
			header = true
			version, _ := l.get("journal").number()
			if version != result.SchemaVersion {
				s.errorf(s.pos(l.span), "unknown-version", "the journal has version %s; this arena reads version %d",
					cutText(string(l.get("journal").text), 20), result.SchemaVersion)
				return false
			}
			planned, _ = l.get("planned").number()
		case l.get("end").kind() == '{':
			ended = true
		case trial.kind() != '{' || index.missing():
			s.errorf(s.pos(l.span), "wrong-line", "a line of a journal must be a trial or the end").
				Hint = "is this line from another file?"
		case neverSpoke(trial):
			silent++
			if n := neverStarted(trial); n > 0 {
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
	case int(planned) > trials: // also of a run that judged what is there of one that was stopped
		s.stopped(planned, trials, "journal")
	case !ended:
		s.notef("the run did not end by itself: %d of %s trials are in its journal",
			trials, strconv.FormatFloat(planned, 'f', -1, 64))
	}
	s.silentTrials(silent)
}

// resumed keeps of the trials so far those that stand in the run that resumed the journal, by their index in its plan.
// silent counts the others that it keeps: nothing was said in them. Of those that are waiting since the run was stopped
// only the kept ones are missing still: the others are run again, or are no part of the plan any more.
func (s *scan) resumed(kept value, waiting map[int64]bool) (silent int) {
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
