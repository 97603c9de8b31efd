package checks

import (
	"errors"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/say"
)

// textExpectation are the parameters for the expected output. Without them it must not be empty.
type textExpectation struct {
	Equals   equalsValue `param:"equals" is:"text" doc:"The whole text; case matters. JSON counts by value."`
	Contains *string     `param:"contains" is:"text" doc:"A part of the text; case matters. JSON: whatever its spaces."`
}

// isExact reports whether the whole text is given.
func (e *textExpectation) isExact() bool { return e.Equals.text != "" || e.Equals.json != nil }

// given reports whether there is anything to compare with.
func (e *textExpectation) given() bool { return e.isExact() || e.Contains != nil }

// check refuses an empty text, and warns of parameters without effect.
func (e *textExpectation) check(b *binder) {
	if n := b.read["equals"]; n != nil && n.Kind == node.Scalar && n.Value == "" {
		b.errorf("equals", "empty-value", "equals is empty")
	}
	if e.isExact() && e.Contains != nil {
		b.warnf("contains", "ignored-parameter", `"contains" is ignored because "equals" is given too`)
	}
}

// judge compares a text with the expectation; what names the text. An error says that the text is not known completely.
func (e *textExpectation) judge(f *Finding, what, text string) error {
	fits, err := false, error(nil)
	switch {
	case e.Equals.json != nil:
		fits, err = e.equalsJSON(f, what, text)
	case e.isExact():
		want := e.Equals.text
		f.Details["expected"], f.Explanation = want, what+" is "+say.Quote(text)
		if fits = text == want; !fits {
			fits, err = sameJSON(text, want)
		}
		if !fits {
			f.Explanation += ", expected " + say.Quote(want)
		}
	case e.Contains != nil:
		output := newToolText(text, unmasked)
		f.Details["contains"], fits = *e.Contains, output.contains(*e.Contains)
		f.Explanation = what + " has " + say.Quote(*e.Contains)
		if !fits {
			f.Explanation, f.doubt = what+" is "+say.Quote(text)+", which has no "+say.Quote(*e.Contains), output.doubt()
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
	return err
}

// equalsJSON compares a text with a list or a map. A text that is not JSON proves nothing for a reversed check.
func (e *textExpectation) equalsJSON(f *Finding, what, text string) (fits bool, err error) {
	f.Details["expected"] = e.Equals.json
	got, err := decodeSaid(text)
	switch {
	case errors.As(err, new(unclearError)):
		return false, err
	case err != nil:
		f.Explanation, f.silent = what+" is "+say.Quote(text)+", expected "+say.Shown(e.Equals.json), true
		return false, nil
	}
	f.Explanation = what + " is " + say.Shown(got)
	if fits = jsonvalue.Equal(got, e.Equals.json); !fits {
		f.Explanation += ", expected " + say.Shown(e.Equals.json)
	}
	return fits, nil
}

// sameJSON reports whether two texts are the same JSON, other than a string.
func sameJSON(text, want string) (bool, error) {
	w, err := chat.DecodeJSON([]byte(want))
	if _, quoted := w.(string); err != nil || quoted {
		return false, nil // the text is literal
	}
	got, err := decodeSaid(text)
	if errors.As(err, new(unclearError)) {
		return false, err
	}
	return err == nil && jsonvalue.Equal(got, w), nil
}
