package grading

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/enclosed"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// Opinion is the content of a judge's reply. The score is within 0..1.
type Opinion struct {
	Score     float64
	passed    *bool  // as the judge wrote it; not used if there is a score
	verdict   string // of a whole scenario: pass, fail, uncertain
	Reasoning string
	Against   string // what it says against what it scores, with the value; "": nothing
	evidence  []string
}

// readReply reads the opinion in a judge's reply about exhibits. It accepts only an answer that is the whole reply; see
// alone. Ambiguous replies are errors: several answers, lists, and text in brackets that is no JSON, which is a quote
// or a reply that was cut. The error says what is wrong, in words for users and judges.
func readReply(text string, exhibits []Exhibit, read func(answer) (Opinion, error)) (Opinion, error) {
	text = WithoutThoughts(text, exhibits)
	if text == "" {
		return Opinion{}, errors.New("it is empty")
	}
	var found *Opinion
	var start, stop int // of the answer
	for at := 0; ; {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			break
		}
		at += i
		end, _ := enclosed.Balanced(text[at:])
		if end == 0 {
			return Opinion{}, errors.New("it breaks off inside of a bracket")
		}
		begin := at
		a, err := answerIn(text[at : at+end])
		at += end
		if err != nil {
			return Opinion{}, err
		}
		if a == nil {
			continue
		}
		o, err := read(a)
		switch {
		case err != nil:
			return Opinion{}, err
		case found == nil:
			found, start, stop = &o, begin, at
		case !found.agrees(&o):
			return Opinion{}, fmt.Errorf("it holds answers that disagree, %s and %s", found.word(), o.word())
		default:
			return Opinion{}, errors.New("it holds several answers, not one")
		}
	}
	if found == nil {
		return Opinion{}, errors.New("it holds no JSON object with the answer")
	}
	if err := checkWholeReply(text, start, stop, exhibits); err != nil {
		return Opinion{}, err
	}
	return *found, nil
}

func (o *Opinion) agrees(p *Opinion) bool { return o.Score == p.Score && o.verdict == p.verdict }

// word is the opinion in short.
func (o *Opinion) word() string {
	if o.verdict != "" {
		return o.verdict
	}
	return say.Decimal(o.Score)
}

// answer is the fields of an answer that mean something, by their names in lower case.
type answer map[string]any

var decisiveFields = []string{"score", "passed", "verdict"}

// otherNumber is the key for an unknown field with a number, most likely a misspelt score. The confidence of a judge
// does not count.
const otherNumber = "\x00number"

// answerIn decodes a bracketed part of a reply; nil when it is no answer.
func answerIn(text string) (answer, error) {
	if !json.Valid([]byte(text)) {
		return nil, nil
	}
	if text[0] == '[' {
		if strings.Contains(text, "{") {
			return nil, errors.New("it is a list, not one JSON object")
		}
		return nil, nil
	}
	a, err := decodeAnswer(text)
	if err != nil {
		return nil, err
	}
	for _, name := range decisiveFields {
		if _, ok := a[name]; ok {
			return a, nil
		}
	}
	return nil, nil
}

// decodeAnswer reads the fields of an object. One that is there twice must say the same both times.
func decodeAnswer(text string) (answer, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	members := jsonvalue.Object{}
	a := answer{allMembers: members}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		written, _ := key.(string)
		name := fieldOf(written)
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		members[written] = v
		if name == "" {
			if _, number := v.(json.Number); number && !strings.EqualFold(written, "confidence") {
				a[otherNumber] = key
			}
			if saysScale(written, v) {
				a[otherScale] = say.Named(written) + ": " + say.Shown(v)
			}
			continue
		}
		if before, twice := a[name]; twice && !jsonvalue.Equal(before, v) {
			return nil, fmt.Errorf("it says %s twice and not the same", name)
		}
		a[name] = v
	}
	return a, nil
}

// gradeOf reads the answer of a judge that grades: its score, or when there is no number at all its verdict. An answer
// that reports an error is no judgement.
func gradeOf(a answer) (Opinion, error) {
	o := Opinion{passed: a.truth("passed"), Against: a.contradiction()}
	o.Reasoning, _ = a["reasoning"].(string)
	if err := a.refusesItself(); err != nil {
		return o, err
	}
	if v, given := a["score"]; given {
		score, err := scoreOf(v)
		if o.Score = score; err != nil {
			return o, err
		}
		o.Against = a.againstScore(score)
		o.passed, err = a.passedField()
		return o, err
	}
	if name, given := a[otherNumber]; given {
		return o, fmt.Errorf("it has no score, and a number as %s", say.Shown(name))
	}
	verdict, err := a.passing("it has no score")
	if err != nil {
		return o, err
	}
	if word, given := a["verdict"]; given && o.passed != nil && *o.passed != (verdict == verdictPass) {
		return o, fmt.Errorf("it has no score, and passed is %t where verdict is %s", *o.passed, say.Shown(word))
	}
	if verdict == verdictPass {
		o.Score = 1
	} else if verdict != verdictFail {
		return o, fmt.Errorf("it has no score, and its verdict is %s", verdict)
	}
	return o, nil
}

