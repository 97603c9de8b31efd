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

// Fingerprint is equal for conversations that failed in the same way; "" for conversations that did not fail. It is a
// hash of the failed checks: type, parameters and explanation of each. Numbers, quoted texts that are not parameters,
// case and white space of explanations do not count, nor does the reasoning of a judge. The positions of the checks and
// the number of their failures do not count either. Without a failed check it is a hash of the error that ended the
// conversation.
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
	if len(a.Params) == 0 && a.Declared.Line > 0 { // for a check in a file, its position stands for the parameters
		params = a.Declared.String()
	}
	seen := ""
	if !asksModel(a.Type) {
		seen = normal(reason(a), params)
	}
	return strings.Join([]string{a.Type, params, seen}, "\x00")
}

// canonical writes JSON so that equal values have equal text.
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

// normal removes from an explanation what differs between conversations.
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
