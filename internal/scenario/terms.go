package scenario

import "github.com/arena-evals/arena/internal/keys"

// Share is a number from 0 to 1, as scores and thresholds are.
var Share = unit

// The terms of a check: keys beside its parameters and among them, of every check.
var (
	minScore = keys.Key{Name: "min_score", Shape: unit, Read: true,
		Doc: "The lowest score that passes; without a threshold only 1 does."}
	maxScore = keys.Key{
		Name: "max_score", Shape: unit, Read: true, Doc: "The highest score that passes. Left out: no limit.",
	}
	message = keys.Key{Name: "message", Shape: text, Read: true,
		Doc: "Why the check is there; reports show it as the headline."}
	direction = keys.Key{Name: "direction", Shape: words("input", "output", "both"), Read: true,
		Doc: "Which messages a validator looks at."}

	terms      = []*keys.Key{&minScore, &maxScore, &message}
	guardTerms = []*keys.Key{&minScore, &maxScore, &message, &direction}
)

// Terms are the keys that every check of a surface accepts among its parameters.
func Terms(s Surface) []*keys.Key {
	if s == Guardrail {
		return guardTerms
	}
	return terms
}

// Wrapper is the type of a check in its long spelling: the check itself is in the parameters.
const Wrapper = "assertion"

var (
	wrappedType = keys.Key{
		Name: "eval_type", Shape: text, Required: true, Read: true, Doc: "Which check; `arena checks` lists them.",
	}
	wrappedParams = keys.Key{
		Name: "eval_params", Shape: rawMap, Null: true, Read: true, Doc: "The parameters of the check.",
	}
)

// WrapperKeys are the parameters of the long spelling.
func WrapperKeys(s Surface) []*keys.Key {
	return append([]*keys.Key{&wrappedType, &wrappedParams}, Terms(s)...)
}

// CheckKeys are the keys of a check in its list, with its terms.
func CheckKeys() []*keys.Key { return checkFields.Keys() }
