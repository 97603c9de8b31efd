package secret

import (
	"slices"
	"testing"
)

// TestGuardLearnsLines: each significant line of a secret with several lines is also hidden on its own.
func TestGuardLearnsLines(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG\r\n  9w0BAQEFAASCBKcwggSj\r\n12345678901234567890\r\nshort\r\n" +
		"-----END PRIVATE KEY-----\r\n"
	g := &Guard{}
	g.Learn(key)
	for _, c := range []struct{ text, want string }{
		{"line MIIEvQIBADANBgkqhkiG.", "line [redacted]."},
		{"and 9w0BAQEFAASCBKcwggSj", "and [redacted]"},
		{"short is a word, 12345678901234567890 a number", "short is a word, 12345678901234567890 a number"},
		{"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"},
		{key, "[redacted]"},
	} {
		if got := g.Text(c.text); got != c.want && got != c.want+"\r\n" {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
	if got := g.Known(); len(got) != 3 || !slices.Contains(got, key) {
		t.Errorf("known: %q", got)
	}
}
