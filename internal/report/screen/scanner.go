package screen

import "github.com/arena-evals/arena/internal/report/show"

// commandScanner follows the line that is being written, and finds the commands of CI systems in it.
type commandScanner struct {
	begun  bool // the line has a character that no CI system trims
	colon  bool // the last character is a colon at the start of the line
	hashes int  // number of # at the end of the line so far, before any letters
	word   bool // letters follow the hashes
}

// plainPrefix returns the length of the start of p that needs no change: printable ASCII within a line that does not
// look like a command. It does not change the scanner.
func (l *commandScanner) plainPrefix(p []byte) (n int) {
	if !l.begun || l.colon || l.hashes > 0 {
		return 0
	}
	for n < len(p) && p[n] >= ' ' && p[n] <= '~' && p[n] != '#' {
		n++
	}
	return n
}

// next takes the next character; 0 stands for a replaced one. It reports whether the character would complete a
// command, so that a joiner must be written before it.
func (l *commandScanner) next(c rune) (apart bool) {
	if c == '\n' {
		*l = commandScanner{}
		return false
	}
	colon := l.colon
	l.colon = c == ':' && !l.begun
	l.begun = l.begun || !show.IsTrimmed(c)
	apart = c == ':' && colon
	switch {
	case c == '#' && !l.word:
		l.hashes++
	case c == '#':
		l.hashes, l.word = 1, false
	case l.hashes >= 2 && show.IsMarkerLetter(c):
		l.word = true
	case l.hashes >= 2 && c == '[':
		apart = true
		l.hashes, l.word = 0, false
	default:
		l.hashes, l.word = 0, false
	}
	return apart
}
