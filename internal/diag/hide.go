package diag

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// secrets match texts that look like a key or a password, in the first group of each.
var secrets = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		// what follows the first line of a private key, and a line of one
		regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(.+)`),
		// a value after a name such as api_key, in YAML, JSON or an environment file
		regexp.MustCompile(`(?i)(?:api[_-]?key|access[_-]?key|private[_-]?key(?:[_-]?id)?|` +
			`key[_-]data|account[_-]?key|token|` +
			`secret|password|passwd|passphrase|authorization|credentials?|(?:\b|_)pass|(?:\b|_)pwd)["']?\s*[:=]\s*` +
			`["']?(?:bearer\s+|basic\s+)?([^\s"',}\]\[{$]{6,})`),
		regexp.MustCompile(`(?i)["'_]_?auth["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?([^\s"',}\]\[{$]{6,})`),
		regexp.MustCompile(`\b[A-Z][A-Z0-9_]*_(?:KEY|PASS|PW|CREDENTIALS)=["']?([^\s"',}\]\[{$]{6,})`),
		regexp.MustCompile(`\b(?:machine|default)\s+.*\bpassword\s+(\S+)`), // a .netrc
		// keys with a well-known prefix, also those of which a part was cut off
		regexp.MustCompile(`\b((?:sk|pk|rk|xai|gsk|hf|ghp|gho|github_pat|xox[abprs]|glpat)[-_][A-Za-z0-9_-]{12,})`),
		regexp.MustCompile(`\b((?:sk|pk|rk|xai|gsk|hf|ghp|gho|github_pat|xox[abprs]|glpat)[-_][A-Za-z0-9_-]+)…`),
		regexp.MustCompile(`\b(AIza[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+)`),
		regexp.MustCompile(`\b(AIza[A-Za-z0-9_-]+|AKIA[A-Z0-9]+|eyJ[A-Za-z0-9_.-]+)…`),
		regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`),
		// a password in an address, and a signature
		regexp.MustCompile(`://[^/\s:@"']*:([^/\s@"']+)@`),
		regexp.MustCompile(`[?&](?:sig|signature|key|X-Amz-Signature)=([^&\s"'$]{6,})`),
	}
})

// encoded finds a long row of letters and digits, as a line of a private key is one.
var encoded = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`) })

// HideSecrets stars out what looks like a key or a password, character by character, so that columns stay right.
func HideSecrets(s string) string {
	for _, re := range secrets() {
		found := re.FindAllStringSubmatchIndex(s, -1)
		for _, m := range slices.Backward(found) { // from the end, so that the places before stay right
			s = s[:m[2]] + starred(s[m[2]:m[3]]) + s[m[3]:]
		}
	}
	return encoded().ReplaceAllStringFunc(s, func(row string) string {
		if looksEncoded(row) {
			return starred(row)
		}
		return row
	})
}

func starred(s string) string { return strings.Repeat("*", utf8.RuneCountInString(s)) }

// looksEncoded reports whether a long row is no path and no name: it has capitals, small letters and digits, and few
// slashes.
func looksEncoded(row string) bool {
	const perSlash = 16 // a random text in Base64 has one in 64 characters
	has := func(kind func(rune) bool) bool { return strings.IndexFunc(row, kind) >= 0 }
	return has(unicode.IsUpper) && has(unicode.IsLower) && has(unicode.IsDigit) &&
		strings.Count(row, "/")*perSlash <= len(row)
}
