package generate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/recording"
)

// Fingerprint is the same for conversations that failed in the same way, and "" for those that did not fail: a hash of
// the failed checks, each by its type, its parameters and its explanation, in which numbers, quoted texts that are not
// parameters, case and space do not count; what a model said as a judge does not count at all. Where the checks stood,
// and how often each failed, makes no difference. Without a failed check it is of the error that broke the conversation
// off.
func Fingerprint(s *recording.Session) string {
	var failed []string
	for _, a := range verdicts(s) {
		if a.Failed() && !a.Unanswered {
			failed = append(failed, describe(&a))
		}
	}
	if len(failed) == 0 {
		if s.Error == "" {
			return ""
		}
		failed = []string{"error\x00" + normal(s.Error, "")}
	}
	slices.Sort(failed)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(failed), "\x01")))
	return hex.EncodeToString(sum[:8])
}

func describe(a *recording.Verdict) string {
	params := canonical(a.Params)
	if len(a.Params) == 0 && a.Declared.Line > 0 { // of a check in a file the place stands for the parameters
		params = a.Declared.String()
	}
	seen := ""
	if !asksModel(a.Type) {
		seen = normal(reason(a), params)
	}
	return strings.Join([]string{a.Type, params, seen}, "\x00")
}

// canonical writes JSON so that equal values are equal text.
func canonical(raw json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	text, err := json.Marshal(v) // sorts keys
	if err != nil {
		return string(raw)
	}
	return string(text)
}

var varying = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+(?:[.,][0-9]+)*`)
})

// normal leaves out of an explanation what differs from conversation to conversation.
func normal(text, params string) string {
	text = varying().ReplaceAllStringFunc(strings.ToLower(text), func(found string) string {
		switch {
		case found[0] != '"' && found[0] != '\'':
			return "#"
		case params != "" && strings.Contains(strings.ToLower(params), found[1:len(found)-1]):
			return found
		}
		return `""`
	})
	return strings.Join(strings.Fields(text), " ")
}
