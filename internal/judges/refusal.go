package judges

import (
	"errors"
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/providers"
)

// refusals are the words with which servers name a feature that they refuse.
var refusals = sync.OnceValue(func() []refusal {
	return []refusal{
		{withSchema, regexp.MustCompile(
			`(?i)response[ _]?format|json[ _]?(?:schema|mode)|structured[ _]outputs?|guided[ _](?:json|decoding)`)},
		{withTemperature, regexp.MustCompile(`(?i)temperature`)},
		{withSeed, regexp.MustCompile(`(?i)\bseed\b`)},
		{withMaxTokens, regexp.MustCompile(`(?i)\bmax_(?:completion_)?tokens\b`)},
	}
})

type refusal struct {
	what  feature
	words *regexp.Regexp
}

// unsupportedWords matches a refusal that names no feature.
var unsupportedWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)unsupported|not? (?:supported|permitted|allowed)|does not support|` +
		`support the requested|(?:unknown|unrecognized|extra|additional) (?:request )?` +
		`(?:arguments?|parameters?|propert(?:y|ies)|fields?|inputs?|keys?)`)
})

// refusedFeatures returns the features that the server refused, by the error of a call. Where the server names none,
// that is the schema, which the fewest servers support.
func refusedFeatures(err error) (what feature) {
	failed, ok := errors.AsType[*providers.Error](err)
	if !ok || failed.Kind != providers.Refused || failed.Status < 400 {
		return 0
	}
	for _, r := range refusals() {
		if r.words.MatchString(failed.Msg) {
			what |= r.what
		}
	}
	if what == 0 && unsupportedWords().MatchString(failed.Msg) {
		what = withSchema
	}
	return what
}
