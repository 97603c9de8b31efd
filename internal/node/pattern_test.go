package node

import (
	"regexp"
	"testing"
)

func TestDoubtPattern(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`\\d+`, `\\bhello\\b`, `(\\bhello|hi)`, `49\\.99`, `\\w+@`, `order \\d`, `x\\b`, `(?:a|\\bb)`, `a\\s*b`, `\\(a\\)b\\)c`,
		`hello$^`, `[^\s\S]`, `a[^\w\W]b`, `a^b`, `a$b`, `(?:a$|b$)c`, `a\bb`, `\Bhello\b\B`, `(?i)x^y`, `\z.`, `.\A`, `a\B b`,
		`(?m)a$b`, `hello(?i)`, `a|b(?im)`,
		`[^secret]`, `(i)secret`, `(im)x`, `[:alpha:]{9}`, `^a[:digit:]$`, `^yes|no$`, `^Sorry, no|never mind$`,
	} {
		if DoubtPattern(text) == (Oddity{}) {
			t.Errorf("%s: no doubt", text)
		}
	}
	for _, text := range []string{
		`\d+`, `\bhello\b`, `C:\\data`, `\\server\\share`, `^hello$`, `^$`, `$^`, `(?m)a$\nb`, `(?m)a$[\s\S]^b`, `a$|b`, `^a|^b`, `a|b$`,
		`\\n`, `\\"`, `\\beta`, `[^a]`, `[^\n]`, `.*`, `^`, `$`, `\b`, `(?i)don['’]t`, `a\b b`, `a(?:$|b)`, `x*^y`, `\x{10FFFF}`, `\PL`, `[^\x00-\x7F]`,
		`(?s).$.*`, `(?:^|\W)no(?:$|\W)`, `[\\]d`, `\$5`, `a\Bb`, `\p{Greek}\b.`, `(?i)\bſ`, `\\u00e9`, `\\`, `(?i)`, `a(?i)b`, `a(?i:b)`,
		`[^abc]`, `[^"]`, `(i) first`, `(s)he`, `[[:alpha:]]{9}`, `[^[:space:]]`, `[a[:digit:]]`, `^(yes|no)$`, `^yes|^no$`, `^a|b$|c`,
	} {
		if o := DoubtPattern(text); o != (Oddity{}) {
			t.Errorf("%s: %s", text, o.Text)
		}
	}
}

func TestDoubtBan(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`(hello, hi)`, `hello OR you`, `hello && you`, `l{1,2`, `a{3 b`, ` x`, `/x/`, `'x'`} {
		if DoubtBan(text) == (Oddity{}) {
			t.Errorf("%s: no doubt", text)
		}
	}
	for _, text := range []string{`(hello|hi)`, `TRUE OR FALSE`, `' OR 1=1`, `l{1,2}`, `\{1,2`, `a{b`, `(a, 2)`, `f(x, y)`, `{1: 2`} {
		if o := DoubtBan(text); o != (Oddity{}) {
			t.Errorf("%s: %s", text, o.Text)
		}
	}
}

// FuzzMatchable: a pattern that is reported to match nothing matches none of these texts.
func FuzzMatchable(f *testing.F) {
	for _, seed := range []string{`hello$^`, `[^\s\S]`, `a\bb`, `(?m)a$b`, `(?i)x`, `\Bé\b`, `^*$`} {
		f.Add(seed, "hello a b\né")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 {
			return
		}
		if re, err := regexp.Compile(pattern); err == nil && !matchable(pattern) && re.MatchString(text) {
			t.Errorf("%q matches %q", pattern, text)
		}
	})
}
