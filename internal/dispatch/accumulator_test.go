package dispatch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
)

var noon = time.Date(2031, 7, 4, 12, 0, 0, 0, time.UTC)

// say is an event in a few letters: s:0:u:hi is the user's message 0 of the session s; a is the assistant, t a tool, c
// an assistant that calls one; s:end ends the session. Without an index it is -.
func say(t *testing.T, text string) *dispatch.Event {
	t.Helper()
	parts := strings.SplitN(text, ":", 4)
	if parts[1] == "end" {
		return &dispatch.Event{Session: parts[0], Ended: true, Index: -1}
	}
	e := &dispatch.Event{Session: parts[0], Index: -1}
	if parts[1] != "-" {
		if _, err := fmt.Sscan(parts[1], &e.Index); err != nil {
			t.Fatal(err)
		}
	}
	e.Message.Content = parts[3]
	switch parts[2] {
	case "u":
		e.Message.Role = chat.User
	case "a":
		e.Message.Role = chat.Assistant
	case "t":
		e.Message.Role = chat.ToolRole
	case "c":
		e.Message.Role, e.Message.ToolCalls = chat.Assistant, []chat.ToolCall{{Name: parts[3]}}
	}
	return e
}

// told are requests and letters in a line each.
func told(due dispatch.Actions) (list []string) {
	for _, r := range due.Requests {
		var said []string
		for _, m := range r.Messages {
			said = append(said, m.Content)
		}
		list = append(list, fmt.Sprintf("%s %s %d: %s", r.Session, r.Moment, r.Turn, strings.Join(said, " ")))
	}
	for _, d := range due.Dead {
		list = append(list, fmt.Sprintf("%s %s: %s", d.Session, d.Why, d.Reason))
	}
	return list
}

func TestAccumulator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		events []string
		want   []string
		stats  dispatch.AccumulatorStats
	}{
		{"turns and the end", []string{"s:0:u:hi", "s:1:a:yo", "s:2:u:bye", "s:3:a:ciao", "s:end"},
			[]string{"s turn 0: hi yo", "s turn 1: hi yo bye ciao", "s end 0: hi yo bye ciao"},
			dispatch.AccumulatorStats{Messages: 4}},
		{"a tool call is no reply", []string{"s:0:u:hi", "s:1:c:look", "s:2:t:ok", "s:3:a:done"},
			[]string{"s turn 0: hi look ok done"}, dispatch.AccumulatorStats{Messages: 4}},
		{"out of order", []string{"s:1:a:yo", "s:3:a:ciao", "s:0:u:hi", "s:2:u:bye"},
			[]string{"s turn 0: hi yo", "s turn 1: hi yo bye ciao"}, dispatch.AccumulatorStats{Messages: 4}},
		{"twice", []string{"s:0:u:hi", "s:0:u:hi", "s:1:a:yo", "s:1:a:yo", "s:1:a:no", "s:3:u:x", "s:3:u:x"},
			[]string{"s turn 0: hi yo"}, dispatch.AccumulatorStats{Messages: 3, Duplicates: 3, Conflicts: 1}},
		{"without indexes", []string{"s:-:u:hi", "s:-:a:yo", "s:-:u:hi", "s:-:a:yo", "s:end"},
			[]string{"s turn 0: hi yo", "s turn 1: hi yo hi yo", "s end 0: hi yo hi yo"},
			dispatch.AccumulatorStats{Messages: 4}},
		{"mixed sessions", []string{"a:0:u:1", "b:0:u:2", "b:1:a:3", "a:1:a:4", "b:end", "nobody:end"},
			[]string{"b turn 0: 2 3", "a turn 0: 1 4", "b end 0: 2 3"}, dispatch.AccumulatorStats{Messages: 4}},
		{"a gap", []string{"s:0:u:hi", "s:2:u:bye", "s:end"},
			[]string{"s incomplete: message 1 of the session did not arrive, but 1 after it did"},
			dispatch.AccumulatorStats{Messages: 2, Incomplete: 1}},
		{"no answer", []string{"s:0:u:hi", "s:end"}, nil, dispatch.AccumulatorStats{Messages: 1, Unanswered: 1}},
		{"two replies to one word", []string{"s:0:u:hi", "s:1:a:yo", "s:2:a:well"},
			[]string{"s turn 0: hi yo", "s turn 0: hi yo well"}, dispatch.AccumulatorStats{Messages: 3}},
	} {
		a := dispatch.NewAccumulator()
		var got []string
		var ids []string
		for i, text := range c.events {
			due := a.Add(say(t, text), 10, noon, uint64(i+1))
			got = append(got, told(due)...)
			for _, r := range due.Requests {
				ids = append(ids, r.ID)
				if err := r.Validate(); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.stats, a.Stats()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		slices.Sort(ids)
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%s: an id is there twice: %v", c.name, ids)
		}
	}
}

