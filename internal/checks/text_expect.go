package checks

import "strings"

// textExpectation is the parameters that say what a text must be: something, when neither is given.
type textExpectation struct {
	Equals   *string `param:"equals" is:"text" doc:"The whole text; case matters."`
	Contains *string `param:"contains" is:"text" doc:"A part of the text; case matters."`
}

// check warns about what is not looked at.
func (e *textExpectation) check(b *binder) {
	if e.Equals != nil && e.Contains != nil {
		b.warnf("contains", "ignored-parameter", `"contains" is ignored because "equals" is given too`)
	}
}

// judge holds a text against the expectation; what names the text.
func (e *textExpectation) judge(f *Finding, what, text string) {
	fits := false
	switch {
	case e.Equals != nil:
		f.Details["expected"], fits = *e.Equals, text == *e.Equals
		f.Explanation = what + " is " + quote(text)
		if !fits {
			f.Explanation += ", expected " + quote(*e.Equals)
		}
	case e.Contains != nil:
		f.Details["contains"], fits = *e.Contains, strings.Contains(text, *e.Contains)
		f.Explanation = what + " has " + quote(*e.Contains)
		if !fits {
			f.Explanation = what + " is " + quote(text) + ", which has no " + quote(*e.Contains)
		}
	default:
		fits = text != ""
		f.Explanation = what + " is " + quote(text)
		if !fits {
			f.Explanation = what + " is empty"
		}
	}
	f.Details["actual"] = cut(text, contentLimit)
	if fits {
		f.Score = 1
	}
}
