package show

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Width is the number of terminal columns that a line takes. It does not depend on the locale.
func Width(s string) int { return displaywidth.String(s) }

// Cut shortens a line to at most width columns, with … at the end if something was cut. It never splits a character.
func Cut(s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case len(s) <= width: // a column takes at least one byte
		return s
	}
	if keep := 8*width + 64; len(s) > keep { // avoids measuring a megabyte to show one line
		if head := Head(s, keep); displaywidth.String(head) > width {
			s = head
		}
	}
	return displaywidth.TruncateString(s, width, "…")
}

// Head is the first n bytes of s, or fewer to avoid splitting a character.
func Head(s string, n int) string {
	if n < 0 {
		return ""
	}
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Wrap breaks text into lines of at most width columns, at newlines and, where possible, at spaces. With limit > 0
// there are at most limit lines, with … at the end if something was cut.
func Wrap(s string, width, limit int) []string {
	w := wrapper{width: max(width, 2), limit: limit}
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		if w.full() {
			break
		}
		w.line(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " "))
	}
	if w.full() {
		w.out = w.out[:limit]
		w.out[limit-1] = Cut(w.out[limit-1]+"…", w.width)
	}
	return w.out
}

type wrapper struct {
	width, limit int
	out          []string
}

// full reports whether there are more lines than may be shown.
func (w *wrapper) full() bool { return w.limit > 0 && len(w.out) > w.limit }

func (w *wrapper) line(s string) {
	for !w.full() {
		head := w.fitting(s)
		w.out = append(w.out, strings.TrimRight(head, " "))
		if len(head) == len(s) {
			return
		}
		s = strings.TrimLeft(s[len(head):], " ")
	}
}

// fitting is the longest start of s that fits and ends at a space, or within a word that is longer than a line.
func (w *wrapper) fitting(s string) string {
	if len(s) <= w.width {
		return s
	}
	head := s
	if keep := 8*w.width + 64; len(s) > keep {
		head = Head(s, keep)
	}
	cut := displaywidth.TruncateString(head, w.width, "")
	if len(cut) == len(s) {
		return s
	}
	if cut == "" { // a character wider than the line, or a letter with hundreds of combining marks
		return head
	}
	if s[len(cut)] == ' ' {
		return cut
	}
	if i := strings.LastIndexByte(cut, ' '); i > 0 && strings.TrimLeft(cut[:i], " ") != "" {
		return cut[:i]
	}
	return cut
}
