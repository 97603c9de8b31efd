package recording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// failureIn is what an object says of its own failure: an error in it, a status of one that did not succeed, or the
// status of a server that refused. "": nothing failed.
func (b *builder) failureIn(o object) string {
	if text := b.errorIn(o); text != "" {
		return text
	}
	if word, _ := o.get("status").str(); chat.BrokeOff(word) || isUnfinished(word) {
		return "its status is " + cutText(word, 40)
	}
	switch m, failed := markIn(o); {
	case !failed || !m.Certain:
		return ""
	case m.State:
		return fmt.Sprintf("its %s is %s", m.Key, cutText(fmt.Sprint(m.Value), 40))
	case jsonvalue.IsNumber(m.Value):
		return fmt.Sprintf("the server answered with status %v", m.Value)
	default:
		return fmt.Sprintf("its member %q says that it failed", m.Key)
	}
}

// markIn finds the mark of a failure among the members of an object. The status of a server may stand in a text.
func markIn(o object) (m failure.Mark, failed bool) {
	marks := jsonvalue.Object{}
	for name, v := range o.members {
		if !failure.Tells(name) {
			continue
		}
		if code, ok := numberIn(v); ok {
			marks[name] = code
		} else if decoded, err := chat.DecodeJSON(v.text); err == nil {
			marks[name] = decoded
		}
	}
	return failure.In(marks)
}

// errorIn is the error of an object; "": it has none.
func (b *builder) errorIn(o object) string {
	for _, name := range []string{"error", "errorstr"} {
		if text := b.failure(o.get(name)); text != "" {
			return text
		}
	}
	if set, _ := b.flag(o.get("iserror")); set {
		return "it is marked as an error"
	}
	return ""
}

// failed keeps the first failure of which a record tells: the conversation is incomplete.
func (b *builder) failed(what, failure string) {
	if failure != "" {
		b.session.Error = cmp.Or(b.session.Error, what+failure)
	}
}

// failure is the text of an error, which may be an object, or only a word that there was one.
func (b *builder) failure(v value) string {
	switch v.kind() {
	case 'f':
		return ""
	case 't':
		return "an error"
	case '{':
	case '[':
		if isEmpty(v) {
			return ""
		}
		return string(v.text)
	default:
		return b.text(v, "error")
	}
	said := false
	for _, member := range v.members {
		said = said || !isEmpty(member)
	}
	if text, ok := v.get("message").str(); ok && text != "" || !said {
		return text
	}
	return string(v.text)
}

// numberIn is a number, which may stand in a text.
func numberIn(v value) (float64, bool) {
	if text, ok := v.str(); ok {
		v.text = []byte(strings.TrimSpace(text))
	}
	return v.number()
}

// unfinished are the states of what was not said to its end, with which its part may be there.
var unfinished = []string{
	"incomplete", "in_progress", "queued", "partial", "truncated", "interrupted", "unfinished", "errored", "expired",
	"timed_out", "rejected", "pending", "running",
}

func isUnfinished(word string) bool { return slices.Contains(unfinished, strings.ToLower(word)) }

// stopReason is why a message ended, by its own words: a message that is not finished did not end as it says.
func (b *builder) stopReason(o object) string {
	if word, _ := o.get("status").str(); isUnfinished(word) {
		return "incomplete"
	}
	return b.text(o.get("finishreason", "stopreason"), "finish_reason")
}

// cutReasons are the words of other APIs for replies that were cut.
var cutReasons = map[string]string{
	"max_tokens": "length", "max_output_tokens": "length", "max_completion_tokens": "length",
	"model_context_window_exceeded": "length", "model_length": "length", "refusal": "content_filter",
	"safety": "content_filter",
}

// finishReason is a finish reason in arena's word, if it is one of a reply that was cut.
func finishReason(word string) string { return cmp.Or(cutReasons[strings.ToLower(word)], word) }

// resultFailure is the error of a tool by what its result says; text is the result itself.
func (b *builder) resultFailure(o object, text string) string {
	failure := b.failureIn(o)
	if set, _ := b.flag(o.get("iserror")); set && b.failure(o.get("error")) == "" {
		return cmp.Or(text, "the tool failed")
	}
	return failure
}

// doubtf notes what may mean that the conversation was not as it is read: every check of it passes with a warning.
func (b *builder) doubtf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.session.Doubts, text) {
		b.session.Doubts = append(b.session.Doubts, text)
	}
}

// doubtMetadata tells of a failure in metadata, which have no fixed form: it may be one of something else.
func (b *builder) doubtMetadata(o object) {
	if failure := b.failureIn(o); failure != "" {
		b.doubtf("the metadata report a failure: %s", cutText(failure, 80))
	}
}
