package providers

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
)

const (
	redacted  = "[redacted]"
	minSecret = 4 // anything shorter is no secret, and replacing it would garble every text
)

// secretShapes are the forms in which servers and proxies echo secrets that we were never told.
var secretShapes = sync.OnceValue(func() []shape {
	return []shape{
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w.~+/=:-]{6,}`), "$1 " + redacted},
		{regexp.MustCompile(`\b(?:sk|pk|rk)-[\w-]{6,}`), redacted},
		{regexp.MustCompile(`\bAIza[\w-]{10,}`), redacted},
		{regexp.MustCompile(`(://)[^/\s@]+@`), "${1}" + redacted + "@"},
		{regexp.MustCompile(`(?i)\b((?:api[-_]?)?key|(?:access[-_]?)?token)=[^&\s"']+`), "$1=" + redacted},
	}
})

type shape struct {
	pattern *regexp.Regexp
	with    string
}

// Scrubber takes secrets out of texts from outside before anybody sees them. It is safe for concurrent use.
type Scrubber struct {
	known *strings.Replacer
}

// NewScrubber makes a scrubber of these secrets, in every form in which a server may echo them, and of whatever looks
// like a key or a bearer token.
func NewScrubber(secrets ...string) *Scrubber {
	var pairs []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			pairs = append(pairs, form, redacted)
		}
	}
	return &Scrubber{known: strings.NewReplacer(pairs...)}
}

// Text is the text without secrets.
func (s *Scrubber) Text(text string) string {
	text = s.known.Replace(text)
	for _, shape := range secretShapes() {
		text = shape.pattern.ReplaceAllString(text, shape.with)
	}
	return text
}

// ansi are the sequences that colour and move on a terminal.
var ansi = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`) })

// Excerpt is a text from outside, fit for an error message: scrubbed, on one line, with signs in the place of control
// and invisible characters, valid UTF-8, at most limit runes.
func (s *Scrubber) Excerpt(text string, limit int) string {
	text = s.evenHidden(strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF"))
	text = diag.Safe(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// evenHidden is the text without secrets, even those that only show once nothing invisible stands in them or before
// them. Where there is one, the text loses all that is invisible.
func (s *Scrubber) evenHidden(text string) string {
	text = s.Text(text)
	seen := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, ansi().ReplaceAllString(text, ""))
	if seen == text {
		return text
	}
	if again := s.Text(seen); again != seen {
		return again
	}
	return text
}
