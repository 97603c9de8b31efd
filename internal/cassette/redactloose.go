package cassette

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts of models and tools are not always valid JSON: arguments are cut at a token limit, documents are part of a
// sentence, or are written as literals of another language. In such a text fields are found by their names, and the
// value behind a name is removed up to where it certainly ends.

// looseValue is the value of a field in a text.
type looseValue struct {
	from, to int
	level    int  // number of times that the text around it is quoted
	quote    byte // of its key
	cut      bool // the text ends within the value
}

// looseScan finds the fields in a text.
type looseScan struct {
	*redactor
	text         string
	shouldBeJSON bool // the text should be JSON, and is not valid
}

// clean replaces the values of the fields in a text that is not valid JSON.
func (s looseScan) clean() string {
	s.text = plainQuotes(s.text)
	found := s.values()
	var out strings.Builder
	done := 0
	for _, v := range found {
		delimiter := strings.Repeat(`\`, 1<<v.level-1) + string(v.quote)
		out.WriteString(s.text[done:v.from])
		out.WriteString(delimiter + redacted + delimiter)
		done = v.to
	}
	return out.String() + s.text[done:]
}

// plainQuotes replaces \u0022 by a quote: some servers escape quotes like that.
func plainQuotes(text string) string {
	const number = "u0022"
	if !strings.Contains(text, `\`+number) {
		return text
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, number)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if n := slashesBefore(before, len(before)); n > 0 && n&(n-1) == 0 { // one for each time that it is quoted, doubled
			out.WriteString(strings.Repeat(`\`, n-1) + `"`)
		} else {
			out.WriteString(number)
		}
		text = after
	}
}

// values returns the values of the fields, in order.
func (s looseScan) values() (list []looseValue) {
	for i := 0; i < len(s.text); {
		from, level, ok := 0, 0, false
		quote := s.text[i]
		switch {
		case isQuote(quote):
			from, level, ok = s.quotedKey(i)
		case s.shouldBeJSON:
			from, ok = s.bareKey(i)
			quote = '"'
		}
		i++
		if !ok {
			continue
		}
		v := looseValue{from: from, level: level, quote: quote}
		if v.to, v.cut = s.value(from, level); v.to > from {
			list, i = append(list, v), v.to
		}
	}
	return list
}

// longestKey is how many bytes of a text may be the name of a field, with its escapes.
const longestKey = 300

// quotedKey reports whether the quote at an offset begins the name of a field, and returns the offset of its value.
func (s looseScan) quotedKey(at int) (value, level int, ok bool) {
	level = levelOf(slashesBefore(s.text, at))
	for j := at + 1; j < min(len(s.text), at+longestKey); j++ {
		if s.text[j] != s.text[at] {
			continue
		}
		slashes := slashesBefore(s.text[at+1:], j-at-1)
		switch ends(slashes, level) {
		case inside:
			continue
		case outside:
			return 0, 0, false
		case here:
		}
		value = s.assigned(j+1, level)
		name := unquoted(s.text[at+1:j-(1<<level-1)], level+1)
		return value, level, value > 0 && s.named(name)
	}
	return 0, 0, false
}

// bareKey reports whether the name of a field is at an offset, without matching quotes, and returns the offset of its
// value.
func (s looseScan) bareKey(at int) (value int, ok bool) {
	before, _ := utf8.DecodeLastRuneInString(s.text[:at])
	if isWordRune(before) && at > 0 {
		return 0, false
	}
	for name := range s.fields {
		end := at + len(name)
		if end > len(s.text) || !strings.EqualFold(s.text[at:end], name) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(s.text[end:]); isWordRune(after) && end < len(s.text) {
			continue
		}
		rest := end + len(s.text[end:]) - len(strings.TrimLeft(s.text[end:], `\"'`))
		if value = s.assigned(rest, 1); value > 0 {
			return value, s.named(name)
		}
		value = s.skipBlanks(rest, 1) // a value without : or = before it
		if rest > end && value < len(s.text) && strings.IndexByte(`"'\{[-0123456789`, s.text[value]) >= 0 {
			return value, s.named(name)
		}
	}
	return 0, false
}

// assigned returns the offset of the value behind a name; 0: none.
func (s looseScan) assigned(at, level int) int {
	at = s.skipBlanks(at, level)
	if at >= len(s.text) || s.text[at] != ':' && s.text[at] != '=' {
		return 0
	}
	if at++; at < len(s.text) && s.text[at] == '>' {
		at++
	}
	return s.skipBlanks(at, level)
}

// skipBlanks returns the offset after white space, which is escaped in a quoted text.
func (s looseScan) skipBlanks(at, level int) int {
	for at < len(s.text) {
		if strings.IndexByte(" \t\r\n", s.text[at]) >= 0 {
			at++
			continue
		}
		letter := at
		for letter < len(s.text) && s.text[letter] == '\\' {
			letter++
		}
		if level == 0 || letter == at || letter == len(s.text) || strings.IndexByte("nrt", s.text[letter]) < 0 {
			break
		}
		at = letter + 1
	}
	return at
}

