package textsearch

import "unicode/utf8"

// Runes cuts a stream of bytes between characters.
type Runes struct{ rest string }

// Take returns the received text that was not returned yet, up to the last whole character.
func (w *Runes) Take(piece string) string {
	text := w.rest + piece
	end := len(text) - incomplete(text)
	w.rest = text[end:]
	return text[:end]
}

// incomplete is how many bytes at the end of a text are the beginning of a character.
func incomplete(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if end := text[len(text)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRuneInString(end) {
				return 0
			}
			return n
		}
	}
	return 0
}
