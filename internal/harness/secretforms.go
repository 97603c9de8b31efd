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

// A secret often occurs in another form than in its variable: a token within headers, one of several tokens, or Base64.
// Here only texts that look like keys count as secrets, since variables hold other texts too.

// endsWith reports whether a name ends with one of the words.
func endsWith(name string, words ...string) bool {
	name = strings.ToLower(name)
	return slices.Contains(words, name[strings.LastIndexAny(name, "_-")+1:])
}

// looksSecret reports whether a text looks like a key: no blanks, and both letters and digits.
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
	case endsWith(name, "sk", "tokens", "salt", "seed"): // may also be a number or a language
		learn(value)
		eachPart(value, learn)
	case secret.NamesSecret(name):
		eachPart(value, learn)
		s.learnBase64(origin, value)
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

// namedLines matches lines with a name and a value, as in YAML.
var namedLines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:- )?([\w-]+): (\S+)[ \t]*$`)
})

// publicParts are names of values that are not secret.
var publicParts = []string{
	"account", "accountname", "domain", "endpoint", "expires", "host", "id", "max-age", "name", "path", "port", "region",
	"user", "username", "version",
}

// eachPart visits the parts of a value with several secrets, or with names: a=b,c=d. For a JWT it visits the last two
// segments: the first one is the same in many.
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

// eachHeader visits the values of headers: a=b,c=d, percent-encoded. Text before a blank is a scheme.
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

// eachSpelling visits a value as written, and decoded.
func eachSpelling(value string, visit func(string)) {
	visit(value)
	if meant, err := url.PathUnescape(value); err == nil && meant != value {
		visit(meant)
	}
}

// pathEnd is the last segment of the path of a URL, which is the secret of a webhook; "": none.
func pathEnd(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return ""
	}
	path := strings.TrimRight(u.Path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// learnBase64 learns the text that a value contains in Base64, and the password in it: user:password, as for
// registries.
func (s *Secrets) learnBase64(origin, value string) {
	text := decodeBase64(value)
	if text == "" {
		return
	}
	s.learn(origin, text)
	_, password, both := strings.Cut(text, ":")
	if both && len(password) >= minVariable && !strings.ContainsFunc(password, unicode.IsSpace) {
		s.learn(origin, password)
	}
}

// decodeBase64 is the text that a value contains in Base64; "": none.
func decodeBase64(value string) string {
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
