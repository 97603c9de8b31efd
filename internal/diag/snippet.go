package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

const tabWidth = 4

// snippet prepares a source line for the terminal: tabs expanded, control characters made visible, secrets starred
// out, and cut to room columns around the marked characters. It returns the text, the columns before the mark and the
// mark itself. col counts from 1 in characters.
func snippet(line string, col, width, room int) (text string, pad int, mark string) {
	line, skipped := near(line, col)
	cells := layout(HideSecrets(line))
	from := min(max(col-1-skipped, 0), len(cells))
	to := from + min(max(width, 1), len(cells)-from)
	first, last := window(cells, from, to, max(room, 20))
	var b strings.Builder
	if first+skipped > 0 {
		b.WriteString("…")
		pad = 1
	}
	marked := 0
	for i := first; i < last; i++ {
		b.WriteString(cells[i].text)
		switch {
		case i < from:
			pad += cells[i].width
		case i < to:
			marked += cells[i].width
		}
	}
	if last < len(cells) {
		b.WriteString("…")
	}
	return b.String(), pad, "^" + strings.Repeat("~", max(marked-1, 0))
}

// near cuts a very long line down to the surroundings of a column. It returns the number of characters that it left out
// before them.
func near(line string, col int) (text string, skipped int) {
	const reach = 4096 // far more than is shown, so that a secret is not cut
	if len(line) <= 4*reach {
		return line, 0
	}
	runes := []rune(line)
	from := min(max(col-reach, 0), len(runes))
	return string(runes[from:min(from+2*reach, len(runes))]), from
}

// cell is one character as it is shown.
type cell struct {
	text  string
	width int
}

func layout(line string) []cell {
	cells := make([]cell, 0, len(line))
	column := 0
	for _, c := range line {
		shown := cell{text: string(visible(c))}
		if c == '\t' {
			shown.width = tabWidth - column%tabWidth
			shown.text = strings.Repeat(" ", shown.width)
		} else {
			shown.width = displaywidth.String(shown.text)
		}
		column += shown.width
		cells = append(cells, shown)
	}
	return cells
}

// window chooses the cells [first, last) to show so that they fit into room columns and hold the start of the mark.
func window(cells []cell, from, to, room int) (first, last int) {
	total := 0
	for _, c := range cells {
		total += c.width
	}
	if total <= room {
		return 0, len(cells)
	}
	room -= 2 // for the ellipses
	// The mark comes first, then up to a third of the room before it, then as much as fits behind.
	used := 0
	for last = from; last < to && used+cells[last].width <= room; last++ {
		used += cells[last].width
	}
	before := max(room/3, room-used-room/3)
	for first = from; first > 0 && cells[first-1].width <= before && used+cells[first-1].width <= room; first-- {
		before -= cells[first-1].width
		used += cells[first-1].width
	}
	for ; last < len(cells) && used+cells[last].width <= room; last++ {
		used += cells[last].width
	}
	for ; first > 0 && used+cells[first-1].width <= room; first-- {
		used += cells[first-1].width
	}
	return first, last
}

// visible replaces what would move the cursor, change colours or reorder the line by a sign for it.
func visible(c rune) rune {
	switch {
	case c == '\t':
		return c
	case c < 0x20:
		return 0x2400 + c // the control pictures of Unicode
	case c == 0x7f:
		return '␡'
	case !unicode.IsPrint(c): // C1, zero width, bidirectional controls, line separators
		return utf8.RuneError
	}
	return c
}

// Safe makes text of a file or a model harmless for one line of a terminal: control characters, line breaks and
// invisible ones are replaced by signs.
func Safe(s string) string {
	clean := true
	for _, c := range s {
		if c == '\t' || visible(c) != c || c == utf8.RuneError {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' {
			return ' '
		}
		return visible(c)
	}, s)
}
