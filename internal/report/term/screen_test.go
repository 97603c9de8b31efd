package term_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// screen is a terminal as far as the printer uses one: lines, colours that it forgets, cursor up, clear below.
// Characters are one column wide. The test looks at it while the live block is redrawn.
type screen struct {
	t      testing.TB
	mu     sync.Mutex // guards what follows
	width  int
	lines  [][]rune
	row    int
	col    int
	writes int
}

func newScreen(t testing.TB, width int) *screen {
	return &screen{t: t, width: width, lines: [][]rune{{}}}
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for rest := string(b); rest != ""; {
		if strings.HasPrefix(rest, "\x1b[") {
			rest = s.sequence(rest)
			continue
		}
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch r {
		case '\r':
			s.col = 0
		case '\n': // a terminal driver adds the carriage return
			s.row, s.col = s.row+1, 0
		default:
			s.put(r)
		}
	}
	return len(b), nil
}

func (s *screen) put(r rune) {
	if s.col == s.width {
		s.row, s.col = s.row+1, 0
	}
	s.grow()
	line := s.lines[s.row]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.lines[s.row] = line
	s.col++
}

func (s *screen) grow() {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
}

// sequence runs one control sequence and returns what follows it.
func (s *screen) sequence(in string) string {
	end := strings.IndexFunc(in[2:], func(r rune) bool { return r >= '@' && r <= '~' }) + 2
	n, _ := strconv.Atoi(in[2:end]) // none is zero
	switch in[end] {
	case 'm':
	case 'A':
		if n > s.row {
			s.t.Errorf("the cursor goes up %d lines from line %d", n, s.row)
		}
		s.row = max(s.row-n, 0)
	case 'J':
		s.grow()
		s.lines = s.lines[:s.row+1]
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
	default:
		s.t.Errorf("a sequence nobody expects: %q", in[:end+1])
	}
	return in[end+1:]
}

// resize breaks the lines anew, as terminals do when they become narrower.
func (s *screen) resize(width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines [][]rune
	for i, line := range s.lines {
		for len(line) > width {
			lines, line = append(lines, line[:width]), line[width:]
		}
		lines = append(lines, line)
		if i == s.row {
			s.row, s.col = len(lines)-1, len(line)
		}
	}
	s.lines, s.width = lines, width
}

// columns returns the width, for [term.Options].
func (s *screen) columns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width
}

// written returns how many writes there were.
func (s *screen) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		fmt.Fprintln(&b, strings.TrimRight(string(line), " "))
	}
	return b.String()
}
