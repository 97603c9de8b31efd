package checks

import (
	"errors"
	"strings"

	"github.com/arena-evals/arena/internal/enclosed"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/wellformed"
)

// wrapOption says whether a document may be in a code block. All checks of documents have it.
type wrapOption struct {
	AllowWrapped bool `param:"allow_wrapped" default:"false" doc:"Take the content of the first code fence, if any."`
}

// document is the text of a reply that should be a document, without surrounding white space.
func (o wrapOption) document(s *Subject, languages ...string) string {
	if o.AllowWrapped {
		if inner, ok := enclosed.Block(s.Output(), languages...); ok {
			return inner
		}
	}
	return strings.TrimSpace(s.Output())
}

// malformed is the finding for a reply that is not a valid document. A reply that is too large is an error.
func (o wrapOption) malformed(s *Subject, what, text string, err error) (Finding, error) {
	if _, limit := errors.AsType[*wellformed.LimitError](err); limit {
		return Finding{}, err
	}
	return Finding{
		Explanation: "not " + what + ": " + say.OneLine(err.Error()) + o.hint(s.Output()),
		Details:     Details{"valid": false, "content": say.Content(text)},
	}, nil
}

// hint says that the option would help.
func (o wrapOption) hint(text string) string {
	if o.AllowWrapped || !enclosed.HasFence(text) {
		return ""
	}
	return " (the reply has a code fence; allow_wrapped: true looks inside)"
}
