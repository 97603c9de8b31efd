package grading

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/say"
)

func TestReadReply(t *testing.T) {
	t.Parallel()
	const fences = "```"
	for _, tc := range []struct {
		name, text string
		want       string // the score, or what is wrong
	}{
		{"plain", `{"reasoning": "ok", "score": 0.8, "passed": true}`, "0.8"},
		{"only a score", `{"score": 0.55}`, "0.55"},
		{"a whole number", `{"score": 1}`, "1"},
		{"zero", `{"score": 0.0, "passed": false}`, "0"},
		{"minus zero", `{"score": -0}`, "0"},
		{"with an exponent", `{"score": 8e-1}`, "0.8"},
		{"a number as text", `{"score": " 0.8 "}`, "0.8"},
		{"names in another case", `{"Score": 0.8, "PASSED": true}`, "0.8"},
		{"fields beside", `{"confidence": 7, "score": 0.8, "evidence": ["a"], "meta": {"score": 0.1}}`, "0.8"},
		{"in a fence", fences + "json\n{\"score\": 0.8}\n" + fences, "0.8"},
		{"in a fence without a language", fences + "\n{\"score\": 0.8}\n" + fences, "0.8"},
		{"handed over", `My verdict: {"score": 0.8}. I hope that helps!`, "0.8"},
		{"handed over in a fence", "Here's my evaluation:\n\n" + fences + "json\n{\"score\": 0.8}\n" + fences + "\nThanks.", "0.8"},
		{"in bold", `**{"score": 0.8}**`, "0.8"},
		{"as code", "`{\"score\": 0.8}`", "0.8"},
		{"braces in the prose", `I looked at {this} and [that] {score: 1}. {"score": 0.8}`, "it has words before the JSON object"},
		{"a reference in the prose", `As said in [1] and [2, 3]: {"score": 0.8}`, "it has words before the JSON object"},
		{"an object that is no answer", `For {"order": 7} I say {"score": 0.8}`, "it has words before the JSON object"},
		{"braces in the reasoning", `{"reasoning": "it says {\"score\": 1}", "score": 0.8}`, "0.8"},
		{"the same twice", `{"score": 0.8} in short {"score": 0.80, "passed": true}`, "it holds several answers, not one"},
		{"a field twice", `{"score": 0.8, "score": 0.8}`, "0.8"},
		{"thoughts before", "<think>Maybe {\"score\": 1}?</think>\n{\"score\": 0.8}", "0.8"},
		{"thoughts without a begin", "Maybe {\"score\": 1}?\n</think>\n\n{\"score\": 0.8}", "0.8"},
		{"passed without a score", `{"passed": true}`, "1"},
		{"not passed without a score", `{"passed": "False"}`, "0"},
		{"verdict without a score", `{"verdict": "Pass"}`, "1"},
		{"failed without a score", `{"verdict": "failed", "passed": false}`, "0"},
		{"passed says another thing than the score", `{"passed": false, "score": 0.9}`, "0.9"},

		{"pass says another thing than the score", `{"pass": false, "score": 0.9}`, "0.9"},
		{"a verdict in words of its own", `{"verdict": "quite kind", "score": 0.9}`, "0.9"},
		{"a scale to 1", `{"score": 0.9, "scale": "0-1", "max_score": 1}`, "0.9"},
		{"passed is null beside a score", `{"score": 0.9, "passed": null}`, "passed is null, expected true or false"},
		{"passed is neither", `{"score": 0.9, "passed": "uncertain"}`, `passed is "uncertain", expected true or false`},
		{"a verdict that is an object", `{"score": 0.9, "verdict": {"score": 0.1}}`, "verdict is {"},
		{"another scale", `{"score": 0.9, "scale": "0-10"}`, `another scale than from 0 to 1 (scale: "0-10")`},
		{"another maximum", `{"score": 1, "max": 5}`, "another scale than from 0 to 1 (max: 5)"},
		{"another maximal score", `{"max_score": 10, "score": 0.9}`, "another scale"},
		{"a refusal beside the score", `{"score": 0.9, "refusal": "I cannot"}`, "it refuses to judge"},
		{"confidence without a score", `{"passed": true, "confidence": 0.3}`, "1"},
		{"no error", `{"score": 0.8, "error": null}`, "0.8"},

		{"a misspelt score", `{"passed": true, "scre": 0.1}`, `it has no score, and a number as "scre"`},
		{"an error beside the score", `{"score": 1, "error": "cannot judge"}`, "it reports an error of its own"},
		{"an error beside passed", `{"passed": true, "error": {"code": 7}}`, "it reports an error of its own"},
		{"nothing", "", "it is empty"},
		{"blank", " \n\t", "it is empty"},
		{"only thoughts", "<think>Let me see", "it is empty"},
		{"prose", "I think it is great!", "it holds no JSON object with the answer"},
		{"a refusal", "I'm sorry, but I can't help with that.", "it holds no JSON object with the answer"},
		{"a bare number", "0.8", "it holds no JSON object with the answer"},
		{"an object without an answer", `{"rating": 0.8}`, "it holds no JSON object with the answer"},
		{"an answer one level down", `{"result": {"score": 1}}`, "it holds no JSON object with the answer"},
		{"a list", `[{"passed": true, "score": 1}]`, "it is a list"},
		{"a list in prose", `Here: [{"score": 1}]`, "it is a list"},
		{"cut short", `{"reasoning": "It quotes {\"score\": 1}", "sco`, "it breaks off inside of a bracket"},
		{"cut short after an object", `{"quote": {"score": 1, "passed": true}, "score": 0.`, "it breaks off"},
		{"a list cut short", `[{"score": 1}, {"sco`, "it breaks off"},
		{"not quite JSON", `{'quote': {"score": 1}, 'score': 0.1}`, "it holds no JSON object with the answer"},
		{"two answers", `{"score": 0.2} or rather {"score": 1}`, "it holds answers that disagree, 0.2 and 1"},
		{"two answers in fences", fences + "{\"score\": 0}" + fences + fences + "{\"score\": 1}" + fences, "disagree, 0 and 1"},
		{"an unusable one first", `{"score": "high"} {"score": 1}`, `score is "high"`},
		{"a field twice, not the same", `{"score": 0.1, "score": 1}`, "it says score twice and not the same"},
		{"a field in two cases", `{"score": 0.1, "Score": 1}`, "it says score twice"},
		{"null", `{"score": null, "passed": true}`, "score is null, expected a number from 0 to 1"},
		{"true", `{"score": true}`, "score is true"},
		{"NaN", `{"score": NaN, "passed": true}`, "it holds no JSON object"},
		{"infinity", `{"score": Infinity}`, "it holds no JSON object"},
		{"NaN as text", `{"score": "NaN"}`, `score is "NaN"`},
		{"infinity as text", `{"score": "inf"}`, `score is "inf"`},
		{"a hexadecimal", `{"score": "0x1p-2"}`, `score is "0x1p-2"`},
		{"a word", `{"score": "low"}`, `score is "low"`},
		{"a percentage", `{"score": "80%"}`, `score is "80%"`},
		{"a fraction", `{"score": "4/5"}`, `score is "4/5"`},
		{"empty text", `{"score": ""}`, `score is ""`},
		{"an object", `{"score": {"value": 1}}`, `score is {"value":1}`},
		{"a list as score", `{"score": [1]}`, `score is [1]`},
		{"eight", `{"score": 8, "passed": true}`, "score is 8, which is not between 0 and 1"},
		{"eighty five", `{"score": 85}`, "score is 85, which is not between 0 and 1"},
		{"just above", `{"score": 1.0000001}`, "score is 1.0000001, which is not between 0 and 1"},
		{"negative", `{"score": -1}`, "score is -1, which is not between 0 and 1"},
		{"out of any range", `{"score": 1e999}`, "score is 1e999, which is not between 0 and 1"},
		{"passed is no truth", `{"passed": "maybe"}`, `passed is "maybe", expected true or false`},
		{"passed is null", `{"passed": null}`, "passed is null, expected true or false"},
		{"uncertain", `{"verdict": "uncertain"}`, "it has no score, and its verdict is uncertain"},
		{"no verdict at all", `{"verdict": "good"}`, `verdict is "good", expected pass, fail or uncertain`},
		{"they contradict", `{"passed": true, "verdict": "fail"}`, `passed is true where verdict is "fail"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o, err := readReply(tc.text, nil, gradeOf)
			got := say.Decimal(o.Score)
			if err != nil {
				got = err.Error()
			}
			if err == nil && got != tc.want || err != nil && !strings.Contains(got, tc.want) {
				t.Errorf("%s\n got %s\nwant %s", tc.text, got, tc.want)
			}
		})
	}
}

func TestReadVerdict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"verdict": " PASS ", "evidence": [1, "two"]}`:  `pass ["1" "two"]`,
		`{"verdict": "fail", "passed": true}`:            `fail []`,
		`{"verdict": "pass", "passed": false}`:           "its verdict is pass, and passed is false",
		`{"verdict": "pass", "score": 0.1}`:              "its verdict is pass, and its score 0.1",
		`{"passed": true, "evidence": "just text"}`:      `pass []`,
		`{"verdict": "uncertain", "score": 1}`:           `uncertain []`,
		`{"verdict": "error"}`:                           `verdict is "error", expected pass, fail or uncertain`,
		`{"score": 1}`:                                   "it has no verdict",
		`{"verdict": "pass"} no, {"verdict": "fail"}`:    "it holds answers that disagree, pass and fail",
		`{"verdict": "fail"} {"verdict": "uncertain"}`:   "it holds answers that disagree, fail and uncertain",
		"```json\n{\"verdict\": \"pass\"}\n``` The end.": `pass []`,
	} {
		o, err := readReply(text, nil, verdictOf)
		got := fmt.Sprintf("%s %q", o.verdict, o.evidence)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestBesideTheScore: judges, endpoints and programs are read alike in what they say beside their score.
func TestBesideTheScore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ beside, want string }{
		{`"success": false`, "success: false"},
		{`"ok": false`, "ok: false"},
		{`"passed": false`, "passed: false"},
		{`"status": "failed"`, `status: "failed"`},
		{`"errors": ["x"]`, `errors: ["x"]`},
		{`"decision": "reject"`, `decision: "reject"`},
		{`"confidence": 1, "success": true`, ""},
		{`"status": "error"`, `it says that it has not judged (status: "error")`},
		{`"skipped": true`, "it says that it has not judged (skipped: true)"},
		{`"isError": true`, "it says that it has not judged (isError: true)"},
		{`"error": "boom"`, "it reports an error of its own (error), so it has not judged"},
		{`"max_score": 10`, "it grades on another scale than from 0 to 1 (max_score: 10)"},
	} {
		text := `{"score": 0.9, ` + tc.beside + `}`
		judged, err := readReply(text, nil, gradeOf)
		_, told, err2 := OneAnswer(text)
		for _, got := range []string{wordOr(judged.Against, err), wordOr(told.Against, err2)} {
			if got != tc.want {
				t.Errorf("%s: %q, want %q", text, got, tc.want)
			}
		}
	}
}

func wordOr(word string, err error) string {
	if err != nil {
		return err.Error()
	}
	return word
}

// FuzzReadReply holds what a reply is made of against what may be believed: a score within 0..1, and an error that fits
// on a line.
func FuzzReadReply(f *testing.F) {
	for _, text := range []string{
		`{"reasoning": "ok", "score": 0.8, "passed": true}`, "```json\n{\"score\": \"0.8\"}\n```", `{"score": 8}`,
		`<think>{"score": 1}</think>{"verdict": "pass"}`, `[{"score": 1}]`, `{"score": 1} {"score": 0}`, `{"a": {"score": 1}`,
		`{"score": -0.0, "verdict": "uncertain", "evidence": [1, {}]}`, `{"passed": "true"}`, "{\"score\": \"1\u2028\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(answer) (Opinion, error){gradeOf, verdictOf} {
			o, err := readReply(text, nil, read)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\x00\x1b") || len(err.Error()) > 1000 {
					t.Errorf("%q: %q", text, err)
				}
				continue
			}
			if !(o.Score >= 0 && o.Score <= 1) || math.Signbit(o.Score) {
				t.Errorf("%q: score %v", text, o.Score)
			}
			if !strings.Contains(text, "{") {
				t.Errorf("%q: an answer without an object", text)
			}
		}
	})
}

func BenchmarkReadReply(b *testing.B) {
	long := strings.Repeat("The reply is {kind} and says \\\"thanks\\\". ", 100)
	for name, text := range map[string]string{
		"plain":  `{"reasoning": "` + long + `", "score": 0.8, "passed": true}`,
		"fenced": long + "\n```json\n{\"reasoning\": \"ok\", \"score\": 0.8}\n```\n",
		"prose":  strings.Repeat("I will not grade {that}. ", 200),
		"braces": strings.Repeat("{", 8000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, _ = readReply(text, nil, gradeOf)
			}
		})
	}
}
