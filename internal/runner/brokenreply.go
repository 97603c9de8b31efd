package runner

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A failing program may exit with status 0 and print its error instead of a reply. Checks that forbid texts would pass
// on it. A program may also print an object instead of the text in it.

// brokenReply says what a reply is if it cannot be the words of an agent, and what to do; "": it can. program: it comes
// from an agent that is a program or an endpoint.
func brokenReply(text string, program bool) string {
	if strings.IndexByte("[u{$<", text[0]) >= 0 && lostReply().MatchString(text) {
		return "which programs say that lost what they were to say"
	}
	if !program {
		return ""
	}
	for _, form := range printedForms() {
		if form.pattern.MatchString(text) {
			return form.is
		}
	}
	if text[0] != '{' {
		return ""
	}
	var o jsonvalue.Object
	if json.Unmarshal([]byte(text), &o) != nil {
		return ""
	}
	return brokenObject(o)
}

const (
	printedFailure = "which a program prints that failed: end it with a status other than 0, so that the trial is an error"
	printedObject  = "which is an object of a program and not the text in it: print the text"
)

// brokenObject is brokenReply for a JSON object.
func brokenObject(o jsonvalue.Object) string {
	for key, parts := range o {
		list, _ := parts.([]any)
		switch key {
		case "choices", "candidates": // of OpenAI's and Gemini's wire
			if len(list) > 0 {
				return printedObject
			}
		case "content": // of Anthropic's
			if len(list) > 0 && o["role"] == "assistant" && o["type"] == "message" {
				return printedObject
			}
		}
	}
	if mark, failed := failure.In(o); failed && mark.Reason {
		return printedFailure
	}
	if _, is := o["detail"].(string); is && len(o) == 1 { // as FastAPI answers
		return printedFailure
	}
	return ""
}

// printedForm is a form in which programs print failures or objects.
type printedForm struct {
	pattern *regexp.Regexp
	is      string
}

// lostReply finds texts that stand for a missing value, unfilled templates, and error pages of gateways.
var lostReply = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[object Object\]|undefined|\{\{ *[\w.]+ *\}\}|\$\{ *[\w.]+ *\})$|` +
		`(?is)^(?:<!doctype html>\s*)?<html\b.{0,400}\b50[0-4]\b`)
})

var printedForms = sync.OnceValue(func() (all []printedForm) {
	for _, pattern := range []string{
		`^Traceback \(most recent call last\):`,
		`\nTraceback \(most recent call last\):\n(?:[ \t][^\n]*\n)+[\w.]*(?:Error|Exception|Interrupt|Exit)(?:: [^\n]*)?$`,
		`^(?:[\w.]*[A-Z]\w*(?:Error|Exception)|Error|ERROR|FATAL|Fatal|panic): [^\n]*$`,
		`^\d{4}-\d\d-\d\d[T ][\d:.,]+\S* [^\n]{0,60}\b(?:ERROR|CRITICAL|FATAL)\b[^\n]*$`,
		`^usage: (?s:.)*(?:\[-h\]|error: )`, `^Usage: \S[^\n]* \[OPTIONS\]`, // argparse and click
		`^[45]\d\d [A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\.?$`, // 502 Bad Gateway
		`^Error code: [45]\d\d\b`,                       // openai's library
		`^(?i:internal server error|rate limit exceeded|too many requests|request timed out|connection refused|` +
			`service unavailable|bad gateway|gateway time-?out|unauthorized)[.!]?$`,
		`^Agent stopped due to (?:max iterations|iteration limit|time limit)`, `^Could not parse LLM output`, // LangChain
	} {
		all = append(all, printedForm{regexp.MustCompile(pattern), printedFailure})
	}
	for _, pattern := range []string{
		`^(?:None|nan|NaN)$`,
		`^<Response \[\d+\]>$`,
		`^<(?:[\w.]+ object(?: [\w.<>]+)?|function [\w.<>]+|bound method [^\n]+) at 0x[0-9a-fA-F]+>$`,
		`^(?:ChatCompletion|ModelResponse|Response|Message|AIMessage|GenerateContentResponse)\((?:id|content|candidates)=`,
		`^content=(?s:['"].*) (?:additional_kwargs|response_metadata)=\{`, // LangChain
	} {
		all = append(all, printedForm{regexp.MustCompile(pattern), printedObject})
	}
	return all
})
