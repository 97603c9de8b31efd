package node

import "testing"

// TestMatchesWords: a pattern that matches every reply with a word is reported; limits, and patterns that some replies
// do not match, are not.
func TestMatchesWords(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		`.`: true, `.+`: true, `(?s).+`: true, `^.+$`: true, `^.+`: true, `.+$`: true, `[\s\S]+`: true, `(.+)`: true,
		`\w+`: true, `\S`: true, `[A-Za-z0-9]+`: true, `\b`: true, `.{1,}`: true,
		`^[^\n]+$`: false, `^.{1,9}$`: false, `.{2,}`: false, `^\w+$`: false, `\d`: false, `[a-z]`: false, `^\b`: false,
		`a`: false, `\W`: false, `.+a`: false, `(`: false,
	} {
		if got := MatchesWords(pattern); got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
	}
}

// Words in brackets are a set of characters, also where | stands between them.
func TestWordsInBrackets(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		`[sorry|apologies]`: true, `(?i)[yes|no]+`: true, `a [red tea|green tea] b`: true,
		`[a|b]`: false, `[|,;]`: false, `(sorry|apologies)`: false, `[abc](x|y)`: false,
	} {
		if doubted := DoubtPattern(pattern) != (Oddity{}); doubted != want {
			t.Errorf("%q: told %v", pattern, doubted)
		}
	}
}
