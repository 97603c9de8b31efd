package checks

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/wellformed"
)

const fence = "```"

// fenced returns the trimmed content of the first code block that is marked with one of some languages or not marked at
// all. Blocks of other languages are passed over whole, so that their closing fence is not taken for an opening one.
func fenced(text string, languages ...string) (string, bool) {
	for work := 0; work < scanLimit; {
		start := strings.Index(text, fence)
		if start < 0 {
			break
		}
		ticks := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		mark := text[start : start+ticks]
		rest := text[start+ticks:]
		lineEnd := strings.IndexAny(rest, "\n`")
		if lineEnd < 0 || rest[lineEnd] == '`' { // code within a line
			_, after, closed := strings.Cut(rest, mark)
			if !closed {
				break
			}
			text = after
			continue
		}
		info, body := rest[:lineEnd], rest[lineEnd+1:]
		end, seen := closing(body, mark)
		if end < 0 {
			break
		}
		work += seen
		lang, _, _ := strings.Cut(strings.TrimSpace(info), " ")
		if lang == "" || slices.ContainsFunc(languages, func(l string) bool { return strings.EqualFold(l, lang) }) {
			return strings.TrimSpace(body[:end]), true
		}
		text = strings.TrimLeft(body[end:], "`")
	}
	return "", false
}

// closing finds the fence that ends a block: the first that begins or ends a line, else the first one; -1 when there is
// none. seen is how much of the text it took to know.
func closing(body, mark string) (end, seen int) {
	first := -1
	for from := 0; ; {
		i := strings.Index(body[from:], mark)
		if i < 0 {
			return first, len(body)
		}
		i += from
		after := i + len(mark)
		for after < len(body) && body[after] == '`' {
			after++
		}
		if blankBefore(body[:i]) || blankAfter(body[after:]) {
			return i, i
		}
		if first < 0 {
			first = i
		}
		from = after
	}
}

// blankBefore reports whether the last line of a text is blank.
func blankBefore(text string) bool {
	line := strings.TrimRightFunc(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) })
	return line == "" || strings.HasSuffix(line, "\n")
}

// blankAfter reports whether the first line of a text is blank.
func blankAfter(text string) bool {
	line := strings.TrimLeftFunc(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) })
	return line == "" || line[0] == '\n'
}

// wrapOption says whether a document may stand in a code block. It is a parameter of the checks of documents.
type wrapOption struct {
	AllowWrapped bool `param:"allow_wrapped" default:"false" doc:"Take the content of the first code fence, if any."`
}

// document is the text of a reply that is to be a document, without the white space around it.
func (o wrapOption) document(s *Subject, languages ...string) string {
	if o.AllowWrapped {
		if inner, ok := fenced(s.Output(), languages...); ok {
			return inner
		}
	}
	return strings.TrimSpace(s.Output())
}

// malformed is the finding of a check on a reply that is no such document. What is too large for an answer is an error.
func (o wrapOption) malformed(s *Subject, what, text string, err error) (Finding, error) {
	if _, limit := errors.AsType[*wellformed.LimitError](err); limit {
		return Finding{}, err
	}
	return Finding{
		Explanation: "not " + what + ": " + say.OneLine(err.Error()) + o.hint(s.Output()),
		Details:     map[string]any{"valid": false, "content": say.Content(text)},
	}, nil
}

// hint says that the option would help.
func (o wrapOption) hint(text string) string {
	if o.AllowWrapped || !strings.Contains(text, fence) {
		return ""
	}
	return " (the reply has a code fence; allow_wrapped: true looks inside)"
}
