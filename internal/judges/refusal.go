package judges

import (
	"errors"
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/providers"
)

// refusals are the words by which servers name what they refuse.
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

// unsupported matches a refusal that does not name what it is about.
var unsupported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)unsupported|not? (?:supported|permitted|allowed)|does not support|` +
		`support the requested|(?:unknown|unrecognized|extra|additional) (?:request )?` +
		`(?:arguments?|parameters?|propert(?:y|ies)|fields?|inputs?|keys?)`)
})

// refused is what a failed call says that the server does not support; the schema is what the fewest know, and so it is
// taken for the culprit when none is named.
func refused(err error) (what feature) {
	failed, ok := errors.AsType[*providers.Error](err)
	if !ok || failed.Kind != providers.Refused || failed.Status < 400 {
		return 0
	}
	for _, r := range refusals() {
		if r.words.MatchString(failed.Msg) {
			what |= r.what
		}
	}
	if what == 0 && unsupported().MatchString(failed.Msg) {
		what = withSchema
	}
	return what
}
