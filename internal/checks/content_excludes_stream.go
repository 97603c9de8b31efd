package checks

import (
	"strings"
	"unicode/utf8"
)

// Stream implements Streamer: what was said cannot be taken back.
func (c *contentExcludes) Stream() Stream {
	c.once.Do(func() {
		var texts []string
		for i := range c.patterns {
			for _, form := range c.patterns[i].forms {
				if c.caseSensitive {
					texts = append(texts, form.text)
				} else {
					texts = append(texts, form.folded)
				}
			}
		}
		c.automaton = newAutomaton(texts)
	})
	return &excludesStream{check: c}
}

// excludesStream looks for the patterns in a reply. A word that the text ends with waits for the character behind it,
// which may make it another word.
type excludesStream struct {
	check *contentExcludes
	whole wholeRunes
	state int32
	hit   bool

	// Of whole words only.
	text strings.Builder // so far, folded like the patterns
	open bool            // a pattern that starts a word ends where the text does
}

func (s *excludesStream) Write(piece string) float64 {
	text := s.whole.take(piece)
	if !s.check.caseSensitive {
		text = strings.ToLower(text) // of each character alone, so that pieces fold like the whole
	}
	for i, size := 0, 0; i < len(text) && !s.hit; i += size {
		_, size = utf8.DecodeRuneInString(text[i:])
		s.read(text[i : i+size])
	}
	if s.hit {
		return 0
	}
	return 1
}

// read takes one character.
func (s *excludesStream) read(char string) {
	a := s.check.automaton
	for i := range len(char) {
		s.state = a.step(s.state, char[i])
	}
	found := a.longest(s.state)
	if !s.check.wholeWords {
		s.hit = found != 0
		return
	}
	end := s.text.Len()
	s.text.WriteString(char)
	text := s.text.String()
	s.hit = s.open && endsWord(text, end)
	s.open = false
	for ; found != 0 && !s.open; found = a.suffix[found] {
		s.open = startsWord(text, len(text)-int(a.length[found]))
	}
}
