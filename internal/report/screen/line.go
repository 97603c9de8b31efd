package screen

import "github.com/arena-evals/arena/internal/report/show"

// line knows how far the line that is being written looks like a command to a CI system.
type line struct {
	begun  bool // something stands in it that no CI system trims away
	colon  bool // a colon, with nothing before it that counts
	hashes int  // that came last, letters after them left out
	word   bool // letters came after the hashes
}

// dull measures the start of p that needs no look: printable ASCII in the middle of a line. It changes nothing.
func (l *line) dull(p []byte) (n int) {
	if !l.begun || l.colon || l.hashes > 0 {
		return 0
	}
	for n < len(p) && p[n] >= ' ' && p[n] <= '~' && p[n] != '#' {
		n++
	}
	return n
}

// next takes the next character, 0 for one that is shown by a sign. It reports whether the character would complete a
// command and has to be kept apart from what is before it.
func (l *line) next(c rune) (apart bool) {
	if c == '\n' {
		*l = line{}
		return false
	}
	colon := l.colon
	l.colon = c == ':' && !l.begun
	l.begun = l.begun || !show.Trimmed(c)
	apart = c == ':' && colon
	switch {
	case c == '#' && !l.word:
		l.hashes++
	case c == '#':
		l.hashes, l.word = 1, false
	case l.hashes >= 2 && show.Letter(c):
		l.word = true
	case l.hashes >= 2 && c == '[':
		apart = true
		l.hashes, l.word = 0, false
	default:
		l.hashes, l.word = 0, false
	}
	return apart
}
