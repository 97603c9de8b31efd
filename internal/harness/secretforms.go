package harness

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/secret"
)

// A secret is often used in another form than its variable has: a token out of headers, one of several, the text of
// Base64. Only what looks like a key or a token is taken for a secret here, since much else stands beside it.

// endsWith reports whether a name ends with one of some words.
func endsWith(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.Contains(words, name[strings.LastIndexAny(name, "_-")+1:])
}

// looksSecret reports whether a text looks like a key or a token: it has no blank, and digits among its letters.
func looksSecret(text string) bool {
	const least = 8
	return len(text) >= least && !strings.ContainsFunc(text, unicode.IsSpace) && !secret.IsWords(text) &&
		strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsFunc(text, unicode.IsDigit)
}

// learnForms learns secrets within the value of a variable.
func (s *Secrets) learnForms(name, value string) {
	value = strings.TrimSpace(value)
	origin := "the variable " + name
	learn := func(text string) {
		if looksSecret(text) {
			s.learn(origin, text)
		}
	}
	switch {
	case endsWith(name, "sk", "tokens", "salt", "seed"): // or a number, a language
		learn(value)
		eachPart(value, learn)
	case secret.NamesSecret(name):
		eachPart(value, learn)
		s.learnCoded(origin, value)
	case endsWith(name, "headers"):
		eachHeader(value, learn)
	case strings.Contains(strings.ToLower(name), "hook"):
		learn(pathEnd(value))
	}
	if !strings.Contains(value, ": ") {
		return
	}
	for _, m := range namedLines().FindAllStringSubmatch(value, -1) {
		if secret.CallsSecret(m[1]) {
			learn(strings.Trim(m[2], `'"`))
		}
	}
}

// namedLines matches the lines of a value that say what they hold, as in YAML.
var namedLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:- )?([\w-]+): (\S+)[ \t]*$`)
})

// publicParts are names of what is no secret beside one.
var publicParts = []string{
	"account", "accountname", "domain", "endpoint", "expires", "host", "id", "max-age", "name", "path", "port", "region",
	"user", "username", "version",
}

// eachPart visits the parts of a value that holds several secrets, or one under a name: a=b,c=d. The two ends of a JWT
// are parts, too; its beginning is the same in many.
func eachPart(value string, visit func(string)) {
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(",;& \t\r\n", r) })
	for _, part := range parts {
		name, of, named := strings.Cut(part, "=")
		switch {
		case named && !slices.Contains(publicParts, strings.ToLower(name)):
			eachSpelling(of, visit)
		case !named && len(parts) > 1:
			visit(part)
		}
	}
	const segments = 3
	if jwt := strings.Split(value, "."); len(jwt) == segments && strings.HasPrefix(value, "eyJ") {
		visit(jwt[1])
		visit(jwt[2])
	}
}

// eachHeader visits the values of headers: a=b,c=d, with percent signs. What is before a blank is a scheme.
func eachHeader(value string, visit func(string)) {
	for header := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '\n' }) {
		if at := strings.IndexAny(header, "=:"); at >= 0 {
			eachSpelling(header[at+1:], func(text string) {
				_, bare, scheme := strings.Cut(strings.TrimSpace(text), " ")
				if !scheme {
					bare = strings.TrimSpace(text)
				}
				visit(bare)
			})
		}
	}
}

// eachSpelling visits a value as it is written, and as it is meant.
func eachSpelling(value string, visit func(string)) {
	visit(value)
	if meant, err := url.PathUnescape(value); err == nil && meant != value {
		visit(meant)
	}
}

// pathEnd is the last word of the path of an address, by which a webhook knows who may call it; "": there is none.
func pathEnd(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return ""
	}
	path := strings.TrimRight(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// learnCoded learns the text that a value is in Base64, and the password in it: user:password, as of registries.
func (s *Secrets) learnCoded(origin, value string) {
	text := textOf(value)
	if text == "" {
		return
	}
	s.learn(origin, text)
	_, password, both := strings.Cut(text, ":")
	if both && len(password) >= minVariable && !strings.ContainsFunc(password, unicode.IsSpace) {
		s.learn(origin, password)
	}
}

// textOf is the text that a value is in Base64; "": it is none.
func textOf(value string) string {
	const least = 8
	for _, coding := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		plain, err := coding.DecodeString(value)
		if err != nil || len(plain) < least || !utf8.Valid(plain) {
			continue
		}
		unprintable := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' }
		if text := string(plain); !strings.ContainsFunc(text, unprintable) {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
