package cassette

import (
	"fmt"
	"slices"
	"strings"
)

// nearest describes how a request differs from the most similar recorded one.
func (rec *Recorder) nearest(q *asked, at string) string {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	asked := leaves(q.request, q.tools)
	var best *entry
	var bestScore [3]int
	for _, e := range rec.entries {
		if e.kind != q.kind {
			continue
		}
		score := [3]int{commonLines(asked, leaves(e.request, e.tools)), 0, 0}
		if !e.played {
			score[1] = 1
		}
		if e.at == at {
			score[2] = 1
		}
		if best == nil || slices.Compare(score[:], bestScore[:]) > 0 {
			best, bestScore = e, score
		}
	}
	if best == nil {
		return fmt.Sprintf("%s: it holds no %s exchange", at, q.kind)
	}
	changes := differences(leaves(best.request, best.tools), asked)
	if len(changes) == 0 {
		return fmt.Sprintf("%s: %s asked once more than recorded: %s", at, q.kind, firstLine(asked))
	}
	const limit = 3
	if more := len(changes) - limit; more > 0 {
		changes = append(changes[:limit], fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s: %s differs from the recorded one (%s) in\n%s", at, subjectOf(q), best.at,
		strings.Join(changes, "\n"))
}

func subjectOf(q *asked) string {
	switch r := q.request.(type) {
	case *modelRequest:
		return "the model request"
	case *toolRequest:
		return "the call of the tool " + r.Name
	case *toolListRequest:
		return "the question for the tools of " + r.Source
	case *judgeRequest:
		return "the question to the judge"
	case *outsideRequest:
		return "what is sent to " + r.To
	}
	return "the " + q.kind + " request"
}

// differences describes the changes from the recorded request to the present one.
func differences(recorded, current []leaf) (out []string) {
	old := make(map[string][]string, len(recorded))
	for _, l := range recorded {
		old[l.path] = l.lines
	}
	for _, l := range current {
		before, known := old[l.path]
		delete(old, l.path)
		switch {
		case !known:
			out = append(out, fmt.Sprintf("%s, which is new:\n  + %s", l.path, clip(l.lines[0], 0)))
		case !slices.Equal(before, l.lines):
			out = append(out, l.path+lineDiff(before, l.lines))
		}
	}
	for _, l := range recorded {
		if _, gone := old[l.path]; gone {
			out = append(out, fmt.Sprintf("%s, which is gone:\n  - %s", l.path, clip(l.lines[0], 0)))
		}
	}
	return out
}

// lineDiff shows the lines that differ, without the common ones at both ends.
func lineDiff(recorded, current []string) string {
	head := 0
	for head < len(recorded) && head < len(current) && recorded[head] == current[head] {
		head++
	}
	tail := 0
	for tail < len(recorded)-head && tail < len(current)-head &&
		recorded[len(recorded)-1-tail] == current[len(current)-1-tail] {
		tail++
	}
	recorded, current = recorded[head:len(recorded)-tail], current[head:len(current)-tail]
	text := ""
	if head > 0 || tail > 0 || len(recorded) > 1 || len(current) > 1 {
		text = fmt.Sprintf(", line %d", head+1)
	}
	text += ":"
	common := 0
	if len(recorded) > 0 && len(current) > 0 {
		common = sharedRunes(recorded[0], current[0])
	}
	const limit = 3
	return text + diffLines("-", recorded, common, limit) + diffLines("+", current, common, limit)
}

func diffLines(sign string, lines []string, common, limit int) (text string) {
	for i, line := range lines {
		if i == limit {
			return text + fmt.Sprintf("\n  %s … %d more lines", sign, len(lines)-limit)
		}
		if i > 0 {
			common = 0
		}
		text += "\n  " + sign + " " + clip(line, common)
	}
	return text
}

// sharedRunes is the length of the common prefix, in characters.
func sharedRunes(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// clip shortens a line around the position where it differs.
func clip(line string, from int) string {
	const width, lead = 120, 40
	r := []rune(line)
	if len(r) <= width {
		return line
	}
	start := max(0, min(from-lead, len(r)-width))
	text := string(r[start:min(len(r), start+width)])
	if start > 0 {
		text = "…" + text
	}
	if start+width < len(r) {
		text += "…"
	}
	return text
}

func firstLine(l []leaf) string {
	if len(l) == 0 {
		return ""
	}
	last := l[len(l)-1]
	for _, one := range l {
		if strings.HasPrefix(one.path, "message ") || one.path == "name" {
			last = one
		}
	}
	return last.path + ": " + clip(last.lines[0], 0)
}