// TestFlood: whatever comes, memory has a limit, and nothing is dropped in silence.
func TestFlood(t *testing.T) {
	t.Parallel()
	a := dispatch.NewAccumulator()
	a.MaxSessions, a.MaxBytes, a.Turns = 3, 100, false
	var got []string
	for i := range 5 {
		got = append(got, told(a.Add(say(t, fmt.Sprintf("s%d:0:u:hi", i)), 10, noon, uint64(2*i+1)))...)
		got = append(got, told(a.Add(say(t, fmt.Sprintf("s%d:1:a:yo", i)), 10, noon, uint64(2*i+2)))...)
	}
	got = append(got, told(a.Add(say(t, "s4:2:u:large"), 60, noon, 20))...)
	if diff := cmp.Diff([]string{"s0 end 0: hi yo", "s1 end 0: hi yo", "s2 end 0: hi yo"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ids, first := a.Open()
	slices.Sort(ids)
	if a.Stats().Evicted != 3 || strings.Join(ids, " ") != "s3 s4" || first != 7 {
		t.Errorf("%+v %v %d", a.Stats(), ids, first)
	}
	huge := told(a.Add(say(t, "s4:3:a:huge"), dispatch.MaxRequest+1, noon, 21))
	huge = append(huge, told(a.Add(say(t, "s4:4:u:more"), 10, noon, 22))...)
	huge = append(huge, told(a.EndAll(noon))...)
	want := []string{"s3 end 0: hi yo", "s4 too-large: the session has more than 16.0 MiB"}
	if diff := cmp.Diff(want, huge); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpire(t *testing.T) {
	t.Parallel()
	a := dispatch.NewAccumulator()
	a.Turns = false
	for i, text := range []string{"old:0:u:hi", "old:1:a:yo", "new:0:u:hi", "new:1:a:yo"} {
		a.Add(say(t, text), 10, noon.Add(time.Duration(i)*time.Minute), uint64(i+1))
	}
	if got := told(a.Expire(noon.Add(30 * time.Minute))); got != nil {
		t.Error(got)
	}
	if diff := cmp.Diff([]string{"old end 0: hi yo"}, told(a.Expire(noon.Add(31*time.Minute)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	call := chat.ToolCall{ID: "c", Name: "get", Args: map[string]any{"id": "A1"}}
	message := func(index int, m chat.Message) *dispatch.Event {
		return &dispatch.Event{Session: "R", Index: index, Message: dispatch.Message{Message: m}}
	}
	for _, c := range []struct {
		text string
		want *dispatch.Event
	}{
		{`{"seq":1,"event":{"type":"message.created","session_id":"R","data":{"Role":"user","Content":"hi","Index":0,` +
			`"Parts":null,"ToolCalls":null}}}`, message(0, chat.Message{Role: chat.User, Content: "hi"})},
		{`{"type":"message.created","trial":"R","data":{"index":2,"role":"assistant","content":"","tool_calls":` +
			`[{"id":"c","name":"get","args":"{\"id\":\"A1\"}"}]}}`,
			message(2, chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}})},
		{`{"type":"message.created","session":"R","data":{"role":"assistant","content":"","tool_calls":` +
			`[{"id":"c","function":{"name":"get","arguments":{"id":"A1"}}}]}}`,
			message(-1, chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}})},
		{`{"type":"message.created","conversation_id":"R","data":{"role":"tool","content":"ok","tool_result":` +
			`{"id":"c","name":"get","parts":[{"type":"text","text":"ok"}]}}}`, message(-1, chat.Message{
			Role: chat.ToolRole, Content: "ok", ToolResult: &chat.ToolResult{ID: "c", Name: "get", Content: "ok"},
		})},
		{`{"type":"message.created","session":"R","data":{"role":"tool","content":"ok","tool_call_id":"c"}}`,
			message(-1, chat.Message{
				Role: chat.ToolRole, Content: "ok", ToolResult: &chat.ToolResult{ID: "c", Content: "ok"},
			})},
		{`{"type":"message.created","session":"R","data":{"role":"Human","content":"hi"}}`,
			message(-1, chat.Message{Role: chat.User, Content: "hi"})},
		{`{"type":"message.created","session":"R","data":{"role":"developer","content":"be brief"}}`,
			message(-1, chat.Message{Role: chat.System, Content: "be brief"})},
		{`{"type":"message.created","session":"R","data":{"role":"ai","content":"hello"}}`,
			message(-1, chat.Message{Role: chat.Assistant, Content: "hello"})},
		{`{"type":"session.ended","session_id":"R"}`, &dispatch.Event{Session: "R", Ended: true, Index: -1}},
		{`{"type":"session.ended","sessionid":"S","session_id":"R","Session_ID":"R"}`,
			&dispatch.Event{Session: "R", Ended: true, Index: -1}},
		{`{"type":"turn.started","trial":"R"}`, nil},
	} {
		got, err := dispatch.DecodeEvent([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
	for _, c := range []struct{ text, want string }{
		{`no`, "the event cannot be read: invalid character 'o' in literal null (expecting 'u')"},
		{`[]`, "the event cannot be read: it is no JSON object"},
		{`{}`, "the event has no type"},
		{`{"type":"message.created"}`, "the event message.created does not say of which session it is"},
		{`{"type":"message.created","session":"s"}`, "the data of the event cannot be read: it is no JSON object"},
		{`{"type":"message.created","session":"s","data":{"role":"r"}}`,
			`the role is "r"; expected system, user, assistant or tool`},
		{`{"type":"message.created","session":"s","data":{"role":"user","index":-1}}`,
			"the index is not a whole number from 0"},
		{`{"type":"message.created","session":" ","data":{"role":"user","content":"hi"}}`,
			"the event message.created does not say of which session it is"},
		{`{"type":"message.created","session":"s","data":{"role":"user","content":{"text":"hi"}}}`,
			"the content is neither a text nor a list of parts"},
		{`{"type":"message.created","session":"s","data":{"role":"user","content":["hi",{"type":"smell"}]}}`,
			`content[1]: unknown type of part "smell"; known: text, image, audio, video, document`},
		{`{"type":"message.created","session":"s","data":{"role":"user","content":[{"type":"text"}]}}`,
			"content[0]: a part of type text has no text"},
		{`{"type":"message.created","session":"s","data":{"role":"user","content":[{"type":"image_url"}]}}`,
			"content[0]: a part of type image_url has no media"},
	} {
		if _, err := dispatch.DecodeEvent([]byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzEvent holds that what listeners hear leads to nothing but requests that workers can read.
func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"type":"message.created","session":" ","data":{"role":"assistant","parts":[{}]}}`))
	f.Add([]byte(`{"type":"message.created","session":"R","data":{"role":"user","content":["a",{"type":"image","source":{}}]}}`))
	f.Add([]byte(`{"type":"message.created","session":"R","data":{"role":"tool","content":"ok","tool_call_id":"c"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := dispatch.DecodeEvent(data)
		if err != nil || e == nil {
			return
		}
		a := dispatch.NewAccumulator()
		due := a.Add(e, len(data), noon, 1)
		for _, r := range append(due.Requests, a.EndAll(noon).Requests...) {
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			if _, err := dispatch.DecodeRequest(encode(t, r)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
