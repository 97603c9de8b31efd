package grading

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// otherScale is the key for a field that gives a maximum score other than 1.
const otherScale = "\x00scale"

// allMembers holds all that the object has.
const allMembers = "\x00all"

// fieldOf is the field of an answer that a key means; "": none. Keys of refusals mean that there is no judgement.
func fieldOf(key string) string {
	switch name := strings.ToLower(key); name {
	case "score", "passed", "verdict", "reasoning", "evidence", "error":
		return name
	case "pass":
		return "passed"
	case "refusal", "refused":
		return "refusal"
	}
	return ""
}

// saysScale reports whether a field names another scale than 0 to 1.
func saysScale(key string, v any) bool {
	switch jsonvalue.FoldKey(key) {
	case "max", "maxscore", "maximum", "maximumscore", "scale", "outof", "scoremax", "scorerange", "range":
	default:
		return false
	}
	for _, digits := range numbers().FindAllString(jsonvalue.Text(v), -1) {
		if f, err := strconv.ParseFloat(digits, 64); err == nil && f > 1 {
			return true
		}
	}
	return false
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`) })

// failed is an error when the answer says that there is no judgement.
func (a answer) failed() error {
	switch m, stance := failure.BesideScore(a.members()); {
	case stance != failure.Unjudged:
		return nil
	case fieldOf(m.Key) == "refusal":
		return errors.New("it refuses to judge (refusal)")
	case fieldOf(m.Key) == "error":
		return errors.New("it reports an error of its own (error), so it has not judged")
	default:
		return fmt.Errorf("it says that it has not judged (%s)", spelt(m))
	}
}

// contradiction says what in the answer contradicts its score; "": nothing.
func (a answer) contradiction() string {
	if m, stance := failure.BesideScore(a.members()); stance == failure.Against {
		return spelt(m)
	}
	return ""
}

// members are all fields of the object, with the names as written.
func (a answer) members() jsonvalue.Object {
	all, _ := a[allMembers].(jsonvalue.Object)
	return all
}

// spelt is a member of an object in words.
func spelt(m failure.Mark) string { return say.Named(m.Key) + ": " + say.Shown(m.Value) }

// refusesItself is an error when the answer says that there is no judgement, or that its score is not from 0 to 1.
func (a answer) refusesItself() error {
	if err := a.failed(); err != nil {
		return err
	}
	if what, told := a[otherScale].(string); told {
		return fmt.Errorf("it grades on another scale than from 0 to 1 (%s)", what)
	}
	return nil
}

// passedField is the pass decision in an answer with a score; nil: none. An unreadable field may mean that it does not
// pass.
func (a answer) passedField() (passed *bool, err error) {
	if v, given := a["passed"]; given { // null is no word for either
		if passed = a.truth("passed"); passed == nil {
			return nil, fmt.Errorf("passed is %s, expected true or false", say.Shown(v))
		}
	}
	switch v := a["verdict"].(type) {
	case nil:
		return passed, nil
	case string:
		word, err := a.passing("")
		if err != nil || word == verdictUncertain { // in words of its own, as the prompt may ask for
			return passed, nil
		}
		if passed == nil || word == verdictFail {
			passed = new(word == verdictPass)
		}
		return passed, nil
	case json.Number, jsonvalue.Object, []any:
		return nil, fmt.Errorf("verdict is %s, expected pass, fail or uncertain", say.Shown(v))
	}
	return passed, nil
}

// contradicts is an error if passed or a score contradicts a verdict of pass.
func (a answer) contradicts(verdict string) error {
	if verdict != verdictPass {
		return nil
	}
	if passed := a.truth("passed"); passed != nil && !*passed {
		return errors.New("its verdict is pass, and passed is false")
	}
	if said := a.contradiction(); said != "" {
		return fmt.Errorf("its verdict is pass, and beside it stands %s", said)
	}
	if v, given := a["score"]; given {
		if score, err := scoreOf(v); err == nil && score < 0.5 {
			return fmt.Errorf("its verdict is pass, and its score %s", say.Decimal(score))
		}
	}
	return nil
}
