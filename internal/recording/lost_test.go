package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// talkWords are the words of the talk, with the role that says each.
var talkWords = map[string]chat.Role{
	"asked1": chat.User, "orders": chat.Assistant, "arg1": chat.Assistant, "said1": chat.ToolRole, "reply1": chat.Assistant,
	"asked2": chat.User, "reply2": chat.Assistant,
}

// missingWords reads a file and returns the words that are missing from it.
func (tk *talk) missingWords(text string) (lost []string, err error) {
	if tk.name == "YAML transcript" {
		text = "# by hand\n" + text
	}
	f, err := open([]byte(text), Options{})
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for i := range f.Sessions() {
		s, err := f.Load(i)
		if err != nil {
			return nil, err
		}
		if n := len(s.Messages); tk.beside && s.Messages[n-1].Role == chat.User {
			return nil, errors.New("the last turn has no reply")
		}
		for _, m := range s.Messages {
			args, err := json.Marshal(m.ToolCalls)
			if err != nil {
				return nil, err
			}
			for word, role := range talkWords {
				found[word] = found[word] || m.Role == role && (strings.Contains(m.Text(), word) || bytes.Contains(args, []byte(word)))
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(talkWords)) {
		if !found[word] {
			lost = append(lost, word)
		}
	}
	return lost, nil
}

func TestTalks(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if lost, err := tk.missingWords(tk.text); err != nil || lost != nil {
			t.Errorf("%s: lost %q, %v\n%s", tk.name, lost, err, tk.text)
		}
	}
}

// TestNothingIsLost changes every key on the path to every word of the conversation, in every format: the file is
// refused, or the word is still read.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		t.Run(tk.name, func(t *testing.T) {
			t.Parallel()
			tree := parseTree(t, tk.text)
			n := 0
			for _, change := range tree.changes(t) {
				change.apply()
				text := tree.write()
				n++
				if lost, err := tk.missingWords(text); err == nil && (lost != nil || change.never) {
					t.Errorf("%s: no error, lost %q", change.what, lost)
				}
				change.undo()
			}
			if n < 40 {
				t.Errorf("only %d changes were tried", n)
			}
		})
	}
}

// TestCutAtALineEnd cuts files between two lines.
func TestCutAtALineEnd(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if !tk.ends {
			continue
		}
		lines := strings.SplitAfter(strings.TrimRight(tk.text, "\n"), "\n")
		for i := 1; i < len(lines); i++ {
			if _, err := tk.missingWords(strings.Join(lines[:i], "")); err == nil {
				t.Errorf("%s: no error when cut behind line %d", tk.name, i)
			}
		}
	}
}

// TestGapInNumbers removes one of several numbered events.
func TestGapInNumbers(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		if tk.numbered == "" {
			continue
		}
		lines := strings.SplitAfter(tk.text, "\n")
		for i := 2; i < len(lines)-2; i++ {
			_, err := tk.missingWords(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
			if err == nil || !strings.Contains(err.Error(), "is missing before this") {
				t.Errorf("%s: without line %d: got %v", tk.name, i+1, err)
			}
		}
	}
}

// TestNothingBesideIsLost adds another text field to every message and every part, in every format: the file is
// refused, or the added words are read too.
func TestNothingBesideIsLost(t *testing.T) {
	t.Parallel()
	const extra = "beside7"
	fields := map[string]string{
		"content": `"` + extra + `"`, "refusal": `"` + extra + `"`, "text": `"` + extra + `"`, "value": `"` + extra + `"`,
		"body": `"` + extra + `"`, "message": `"` + extra + `"`, "output": `"` + extra + `"`, "output_text": `"` + extra + `"`,
		"parts": `[{"type":"text","text":"` + extra + `"}]`,
	}
	for _, tk := range talks() {
		t.Run(tk.name, func(t *testing.T) {
			t.Parallel()
			tree := parseTree(t, tk.text)
			for _, copies := range tree.messages() {
				members := copies[0].members
				for _, name := range slices.Sorted(maps.Keys(fields)) {
					if slices.ContainsFunc(members, func(m *member) bool { return strings.EqualFold(m.key, name) }) ||
						name == "parts" && tk.format == FormatCassette { // arena's own format: its content is the text of its parts
						continue
					}
					added := append(slices.Clone(members), &member{name, treeOf(value{text: []byte(fields[name])})})
					for _, c := range copies {
						c.members = added
					}
					if text := tree.write(); !hears(text, extra) {
						t.Errorf("%s is lost in %s", name, copies[0].write())
					}
				}
				for _, c := range copies {
					c.members = members
				}
			}
		})
	}
}

// hears reports whether a file is refused or one of its messages says the word.
func hears(text, word string) bool {
	f, err := open([]byte(text), Options{})
	if err != nil {
		return true
	}
	for i := range f.Sessions() {
		s, err := f.Load(i)
		if err != nil {
			return true
		}
		if slices.ContainsFunc(s.Messages, func(m Message) bool { return strings.Contains(m.Text(), word) }) {
			return true
		}
	}
	return false
}
