package checks

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/secret"
)

// masking says how texts with redacted parts are compared.
type masking uint8

const (
	unmasked    masking = iota // texts as they are
	neverMatch                 // a redacted part never matches
	alwaysMatch                // a redacted part always matches
)

// maskRune replaces a redacted part. It is a letter, so that no word ends beside it, and no check searches for it.
const maskRune = "\U0002FA1D"

// has reports whether something is in a text; found is whether it is in the text without its redacted parts.
func (m masking) has(text string, found bool) bool {
	return found || m == alwaysMatch && strings.Contains(text, maskRune)
}

// find returns where an expression matches; nil: nowhere.
func (m masking) find(re *regexp.Regexp, text string) []int {
	switch {
	case m == unmasked || !strings.Contains(text, maskRune):
		return re.FindStringIndex(text)
	case m == alwaysMatch:
		return []int{0, len(text)}
	}
	for _, at := range re.FindAllStringIndex(text, -1) {
		beside := strings.HasSuffix(text[:at[0]], maskRune) || strings.HasPrefix(text[at[1]:], maskRune)
		if !beside && !strings.Contains(text[at[0]:at[1]], maskRune) {
			return at
		}
	}
	return nil
}

// equal compares a value of a conversation with the wanted value.
func (m masking) equal(want, got any) bool {
	return jsonvalue.EqualTexts(want, got) || m == alwaysMatch && maskedIn(got)
}

// length is the length of the reply in characters; under a masking, its minimum or maximum.
func (s *Subject) length() int {
	n, unknown := utf8.RuneCountInString(s.Output()), 0
	if s.masking != unmasked {
		unknown = strings.Count(s.Output(), maskRune)
	}
	if unknown > 0 && s.masking == alwaysMatch {
		return math.MaxInt32
	}
	return n - unknown
}

// maskedIn reports whether a part of a decoded JSON value is redacted.
func maskedIn(v any) bool { return strings.Contains(jsonvalue.Text(v), maskRune) }

// under returns the subject with its redacted parts under a masking.
func (s *Subject) under(mask masking) *Subject {
	f := s.Fork()
	f.masking, f.AllCalls = mask, nil
	f.Messages = slices.Clone(s.Messages)
	for i := range f.Messages {
		m := &f.Messages[i]
		m.Content, m.Parts = maskedText(m.Content), maskedParts(m.Parts)
		if m.ToolResult != nil {
			r := *m.ToolResult
			r.Content, r.Error, r.Parts = maskedText(r.Content), maskedText(r.Error), maskedParts(r.Parts)
			m.ToolResult = &r
		}
	}
	f.Calls = slices.Clone(s.Calls)
	for i := range f.Calls {
		c := &f.Calls[i]
		c.Args, _ = maskedValue(c.Args).(map[string]any)
		c.Result, c.Parts = maskedValue(c.Result), maskedParts(c.Parts)
		c.BadArgs, c.Error = maskedText(c.BadArgs), maskedText(c.Error)
	}
	return f
}

func maskedText(text string) string { return strings.ReplaceAll(text, secret.Redacted, maskRune) }

func maskedParts(parts []chat.Part) []chat.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = maskedText(parts[i].Text)
	}
	return parts
}

func maskedValue(v any) any {
	switch v := v.(type) {
	case string:
		return maskedText(v)
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[maskedText(key)] = maskedValue(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = maskedValue(v[i])
		}
		return out
	}
	return v
}
