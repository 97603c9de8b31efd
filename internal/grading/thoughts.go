package grading

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// thoughtTag are the marks around what a model thinks aloud.
type thoughtTag struct{ begin, end string }

// thoughtTags are the tags of widely used models, the most common one first.
var thoughtTags = [...]thoughtTag{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<reasoning>", "</reasoning>"},
	{"<reflection>", "</reflection>"},
	{"<scratchpad>", "</scratchpad>"},
	{"<seed:think>", "</seed:think>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"Thought:", "\nFinal Answer:"},
}

// WithoutThoughts takes off what models think aloud before they answer, and the blanks around the rest.
func WithoutThoughts(text string, exhibits []Exhibit) string {
	spoken, _ := Spoken(text, exhibits)
	return spoken
}

// Spoken is a text without the thoughts of the model and without surrounding blanks; mark is the tag that ended the
// thoughts, "": none. Many servers omit the opening tag, because the template of the conversation contains it. Then the
// closing tag must not occur in the exhibits, and must be the most common one.
func Spoken(text string, exhibits []Exhibit) (spoken, mark string) {
	spoken = strings.TrimSpace(text)
	if final, mark := finalChannel(spoken); mark != "" {
		return final, mark
	}
	for i := range thoughtTags {
		tag := thoughtTags[i]
		if !strings.Contains(spoken, tag.end) && !strings.HasPrefix(spoken, tag.begin) {
			continue
		}
		known := !Stands(tag.end, exhibits)
		for known || i == 0 {
			before, thoughts, opened := strings.Cut(spoken, tag.begin)
			if !opened || before != "" && (!known || !strings.HasSuffix(before, "\n")) {
				break
			}
			_, after, ended := strings.Cut(thoughts, tag.end)
			if !ended && (before != "" || i > 0) { // a word that the text happens to begin with
				break
			}
			spoken, mark = strings.TrimSpace(before+after), tag.end
		}
		if mark == "" && known && tag.endsAlone() {
			if before, after, ended := strings.Cut(spoken, tag.end); ended && endsThoughts(before, after) {
				return strings.TrimSpace(after), tag.end
			}
		}
		if mark != "" {
			return spoken, strings.TrimSpace(mark)
		}
	}
	return spoken, ""
}

// endsAlone reports whether the end says by itself that thoughts came before it.
func (t thoughtTag) endsAlone() bool { return t.end[0] != '\n' }

// endsThoughts reports whether a mark is a tag and not mentioned in the text: it is on a line of its own, follows a
// word without a blank, or separates two sentences.
func endsThoughts(before, after string) bool {
	if before == "" || strings.HasSuffix(before, "\n") {
		return true
	}
	if before[0] == '{' || before[0] == '[' { // a text within JSON
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if !unicode.IsSpace(last) {
		return !strings.ContainsRune("`\"'“‘«(<\\", last)
	}
	last, _ = utf8.DecodeLastRuneInString(strings.TrimSpace(before))
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(after))
	return strings.HasPrefix(after, "\n") || strings.ContainsRune(".!?…", last) && unicode.IsUpper(next)
}

// finalChannel is the text of the last channel of a reply with channels, of which only the final one is for the user;
// also if a server removed the tags but left the names. mark is "" without channels.
func finalChannel(text string) (final, mark string) {
	const channel, message = "<|channel|>", "<|message|>"
	head := strings.TrimPrefix(strings.TrimPrefix(text, "<|start|>"), "assistant")
	switch {
	case strings.HasPrefix(head, channel):
		_, final, _ = cutLast(head, channel+"final")
		_, final, _ = strings.Cut(final, message)
		for _, end := range []string{"<|return|>", "<|end|>"} {
			final = strings.TrimSuffix(strings.TrimSpace(final), end)
		}
		return strings.TrimSpace(final), channel
	case strings.HasPrefix(text, "analysis"), strings.HasPrefix(text, "assistantfinal"):
		if _, final, ended := cutLast(text, "assistantfinal"); ended {
			return strings.TrimSpace(final), "assistantfinal"
		}
	}
	return "", ""
}

// cutLast is strings.Cut at the last place.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}
