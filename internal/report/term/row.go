package term

import (
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
)

// row is a line of styled pieces. The text of a piece must be clean and without line breaks.
type row struct {
	pieces []piece
	width  int
}

type piece struct {
	text string
	as   style
}

// add appends a piece.
func (r *row) add(as style, text string) *row {
	if text != "" {
		r.pieces = append(r.pieces, piece{text, as})
		r.width += show.Width(text)
	}
	return r
}

// gap appends n spaces.
func (r *row) gap(n int) *row { return r.add(plain, strings.Repeat(" ", max(n, 0))) }

// cell appends text, cut or padded to width columns.
func (r *row) cell(as style, text string, width int) *row {
	text = show.Cut(text, width)
	return r.add(as, text).gap(width - show.Width(text))
}

// right appends text, aligned to the right within width columns.
func (r *row) right(as style, text string, width int) *row {
	return r.gap(width-show.Width(text)).add(as, text)
}

// cut shortens the row to width columns. A row that was cut ends in ….
func (r *row) cut(width int) *row {
	if r.width <= width {
		return r
	}
	kept := row{}
	for _, p := range r.pieces {
		left := width - kept.width
		if show.Width(p.text) >= left {
			kept.add(p.as, show.Cut(p.text+"…", left))
			break
		}
		kept.add(p.as, p.text)
	}
	*r = kept
	return r
}

// render returns the row with its colours, without white space at the end.
func (r *row) render(p painter) string {
	last := len(r.pieces) - 1
	for last >= 0 && blank(r.pieces[last].text) {
		last--
	}
	var b strings.Builder
	first := true
	for i := 0; i <= last; i++ {
		text := r.pieces[i].text
		if i == last {
			text = strings.TrimRight(text, " ")
		}
		if first && strings.TrimLeftFunc(text, show.IsTrimmed) != "" {
			text, first = show.BreakCommand(text), false
		}
		b.WriteString(p.paint(show.BreakMarkers(text), r.pieces[i].as))
	}
	return b.String()
}

func blank(s string) bool { return strings.TrimRight(s, " ") == "" }