// value returns the end of the value at an offset; cut: the text ends there, and the value may have been longer.
func (s looseScan) value(from, level int) (end int, cut bool) {
	at := from
	for at < len(s.text) && s.text[at] == '\\' {
		at++
	}
	switch {
	case at == len(s.text):
		return at, false
	case isQuote(s.text[at]) && s.text[at] == '"' && ends(at-from, level) == outside:
		return from, false // no value
	case isQuote(s.text[at]):
		level = levelOf(at - from)
		end, closed := s.afterString(at, level)
		if !closed {
			return end, true
		}
		return s.goesOn(end, level), false
	case s.text[at] == '{' || s.text[at] == '[':
		return s.goesOn(s.afterBrackets(at, level), level), false
	}
	end = s.afterBare(from, level)
	return end, end == len(s.text)
}

// goesOn extends the end of a value by the text that directly follows it and is not part of JSON.
func (s looseScan) goesOn(end, level int) int {
	next := end
	if s.shouldBeJSON {
		next = s.skipBlanks(end, level)
	}
	quote := next
	for quote < len(s.text) && s.text[quote] == '\\' {
		quote++
	}
	switch {
	case quote == len(s.text):
		return end
	case isQuote(s.text[quote]):
		if ends(quote-next, level) == outside {
			return end
		}
		return s.afterBare(next, level)
	}
	r, _ := utf8.DecodeRuneInString(s.text[next:])
	if isWordRune(r) || s.shouldBeJSON && strings.IndexByte(",}];:", s.text[next]) < 0 {
		return s.afterBare(next, level)
	}
	return end
}

// afterString returns the end of the string that begins with the quote at an offset; closed: its closing quote was
// found.
func (s looseScan) afterString(at, level int) (end int, closed bool) {
	for j := at + 1; j < len(s.text); j++ {
		if s.text[j] != s.text[at] {
			continue
		}
		slashes := slashesBefore(s.text[at+1:], j-at-1)
		switch ends(slashes, level) {
		case here:
			return j + 1, true
		case outside:
			return j - slashes, false
		case inside:
		}
	}
	return len(s.text), false
}

// afterBrackets returns the end of the list or object that begins at an offset.
func (s looseScan) afterBrackets(at, level int) int {
	var open []byte
	for j := at; j < len(s.text); j++ {
		switch c := s.text[j]; c {
		case '"', '\'':
			slashes := slashesBefore(s.text[at:], j-at)
			if c == '"' && ends(slashes, level) == outside {
				return j - slashes
			}
			end, closed := s.afterString(j, levelOf(slashes))
			if !closed {
				return end
			}
			j = end - 1
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if c != open[len(open)-1] {
				return len(s.text)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return j + 1
			}
		}
	}
	return len(s.text)
}

// afterBare returns the end of a value without quotes, or of text behind a value.
func (s looseScan) afterBare(from, level int) int {
	j := from
loop:
	for ; j < len(s.text); j++ {
		switch s.text[j] {
		case '}', ']', '\n':
			break loop
		case ',':
			if j == from || j+1 == len(s.text) || !isDigit(s.text[j-1]) || !isDigit(s.text[j+1]) { // else 52,228
				break loop
			}
		case '"':
			if slashes := slashesBefore(s.text[from:], j-from); level > 0 && ends(slashes, level) == outside {
				j -= slashes
				break loop
			}
		}
	}
	return from + len(strings.TrimRight(s.text[from:j], " \t\r"))
}

// quoteRole is the meaning of a quote within a string that may be quoted several times.
type quoteRole int

const (
	inside  quoteRole = iota // a character of the string
	here                     // the end of the string
	outside                  // the end of a string around it
)

// ends returns the role of a quote after some backslashes in a string that is quoted level times.
func ends(slashes, level int) quoteRole {
	for range level {
		if slashes%2 == 0 {
			return outside
		}
		slashes /= 2
	}
	if slashes%2 == 0 {
		return here
	}
	return inside
}

// levelOf returns how many times a string is quoted if its quotes follow that many backslashes.
func levelOf(slashes int) (level int) {
	for slashes%2 == 1 {
		slashes /= 2
		level++
	}
	return level
}

func slashesBefore(text string, at int) int {
	return at - len(strings.TrimRight(text[:at], `\`))
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// unquoted removes the escapes of a string that was quoted a number of times.
func unquoted(text string, times int) string {
	for range times {
		if !strings.Contains(text, `\`) {
			break
		}
		var plain string
		if json.Unmarshal([]byte(`"`+strings.ReplaceAll(text, "\n", `\n`)+`"`), &plain) != nil {
			plain = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\/`, `/`).Replace(text)
		}
		text = plain
	}
	return text
}
