// Package textsearch finds texts within others: whole words, and many texts at once in a text that is still written.
package textsearch

import (
	"strings"
	"unicode/utf8"
)

// Set is texts to look for in a text that is still being written. It is immutable.
type Set struct {
	automaton  *automaton
	fold       bool // upper and lower case are one
	wholeWords bool
}

// NewSet prepares texts; with fold they are in lower case already.
func NewSet(texts []string, fold, wholeWords bool) *Set {
	return &Set{newAutomaton(texts), fold, wholeWords}
}

// Follow starts on a new text.
func (s *Set) Follow() *Search { return &Search{set: s} }

// Search looks for the texts of a set as pieces of another text come. It belongs to one goroutine. A word that the text
// ends with waits for the character behind it, which may make it another word.
type Search struct {
	set   *Set
	whole Runes
	state int32
	found bool

	// Of whole words only.
	text strings.Builder // so far, folded like the texts
	open bool            // one that starts a word ends where the text does
	emph bool            // and underscores begin that word
}

// Write takes the next piece, and returns whether any of the texts was found.
func (s *Search) Write(piece string) bool {
	text := s.whole.Take(piece)
	if s.set.fold {
		text = strings.ToLower(text) // of each character alone, so that pieces fold like the whole
	}
	for i, size := 0, 0; i < len(text) && !s.found; i += size {
		_, size = utf8.DecodeRuneInString(text[i:])
		s.read(text[i : i+size])
	}
	return s.found
}

// read takes one character.
func (s *Search) read(char string) {
	a := s.set.automaton
	for i := range len(char) {
		s.state = a.step(s.state, char[i])
	}
	found := a.longest(s.state)
	if !s.set.wholeWords {
		s.found = found != 0
		return
	}
	end := s.text.Len()
	s.text.WriteString(char)
	text := s.text.String()
	s.found = s.open && endsWord(text, end, s.emph)
	s.open = false
	for ; found != 0 && !s.open; found = a.suffix[found] {
		start := len(text) - int(a.length[found])
		s.open, s.emph = startsWord(text, start), emphasized(text, start)
	}
}