// The verdicts on a whole scenario.
const (
	verdictPass      = "pass"
	verdictFail      = "fail"
	verdictUncertain = "uncertain"
)

// verdictOf reads the answer of a judge of a whole scenario.
func verdictOf(a answer) (Opinion, error) {
	o := Opinion{passed: a.truth("passed")}
	o.Reasoning, _ = a["reasoning"].(string)
	list, _ := a["evidence"].([]any)
	for _, item := range list {
		o.evidence = append(o.evidence, jsonvalue.Text(item))
	}
	if err := a.refusesItself(); err != nil {
		return o, err
	}
	verdict, err := a.passing("it has no verdict")
	o.verdict = verdict
	if err == nil {
		err = a.contradicts(verdict)
	}
	switch verdict {
	case verdictPass:
		o.Score = 1
	case verdictUncertain:
		o.Score = 0.5
	}
	return o, err
}

// passing is the pass decision of the answer; its verdict counts before passed. none is the error without a decision.
func (a answer) passing(none string) (string, error) {
	if v, given := a["verdict"]; given {
		word, _ := v.(string)
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "pass", "passed":
			return verdictPass, nil
		case "fail", "failed":
			return verdictFail, nil
		case "uncertain":
			return verdictUncertain, nil
		}
		return "", fmt.Errorf("verdict is %s, expected pass, fail or uncertain", say.Shown(v))
	}
	v, given := a["passed"]
	switch passed := a.truth("passed"); {
	case !given:
		return "", errors.New(none)
	case passed == nil:
		return "", fmt.Errorf("passed is %s, expected true or false", say.Shown(v))
	case *passed:
		return verdictPass, nil
	}
	return verdictFail, nil
}

// truth is a field that is true or false, also as text; nil for anything else.
func (a answer) truth(name string) *bool {
	switch v := a[name].(type) {
	case bool:
		return &v
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true":
			return new(true)
		case "false":
			return new(false)
		}
	}
	return nil
}

// scoreOf reads a number within 0..1, also as text. A judge on another scale is not understood: what it means by 8 or
// by 80% is a guess.
func scoreOf(v any) (float64, error) {
	var digits string
	switch x := v.(type) {
	case json.Number:
		digits = x.String()
	case string:
		digits = strings.TrimSpace(x)
		if !isNumber(digits) {
			return 0, fmt.Errorf("score is %s, expected a number from 0 to 1", say.Shown(v))
		}
	default:
		return 0, fmt.Errorf("score is %s, expected a number from 0 to 1", say.Shown(v))
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f < 0 || f > 1 {
		return 0, fmt.Errorf("score is %s, which is not between 0 and 1", say.Named(digits))
	}
	return f + 0, nil // never -0
}

// isNumber reports whether a text is a number as JSON writes it, which rules out NaN, Inf and hexadecimals.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && json.Valid([]byte(s))
}

// measured reads the answer of an evaluator. It must have a score; a verdict in it decides nothing. An answer that
// reports an error, or another scale, is no judgement, even with a score.
func measured(a answer) (Opinion, error) {
	if err := a.refusesItself(); err != nil {
		return Opinion{}, err
	}
	v, given := a["score"]
	if !given {
		return Opinion{}, errors.New("it has no score")
	}
	score, err := scoreOf(v)
	reasoning, _ := a["reasoning"].(string)
	return Opinion{Score: score, Reasoning: reasoning, Against: a.againstScore(score)}, err
}

// ReadEvaluation makes an opinion of what an evaluator answered to a message, as strictly as of what a judge wrote.
func ReadEvaluation(text, message string) (Opinion, error) {
	return readReply(text, []Exhibit{Show("message", message)}, measured)
}

// NotOneObject says why an answer is not what it must be.
type NotOneObject struct{ why string }

func (e *NotOneObject) Error() string { return "not one JSON object" + e.why }

// OneAnswer reads the answer of a program or an endpoint: one JSON object and nothing else, with a number as score.
// What is tolerated in replies of models, such as text around the object, is an error here. fields are all fields of
// the object.
func OneAnswer(text string) (fields jsonvalue.Object, o Opinion, err error) {
	data := chat.WithoutBOM([]byte(text))
	v, err := chat.DecodeJSON(data)
	if err != nil {
		return nil, Opinion{}, &NotOneObject{" (" + err.Error() + ")"}
	}
	fields, ok := v.(jsonvalue.Object)
	if !ok {
		return nil, Opinion{}, &NotOneObject{}
	}
	a, err := decodeAnswer(string(data)) // which does not overlook that a field is there twice
	if err != nil {
		return nil, Opinion{}, err
	}
	if score, quoted := a["score"].(string); quoted && isNumber(strings.TrimSpace(score)) {
		return nil, Opinion{}, fmt.Errorf("score is %s, expected a number from 0 to 1, without quotes", say.Shown(score))
	}
	o, err = measured(a)
	return fields, o, err
}
