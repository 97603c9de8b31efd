package recording

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks/corpustest"
)

// TestDetect: the content of a file decides its format, wherever the decisive keys are.
func TestDetect(t *testing.T) {
	t.Parallel()
	messages := `[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`
	long := strings.Repeat("x", 2*sampleSize)
	for name, c := range map[string]struct {
		text     string
		want     Format
		sessions int
	}{
		"telling key late": {fmt.Sprintf("{\n\"Messages\":%s,\n\"Params\":{\"p\":%q},\"RunID\":\"r\"}", messages, long), FormatArenaOutput, 1},
		"transcript":       {fmt.Sprintf("{\n\"messages\":%s,\n\"metadata\":{\"p\":%q}}", messages, long), FormatTranscript, 1},
		"long list":        {fmt.Sprintf("[\n{\"note\":%q,\n\"messages\":%s}]", long, messages), FormatChatLog, 1},
		"long first line":  {fmt.Sprintf("{\"note\":%q,\"messages\":%s}\n{\"messages\":%s}", long, messages, messages), FormatChatLog, 2},
		"outputs as lines": {strings.Repeat(fmt.Sprintf("{\"RunID\":\"r\",\"Messages\":%s}\n", messages), 3), FormatArenaOutput, 3},
		"sessions as lines": {strings.Repeat(`{"metadata":{"session_id":"s"},"events":[{"type":"message","message":{"role":"user","content":"a"}}]}`+"\n", 2),
			FormatSession, 2},
		"one exchange": {fmt.Sprintf("{\n\"request\":{\"messages\":%s},\n\"response\":{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"c\"}}]}}", messages),
			FormatChatLog, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := open([]byte(c.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if f.Format() != c.want || len(f.Sessions()) != c.sessions {
				t.Errorf("read as %s with %d sessions, want %s with %d", f.Format(), len(f.Sessions()), c.want, c.sessions)
			}
		})
	}
}

// TestBrokenFirstLine: a broken first line does not hide the lines after it.
func TestBrokenFirstLine(t *testing.T) {
	t.Parallel()
	text := "{\"seq\":1,\"event\":{\n" + replyLine + "\n"
	_, err := openAt("log.jsonl", strings.NewReader(text), int64(len(text)), Options{})
	contains(t, err, "log.jsonl:1:19: not valid JSON: the text ends in the middle")
}

// TestConversations lists how the sessions of an event log are separated.
func TestConversations(t *testing.T) {
	t.Parallel()
	line := func(seq int, session, conversation, role string) string {
		return fmt.Sprintf(`{"seq":%d,"event":{"type":"message.created","session_id":%q,"conversation_id":%q,"data":{"Role":%q,"Content":"x"}}}`+"\n",
			seq, session, conversation, role)
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two sessions":     {line(1, "a", "a", "user") + line(2, "b", "b", "user") + line(3, "a", "a", "assistant"), []string{"a 2", "b 1"}},
		"two talks in one": {line(1, "a", "x", "user") + line(2, "a", "y", "user") + line(3, "a", "x", "assistant"), []string{"a/x 2", "a/y 1"}},
		"some without":     {line(1, "a", "", "user") + line(2, "a", "x", "assistant") + line(3, "", "", "user"), []string{"a 3"}},
		"none at all":      {line(1, "", "", "user") + line(2, "", "", "assistant"), []string{"recording 2"}},
		"only talks":       {line(1, "", "x", "user") + line(2, "", "y", "assistant"), []string{"x 1", "y 1"}},
		"talk and session": {line(1, "a", "x", "user") + line(2, "", "x", "assistant"), []string{"a 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := open([]byte(c.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, ref := range f.Sessions() {
				got = append(got, fmt.Sprint(ref.ID, " ", ref.Messages))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestIDs: every session of a file has a unique id.
func TestIDs(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, id := range []string{"a", "", "a#2", "a", "a", "", "recording#2"} {
		fmt.Fprintf(&text, `{"id":%q,"messages":[{"role":"user","content":"x"}]}`+"\n", id)
	}
	f, err := open([]byte(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, ref := range f.Sessions() {
		got = append(got, ref.ID)
		if s, err := f.Load(i); err != nil || s.ID != ref.ID {
			t.Errorf("session %d: %v", i, err)
		}
	}
	want := []string{"a", "recording#2", "a#2", "a#3", "a#4", "recording#6", "recording#2#2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCompat reads the recordings of real projects.
func TestCompat(t *testing.T) {
	t.Parallel()
	n := 0
	err := filepath.WalkDir(corpustest.Path(t, "compat"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isRecording(path) {
			return err
		}
		n++
		f, err := Open(path, Options{})
		if err != nil {
			t.Errorf("%v", err)
			return nil
		}
		for i := range f.Sessions() {
			if _, err := f.Load(i); err != nil {
				t.Errorf("%v", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Error("there is no recording in the corpus")
	}
}

func isRecording(path string) bool {
	if filepath.Base(filepath.Dir(path)) == "recordings" || filepath.Ext(path) == ".jsonl" {
		return true
	}
	name := filepath.Base(path)
	return strings.Contains(name, ".recording.") || strings.Contains(name, ".transcript.") ||
		strings.Contains(name, ".arena.json") || strings.Contains(name, ".arena-output.")
}
