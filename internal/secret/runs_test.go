package secret

import (
	"strings"
	"testing"
)

// hostile are texts that a reply may repeat any number of times.
var hostile = []string{
	`\`, `\\n`, `\n`, `\"`, `\u005c`, `\u{`, `\x5c`, `\0`, `\040`, " ", "\t", "+", "+ ", "%20", "%", "%25", "25", "&", "&amp;", "amp;",
	"&nbsp;", "&#32;", "&#", "'", "''", `'\''`, `\'`, "a ", "a+", "a  +", "/", `\/`, "+/", "a", "12", "YSBh", "YSBhIGEg", "\x01", "\ufffd",
	"\xff", Mark, Mark + `\`, Mark + " ", "{", `{"a":`, `"`, "<", "<!--", "-", "1e", `\\` + "x",
}

// TestHostileRepetitions: each is read in time that grows with its length alone, whatever secrets there are. With the
// square of it, or with the number of ways to read a secret, this would take very long.
func TestHostileRepetitions(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"plantedSecret4242", "a a a a a a a a a a x", "a+a a+a a+a a+a x", " begins with a blank", "+begins with a plus", `\begins\\with`,
		"'begins with a quote", `a\a\\a\\\a`, "&amp;&&amp;&&x", "%25%2525x", "////////////////x", "''''''''''''x", "1212121212121", "12121",
		strings.Repeat("\x01", 16) + "x", "\x01\\slashes",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xffx", "a \x01 \x01 \x01 \x01 \x01 x",
	}
	var g Guard
	g.Learn(secrets...)
	g.Bytes([]byte(strings.Repeat(`\`, 300_000)))
	const size = 20_000
	for _, piece := range hostile {
		text := []byte(strings.Repeat(piece, size/len(piece)))
		g.Bytes(text)
	}
}

// TestSecretsBehindLongRuns: secrets after long runs are found.
func TestSecretsBehindLongRuns(t *testing.T) {
	t.Parallel()
	set := NewSet([]string{"hunter2hunter2", "pin-42", `\slash-first`, " blank first", "a  b  c  d"})
	for _, n := range []int{1, 2, 3, 8, 64, 1024, 5000} {
		slashes, blank := strings.Repeat(`\`, n), strings.Repeat(" ", n)
		for _, text := range []string{
			slashes + "hunter2hunter2", "x" + slashes + `u0068unter2hunter2`, "x" + slashes + "pin-42", "-" + slashes + `u0070in-42`,
			slashes + "slash-first", blank + "blank first", "a" + blank + "b" + blank + "c" + blank + "d",
			strings.Repeat(`\n`, n) + "blank first",
		} {
			if n > deepest && strings.HasSuffix(text, "slash-first") || set.In([]byte(text)) {
				continue
			}
			t.Errorf("%d of them: %.20q … is not found", n, text)
		}
	}
}

// BenchmarkHostile reads texts of one repetition.
func BenchmarkHostile(b *testing.B) {
	set := newSet([]string{"plantedSecret4242", "a a a a a a a a a a x"}, true)
	for name, piece := range map[string]string{"backslashes": `\`, "blanks": "a ", "escapes": `\u005c`, "percent": "%25"} {
		text := []byte(strings.Repeat(piece, 100_000/len(piece)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				set.Bytes(text)
			}
		})
	}
}
