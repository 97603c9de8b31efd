package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

// textExpectation are the parameters for the expected text. Without them the text must not be empty.
type textExpectation struct {
	Equals   *string `param:"equals" is:"text" doc:"The whole text; case matters."`
	Contains *string `param:"contains" is:"text" doc:"A part of the text; case matters."`
}

// check warns about parameters without effect.
func (e *textExpectation) check(b *binder) {
	if e.Equals != nil && e.Contains != nil {
		b.warnf("contains", "ignored-parameter", `"contains" is ignored because "equals" is given too`)
	}
}

// judge compares a text with the expectation; what names the text.
func (e *textExpectation) judge(f *Finding, what, text string) {
	fits := false
	switch {
	case e.Equals != nil:
		f.Details["expected"], fits = *e.Equals, text == *e.Equals
		f.Explanation = what + " is " + say.Quote(text)
		if !fits {
			f.Explanation += ", expected " + say.Quote(*e.Equals)
		}
	case e.Contains != nil:
		f.Details["contains"], fits = *e.Contains, strings.Contains(text, *e.Contains)
		f.Explanation = what + " has " + say.Quote(*e.Contains)
		if !fits {
			f.Explanation = what + " is " + say.Quote(text) + ", which has no " + say.Quote(*e.Contains)
		}
	default:
		fits = text != ""
		f.Explanation = what + " is " + say.Quote(text)
		if !fits {
			f.Explanation = what + " is empty"
		}
	}
	f.Details["actual"] = say.Content(text)
	if fits {
		f.Score = 1
	}
}
