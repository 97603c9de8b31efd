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

// veil says how texts with redacted parts are compared.
type veil uint8

const (
	lifted   veil = iota // texts as they are
	strict               // a redacted part never matches
	generous             // a redacted part always matches
)

// veilMark replaces a redacted part: a letter, so that no word ends beside it, and one that no check searches for.
const veilMark = "\U0002FA1D"

// has reports whether something is in a text; found is whether it is in the text without its redacted parts.
func (v veil) has(text string, found bool) bool {
	return found || v == generous && strings.Contains(text, veilMark)
}

// find returns where an expression matches; nil: nowhere.
func (v veil) find(re *regexp.Regexp, text string) []int {
	switch {
	case v == lifted || !strings.Contains(text, veilMark):
		return re.FindStringIndex(text)
	case v == generous:
		return []int{0, len(text)}
	}
	for _, at := range re.FindAllStringIndex(text, -1) {
		beside := strings.HasSuffix(text[:at[0]], veilMark) || strings.HasPrefix(text[at[1]:], veilMark)
		if !beside && !strings.Contains(text[at[0]:at[1]], veilMark) {
			return at
		}
	}
	return nil
}

// equal compares a value of a conversation with the wanted value.
func (v veil) equal(want, got any) bool {
	return jsonvalue.EqualTexts(want, got) || v == generous && veiledIn(got)
}

// length is the length of the reply under test in characters; under a veil its minimum or maximum.
func (s *Subject) length() int {
	n, unknown := utf8.RuneCountInString(s.Output()), 0
	if s.veil != lifted {
		unknown = strings.Count(s.Output(), veilMark)
	}
	if unknown > 0 && s.veil == generous {
		return math.MaxInt32
	}
	return n - unknown
}

// veiledIn reports whether a part of a decoded JSON value is redacted.
func veiledIn(v any) bool { return strings.Contains(jsonvalue.Text(v), veilMark) }

// under returns the subject with its redacted parts under a veil.
func (s *Subject) under(v veil) *Subject {
	f := s.Fork()
	f.veil, f.AllCalls = v, nil
	f.Messages = slices.Clone(s.Messages)
	for i := range f.Messages {
		m := &f.Messages[i]
		m.Content, m.Parts = veiledText(m.Content), veiledParts(m.Parts)
		if m.ToolResult != nil {
			r := *m.ToolResult
			r.Content, r.Error, r.Parts = veiledText(r.Content), veiledText(r.Error), veiledParts(r.Parts)
			m.ToolResult = &r
		}
	}
	f.Calls = slices.Clone(s.Calls)
	for i := range f.Calls {
		c := &f.Calls[i]
		c.Args, _ = veiledValue(c.Args).(map[string]any)
		c.Result, c.Parts = veiledValue(c.Result), veiledParts(c.Parts)
		c.BadArgs, c.Error = veiledText(c.BadArgs), veiledText(c.Error)
	}
	return f
}

func veiledText(text string) string { return strings.ReplaceAll(text, secret.Redacted, veilMark) }

func veiledParts(parts []chat.Part) []chat.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = veiledText(parts[i].Text)
	}
	return parts
}

func veiledValue(v any) any {
	switch v := v.(type) {
	case string:
		return veiledText(v)
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[veiledText(key)] = veiledValue(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = veiledValue(v[i])
		}
		return out
	}
	return v
}
