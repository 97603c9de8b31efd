package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"
)

// EachLine reads lines without line breaks, until there are none or each returns false. A line is valid until each
// returns. A line longer than most bytes is an error.
func EachLine(r io.Reader, most int, each func(line []byte) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, most)
	for lines.Scan() {
		if !each(lines.Bytes()) {
			return nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("it wrote a line of more than %s", size(most))
	}
	return nil
}

// Silence says why a program sent nothing more, although more was expected: it ended, or closed its output. The program
// gets time to end.
func (r *Running) Silence(expected string, wait time.Duration) error {
	if !r.Stop(wait) {
		return fmt.Errorf("it closed its output before it %s", expected)
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("it ended before it %s: %w", expected, err)
	}
	return fmt.Errorf("it ended before it %s", expected)
}
