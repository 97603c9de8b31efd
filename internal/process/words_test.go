package process

import (
	"errors"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"},
		{" two\n\tlines \r\n", "two lines"},
		{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"a\x00b\x7fc", "a␀b␡c"},
		{"a\u202eb\u009b", "a\uFFFDb\uFFFD"},
		{"a\xffb", "a\uFFFDb"},
	} {
		if got := oneLine(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := Ended("x", errors.New("it ended"), "\x1b[1m").Error(); got != "x: it ended; stderr: ␛[1m" {
		t.Error(got)
	}
}
