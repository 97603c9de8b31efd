package recording

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestFieldsOfConversations: a field beside the messages is read, or is known to hold no words of the conversation.
func TestFieldsOfConversations(t *testing.T) {
	t.Parallel()
	const messages = `[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]`
	forms := map[string]string{
		"lines":      `{"messages": ` + messages + `, %s}` + "\n" + `{"messages": ` + messages + `}`,
		"list":       "[\n" + `{"messages": ` + messages + `, %s}]`,
		"transcript": "{\n" + `"messages": ` + messages + `, %s}`,
		"YAML":       "# a talk\n" + `{messages: ` + messages + `, %s}`,
		"exchange": `{"request": {"messages": [{"role": "user", "content": "a"}]}, ` +
			`"response": {"choices": [{"message": {"role": "assistant", "content": "b"}}]}, %s}`,
	}
	for form, text := range forms {
		for name, hint := range map[string]string{
			"assert": "a recording holds no checks", "conversation_assertions": "a recording holds no checks",
			"expected": "a recording holds no checks", "output": `is called "response"`, "prompt": "among the messages",
			"turns": "among the messages", "score": `under "metadata"`, "sesion_id": `did you mean "session_id"?`, "foo": `under "metadata"`,
		} {
			for _, content := range []string{`"Yes"`, `1`, `["Yes"]`, `{"a": "Yes"}`} {
				got := problemsOf(t, fmt.Sprintf(text, fmt.Sprintf("%q: %s", name, content)))
				if len(got) != 1 || !strings.Contains(got[0].Msg, fmt.Sprintf("%q", name)) || !strings.Contains(got[0].Hint, hint) {
					t.Errorf("%s, %s: %s: got %+v", form, name, content, got)
				}
			}
			if got := problemsOf(t, fmt.Sprintf(text, fmt.Sprintf("%q: []", name))); got != nil {
				t.Errorf("%s: %s without content: %+v", form, name, got)
			}
		}
		for _, known := range []string{`"metadata": {"expected": "Yes"}`, `"temperature": 1`, `"note": "asks twice"`} {
			if got := problemsOf(t, fmt.Sprintf(text, known)); got != nil {
				t.Errorf("%s: %s: %+v", form, known, got)
			}
		}
	}
}

// problemsOf returns the problems of a file with their hints; nil when it can be read.
func problemsOf(t *testing.T, text string) []diag.Diagnostic {
	t.Helper()
	_, err := open([]byte(text), Options{})
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatal(err)
	}
	return e.Problems
}
