package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// conversation returns messages with everything that an event log can hold.
func conversation() []Message {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	list := []chat.Message{
		{Role: chat.System, Content: "Sell <lamps> & bulbs."},
		{Role: chat.User, Content: "What is this?", Parts: []chat.Part{
			{Type: "text", Text: "What is this?"},
			{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "aGk=", Detail: "low", Width: 3, Height: 2}},
			{Type: "audio", Media: &chat.Media{MIMEType: "audio/wav", URL: "https://example.com/a.wav", Duration: 3}},
			{Type: "document", Media: &chat.Media{MIMEType: "text/plain", Path: "notes.txt", Caption: "mine"}},
		}},
		{
			Role: chat.Assistant, Usage: &chat.Usage{InputTokens: 12, OutputTokens: 3}, CostUSD: new(0.00012), LatencyMS: 250,
			ToolCalls: []chat.ToolCall{
				{ID: "c1", Name: "look", Args: map[string]any{"id": json.Number("12345678901234567890"), "x": nil}},
				{ID: "c2", Name: "look", BadArgs: "{\"id\":"},
			},
		},
		{Role: chat.ToolRole, Content: "a lamp\n\u0000\"", ToolResult: &chat.ToolResult{
			ID: "c1", Name: "look", Content: "a lamp\n\u0000\"", LatencyMS: 7,
		}},
		{Role: chat.ToolRole, Content: "no", ToolResult: &chat.ToolResult{
			ID: "c2", Name: "look", Content: "no", Error: "bad arguments", ErrorType: chat.ErrorValidation,
		}},
		{Role: chat.Assistant, Content: "日本語 👩‍👩‍👧", LatencyMS: 40},
		{Role: chat.User, Content: "日本語 👩‍👩‍👧"},
		{Role: chat.Assistant, Content: "\n"},
	}
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = Message{Message: m, At: start.Add(time.Duration(i) * 1500 * time.Millisecond), Offset: time.Duration(i) * 1500 * time.Millisecond}
	}
	return out
}

func TestEventLogRoundTrip(t *testing.T) {
	t.Parallel()
	want := conversation()
	var file bytes.Buffer
	if err := writeEventLog(&file, "R1", want); err != nil {
		t.Fatal(err)
	}
	s := only(t, file.Bytes())
	if s.ID != "R1" || s.Format != FormatEventLog {
		t.Errorf("read as %s %q", s.Format, s.ID)
	}
	if diff := cmp.Diff(want, s.Messages, cmpopts.IgnoreTypes(diag.Pos{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Notes != nil {
		t.Errorf("notes: %q", s.Notes)
	}
}

// TestEventLogKeys checks the keys that other tools read.
func TestEventLogKeys(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	l, err := NewEventLog(&file, "R1")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := l.Append(chat.Message{Role: chat.User, Content: "hi"}, at); err != nil {
		t.Fatal(err)
	}
	call := chat.ToolCall{ID: "c1", Name: "get_order", Args: map[string]any{"id": "A1"}}
	err = l.Append(chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}, CostUSD: new(0.5)}, at)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":1,"event":{"type":"message.created","timestamp":"2026-01-02T03:04:05Z","session_id":"R1",` +
		`"conversation_id":"R1","data_type":"*events.MessageCreatedData","data":{"Role":"user","Content":"hi","Index":0,` +
		`"Parts":null,"ToolCalls":null,"ToolResult":null}}}
{"seq":2,"event":{"type":"message.created","timestamp":"2026-01-02T03:04:05Z","session_id":"R1",` +
		`"conversation_id":"R1","data_type":"*events.MessageCreatedData","data":{"Role":"assistant","Content":"","Index":1,` +
		`"Parts":null,"ToolCalls":[{"id":"c1","name":"get_order","args":"{\"id\":\"A1\"}"}],"ToolResult":null}}}
{"seq":3,"event":{"type":"message.updated","timestamp":"2026-01-02T03:04:05Z","session_id":"R1",` +
		`"conversation_id":"R1","data_type":"*events.MessageUpdatedData","data":{"Index":1,"LatencyMs":0,"TotalCost":0.5}}}
`
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEventLogErrors(t *testing.T) {
	t.Parallel()
	if _, err := NewEventLog(&bytes.Buffer{}, ""); err == nil {
		t.Error("a log without a session was started")
	}
	l, err := NewEventLog(fullDisk{}, "R1")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Append(chat.Message{Role: chat.User}, time.Time{}); !errors.Is(err, errFull) {
			t.Errorf("full disk: got %v", err)
		}
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// open reads a file from memory.
func open(text []byte, o Options) (*File, error) {
	return openAt("recording", bytes.NewReader(text), int64(len(text)), o)
}

// only reads the only session of a file.
func only(t *testing.T, text []byte) *Session {
	t.Helper()
	f, err := open(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sessions()) != 1 {
		t.Fatalf("%d sessions in\n%s", len(f.Sessions()), text)
	}
	s, err := f.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func contains(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("got %v, want an error with %q", err, w)
		}
	}
}

// writeEventLog writes the event log of a complete conversation.
func writeEventLog(w io.Writer, session string, messages []Message) error {
	l, err := NewEventLog(w, session)
	if err != nil {
		return err
	}
	for i := range messages {
		if err := l.Append(messages[i].Message, messages[i].At); err != nil {
			return err
		}
	}
	return nil
}

// openAt is Open for content in memory.
func openAt(name string, in io.ReaderAt, size int64, o Options) (*File, error) {
	f := &File{name: name, open: func() (source, error) { return memory{in, size}, nil }}
	return f, f.index(o)
}

// memory is a source in memory.
type memory struct {
	io.ReaderAt
	size int64
}

func (m memory) Size() int64 { return m.size }

func (memory) Close() error { return nil }
