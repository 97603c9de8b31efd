package recording

import (
	"strconv"

	"github.com/arena-evals/arena/internal/result"
)

func isJournal(h *head) bool { return h.lines && h.has("journal", "arena") }

// scanJournal finds the trials of a journal. The journal of a killed run may end in an incomplete line.
func scanJournal(s *scan) {
	j := &journalScan{scan: s, unfinished: -1, waiting: map[int64]bool{}}
	if cut := s.lines(j.line); cut.line > 0 {
		s.notef("line %d is cut, as a run that was killed leaves it, and was left out", cut.line)
	}
	j.end()
}

// journalScan is the state of a scan of a journal.
type journalScan struct {
	*scan
	header     bool           // a header was read
	planned    float64        // planned trials, by the last header
	early      bool           // gates may conclude before all trials ran
	ended      bool           // an end followed the last header
	unfinished int            // trials that did not finish, by the end line; -1: it does not say
	silent     int            // trials without messages
	waiting    map[int64]bool // offsets of trials that did not start
}

// line reads one line: a header, an end or a trial. It returns false if the following lines cannot be read.
func (j *journalScan) line(l line) bool {
	isHeader := !l.get("journal").missing()
	if isHeader {
		if err := j.declare(l.get("declared")); err != nil {
			j.errorf(j.pos(l.span), "wrong-type", "declared: %v", err)
			return false
		}
	}
	index, trial := l.get("index"), l.get("trial")
	switch {
	case isHeader && j.header: // the run was resumed
		j.silent = j.keepResumed(l.get("kept"), j.waiting)
		j.plan(l)
		j.ended, j.unfinished = false, -1
	case !j.header:
		j.header = true
		return j.first(l)
	case l.get("end").kind() == '{':
		n, _ := l.get("end").get("unfinished").number()
		j.ended, j.unfinished = true, int(n)
	case trial.kind() != '{' || index.missing():
		j.errorf(j.pos(l.span), "wrong-line", "a line of a journal must be a trial or the end").
			Hint = "is this line from another file?"
	case hasNoMessages(trial):
		j.silent++
		if n := countNotStarted(trial); n > 0 {
			j.waiting[l.span.at] = true
			j.missing += n
		}
	default:
		if e := j.add(string(index.text), l.span); e.count > 1 {
			j.errorf(j.pos(l.span), "duplicate-trial", "trial %s is already on line %d", index.text, e.first().line)
		}
	}
	return true
}

// first reads the first header, and refuses the version of another arena.
func (j *journalScan) first(l line) bool {
	version, _ := l.get("journal").number()
	if version != result.SchemaVersion {
		j.errorf(j.pos(l.span), "unknown-version", "the journal has version %s; this arena reads version %d",
			cutText(string(l.get("journal").text), 20), result.SchemaVersion)
		return false
	}
	j.plan(l)
	return true
}

// plan reads the number of planned trials from a header.
func (j *journalScan) plan(l line) {
	j.planned, _ = l.get("planned").number()
	j.early = !l.get("gates").missing()
}

// end counts the trials that are missing and notes the ones without messages.
func (j *journalScan) end() {
	trials := len(j.index.entries) + j.silent
	switch {
	case j.problems.Errors() > 0:
	case j.early && j.unfinished >= 0: // trials that were not needed for a verdict are not missing
		started := trials - j.missing
		j.missing = 0
		j.countMissing(float64(started+j.unfinished), started, "journal")
	case int(j.planned) > trials: // also when an incomplete run was judged
		j.countMissing(j.planned, trials, "journal")
	case !j.ended:
		j.notef("the run did not end by itself: %d of %s trials are in its journal",
			trials, strconv.FormatFloat(j.planned, 'f', -1, 64))
	}
	j.noteEmptyTrials(j.silent)
}

// keepResumed keeps the trials that the resumed run kept, by their index in its plan, and counts those without
// messages. Trials that did not start before count as missing only if they were kept: the others run again.
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
