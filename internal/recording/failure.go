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

// failureIn returns the failure that an object reports: an error in it, a status that is not success, or the HTTP
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

// markIn finds the mark of a failure among the members of an object. An HTTP status may be inside a text.
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

// failed keeps the first failure in a record: the conversation is incomplete.
func (b *builder) failed(what, failure string) {
	if failure != "" {
		b.session.Error = cmp.Or(b.session.Error, what+failure)
	}
}

// failure is the text of an error. The error may be an object, or only say that there was one.
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
	hasText := false
	for _, member := range v.members {
		hasText = hasText || !isEmpty(member)
	}
	if text, ok := v.get("message").str(); ok && text != "" || !hasText {
		return text
	}
	return string(v.text)
}

// numberIn is a number, which may be written as a text.
func numberIn(v value) (float64, bool) {
	if text, ok := v.str(); ok {
		v.text = []byte(strings.TrimSpace(text))
	}
	return v.number()
}

// unfinished are the states of incomplete messages, of which a part may be recorded.
var unfinished = []string{
	"incomplete", "in_progress", "queued", "partial", "truncated", "interrupted", "unfinished", "errored", "expired",
	"timed_out", "rejected", "pending", "running",
}

func isUnfinished(word string) bool { return slices.Contains(unfinished, strings.ToLower(word)) }

// stopReason is the reason why a message ended. The status of an unfinished message overrides it.
func (b *builder) stopReason(o object) string {
	if word, _ := o.get("status").str(); isUnfinished(word) {
		return "incomplete"
	}
	return b.text(o.get("finishreason", "stopreason"), "finish_reason")
}

// cutReasons maps the finish reasons of other APIs for replies that were cut to arena's.
var cutReasons = map[string]string{
	"max_tokens": "length", "max_output_tokens": "length", "max_completion_tokens": "length",
	"model_context_window_exceeded": "length", "model_length": "length", "refusal": "content_filter",
	"safety": "content_filter",
}

// finishReason returns arena's finish reason for a reply that was cut, and any other reason unchanged.
func finishReason(word string) string { return cmp.Or(cutReasons[strings.ToLower(word)], word) }

// resultFailure is the error that a tool's result reports; text is the result itself.
func (b *builder) resultFailure(o object, text string) string {
	failure := b.failureIn(o)
	if set, _ := b.flag(o.get("iserror")); set && b.failure(o.get("error")) == "" {
		return cmp.Or(text, "the tool failed")
	}
	return failure
}

// doubtf notes why the conversation may differ from what was read. Every check of it then passes with a warning.
func (b *builder) doubtf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.session.Doubts, text) {
		b.session.Doubts = append(b.session.Doubts, text)
	}
}

// doubtMetadata notes a failure in metadata. Metadata have no fixed form, so it may be the failure of something else.
func (b *builder) doubtMetadata(o object) {
	if failure := b.failureIn(o); failure != "" {
		b.doubtf("the metadata report a failure: %s", cutText(failure, 80))
	}
}

// doubtMessage does the same for those of a message.
func (b *builder) doubtMessage(v value, role chat.Role) {
	if o, ok := b.object(v, "metadata"); ok {
		if failure := b.failureIn(o); failure != "" {
			b.doubtf("the metadata of a message of the %s report a failure: %s", role, cutText(failure, 80))
		}
	}
}
