package recording

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/jsonout"
)

func FuzzEventLog(f *testing.F) {
	f.Add([]byte(userLine + "\r\n" + replyLine))
	f.Add([]byte(`{"`)) // cut before its first key ends
	fuzzReader(f, "event-log.jsonl")
}

func FuzzSession(f *testing.F) {
	f.Add([]byte(`{"type":"`))
	fuzzReader(f, "session.json", "simple.recording.json", "session-lines.jsonl")
}
func FuzzArenaOutput(f *testing.F) { fuzzReader(f, "run.json", "turns.arena.json") }
func FuzzTranscript(f *testing.F)  { fuzzReader(f, "call.transcript.yaml", "transcript.json") }
func FuzzChatLog(f *testing.F) {
	fuzzReader(f, "chat.jsonl", "requests.jsonl", "chats.json", "messages.json")
}
func FuzzEventStream(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"seq":1,"type":"`))
	fuzzReader(f, "stream.jsonl")
}
func FuzzCassette(f *testing.F) {
	f.Add(exchanges(asked, `{"kind":"tool","at":"t, call 1 (a)","request":{"name":"a"},"error":{"text":"x","ended":true}}`))
	f.Add(exchanges(asked, asked))
	f.Add([]byte(`{"arena_cassette":`))
	fuzzReader(f, "shop.cassette.json", "failed.cassette.json", "unended.cassette.json")
}

func FuzzTraces(f *testing.F) { fuzzReader(f, "traces.json", "traces.jsonl") }

func FuzzSpans(f *testing.F) {
	fuzzReader(f, "openinference.json", "spans.jsonl", "stored-spans.jsonl")
}

// FuzzExports reads what other tools export.
func FuzzExports(f *testing.F) {
	fuzzReader(f, "sharegpt.json", "langfuse.json", "langsmith.json", "promptfoo.jsonl", "inspect.json")
}

// FuzzLogs reads what is logged of APIs.
func FuzzLogs(f *testing.F) {
	fuzzReader(f, "batch.jsonl", "batch-results.jsonl", "responses.jsonl", "stored-completions.json", "litellm.jsonl",
		"anthropic.json", "reply.anthropic.json")
}

func FuzzResults(f *testing.F) {
	var file bytes.Buffer
	if err := jsonout.Write(&file, golden.Fixtures()[1].Build()); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(`{"schema_version":1,"planned":1,"runs":[{"id":"a","status":"passed","turns":[{"messages":[{"role":"user"}]}]}]}`))
	fuzzReader(f)
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"journal":1,"arena":"x","planned":2}
{"index":0,"trial":{"id":"a","status":"passed","turns":[{"messages":[{"role":"user"},{"role":"assistant","content":"b"}]}]}}
{"end":{"duration_ms":3}}
{"index":`))
	fuzzReader(f)
}

// fuzzReader checks what holds for every file: what can be opened can be loaded, and a loaded session is a
// conversation.
func fuzzReader(f *testing.F, seeds ...string) {
	for _, name := range seeds {
		text, err := os.ReadFile(filepath.Join("testdata", "good", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	limits := Limits{Line: 1 << 16, Document: 1 << 18, SessionBytes: 1 << 17, Messages: 1000, Sessions: 100}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := open(text, Options{Limits: limits})
		if err != nil {
			return
		}
		lines := int32(bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + bytes.Count(text, []byte("\u2028")) +
			bytes.Count(text, []byte("\u2029")) + bytes.Count(text, []byte("\u0085")) + 1)
		if len(file.Sessions()) == 0 {
			t.Error("no session and no error")
		}
		ids := map[string]bool{}
		for i, ref := range file.Sessions() {
			s, err := file.Load(i)
			if err != nil {
				t.Fatalf("session %d was opened and cannot be loaded: %v", i, err)
			}
			if ids[s.ID] || s.ID != ref.ID || len(s.Messages) != ref.Messages || len(s.Messages) == 0 {
				t.Errorf("session %d is %q with %d messages, its ref %+v", i, s.ID, len(s.Messages), ref)
			}
			ids[s.ID] = true
			checkMessages(t, s, lines)
		}
	})
}

func checkMessages(t *testing.T, s *Session, lines int32) {
	t.Helper()
	calls := map[string]int{}
	for _, m := range s.Messages {
		if m.Pos.Line < 1 || m.Pos.Line > lines || m.Offset < -1 {
			t.Errorf("a message at %v, offset %v; the file has %d lines", m.Pos, m.Offset, lines)
		}
		switch m.Role {
		case chat.System, chat.User, chat.Assistant, chat.ToolRole:
		default:
			t.Errorf("role %q", m.Role)
		}
		for _, c := range m.ToolCalls {
			calls[c.ID+"\x00"+c.Name]++
		}
		if r := m.ToolResult; r != nil {
			if calls[r.ID+"\x00"+r.Name]--; calls[r.ID+"\x00"+r.Name] < 0 {
				t.Errorf("a result %q of %q without a call", r.ID, r.Name)
			}
		}
		for _, p := range m.Parts {
			if p.Media != nil && p.Media.Local {
				t.Error("media of a recording claims to be the user's own")
			}
		}
	}
}

// FuzzEventLogRoundTrip reads back an event log that was written.
func FuzzEventLogRoundTrip(f *testing.F) {
	f.Add("hi", "f", `{"a": [1, 2.50]}`, "done", 0.5, int64(12))
	f.Add("\x00\u2028<&>", "\"", "no json", "", 0.0, int64(0))
	f.Fuzz(func(t *testing.T, text, name, args, reply string, cost float64, millis int64) {
		if name == "" || cost != cost || cost < 0 || millis < 0 || millis > 1e9 {
			t.Skip()
		}
		call := chat.ToolCall{ID: "c1", Name: name}
		call.Args, call.BadArgs = chat.ParseArgs(args)
		at := time.Unix(1_700_000_000, 0).UTC()
		want := []chat.Message{
			{Role: chat.User, Content: text},
			{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}, CostUSD: &cost, LatencyMS: float64(millis)},
			{Role: chat.ToolRole, Content: reply, ToolResult: &chat.ToolResult{ID: "c1", Name: name, Content: reply}},
		}
		var file bytes.Buffer
		l, err := NewEventLog(&file, "s")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range want {
			if err := l.Append(m, at); err != nil {
				t.Skip() // a cost that JSON cannot hold
			}
		}
		if diff := cmp.Diff(valid(t, want), valid(t, chatOf(only(t, file.Bytes())))); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, file.Bytes())
		}
	})
}

// FuzzValue compares the walk over JSON with encoding/json.
func FuzzValue(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"x\"]\\",{}],"b":{"c":null,"d":true},"é\u0041":[[],[{}]]}`))
	f.Add([]byte("[ ]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) {
			return
		}
		var want, got any
		if err := json.Unmarshal(text, &want); err != nil {
			return // a number beyond what a float holds
		}
		if err := json.Unmarshal(rebuild(value{text: text}), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// rebuild writes a value again, member by member.
func rebuild(v value) []byte {
	var out []byte
	switch v.kind() {
	case '{':
		for key, member := range v.members {
			out = append(out, ",\""+string(key)+"\":"...)
			out = append(out, rebuild(member)...)
		}
		return append(append([]byte{'{'}, bytes.TrimPrefix(out, []byte(","))...), '}')
	case '[':
		for item := range v.items {
			out = append(append(out, ','), rebuild(item)...)
		}
		return append(append([]byte{'['}, bytes.TrimPrefix(out, []byte(","))...), ']')
	}
	return v.text
}
