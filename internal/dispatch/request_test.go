package dispatch_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/result"
)

func example() *dispatch.Request {
	return &dispatch.Request{
		Version: dispatch.Version, ID: "run/refund/turn-1", Run: "run", Session: "refund/mock/default",
		Scenario: "refund", Provider: "mock", Tags: []string{"money"}, Labels: map[string]string{"team": "shop"},
		Started: time.Date(2031, 7, 4, 12, 0, 0, 0, time.UTC), Moment: dispatch.Turn, Turn: 0, Evals: []string{"tone"},
		Messages: []dispatch.Message{
			{Message: chat.Message{Role: chat.System, Content: "be kind"}},
			{Message: chat.Message{Role: chat.User, Content: "hi"}},
			{Message: chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
				{ID: "c1", Name: "get", Args: map[string]any{"n": json.Number("12345678901234567890")}},
			}}},
			{Message: chat.Message{Role: chat.ToolRole, ToolResult: &chat.ToolResult{ID: "c1", Name: "get", Content: "ok"}}},
			{Message: chat.Message{Role: chat.Assistant, Content: "hello"}, At: time.Date(2031, 7, 4, 12, 0, 1, 0, time.UTC)},
		},
	}
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRequestComesBack(t *testing.T) {
	t.Parallel()
	got, err := dispatch.DecodeRequest(encode(t, example()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(r *dispatch.Request)
		want   string
	}{
		{"no id", func(r *dispatch.Request) { r.ID = " " }, "request_id is missing"},
		{"a long id", func(r *dispatch.Request) { r.ID = strings.Repeat("x", 2000) },
			"request_id has 2000 bytes; at most 1024 are allowed"},
		{"a long run", func(r *dispatch.Request) { r.Run = strings.Repeat("x", 2000) },
			"run_id has 2000 bytes; at most 1024 are allowed"},
		{"no session", func(r *dispatch.Request) { r.Session = "" }, "session_id is missing"},
		{"another version", func(r *dispatch.Request) { r.Version = 7 },
			"the request has version 7; this arena reads version 1"},
		{"no moment", func(r *dispatch.Request) { r.Moment = "" }, `moment is ""; expected turn, end or whole`},
		{"the turn of an end", func(r *dispatch.Request) { r.Moment, r.Turn = dispatch.End, 1 },
			`turn is 1; only the moment "turn" has one`},
		{"a turn too many", func(r *dispatch.Request) { r.Turn = 1 }, "turn is 1; the messages have 1, counted from 0"},
		{"a turn before the first", func(r *dispatch.Request) { r.Turn = -1 },
			"turn is -1; the messages have 1, counted from 0"},
		{"no messages", func(r *dispatch.Request) { r.Messages = nil }, "messages is empty: there is nothing to judge"},
		{"an unknown role", func(r *dispatch.Request) { r.Messages[1].Role = "robot" },
			`messages[1]: role is "robot"; expected system, user, assistant or tool`},
		{"an eval twice", func(r *dispatch.Request) { r.Evals = []string{"a", "a"} },
			`evals: the id "a" is empty or repeated`},
	} {
		r := example()
		c.change(r)
		if _, err := dispatch.DecodeRequest(encode(t, r)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                "the request cannot be read: it ends in the middle",
		`{"version":`:     "the request cannot be read: it ends in the middle",
		`{} {}`:           "the request cannot be read: something follows the JSON object",
		`{"evil":1}`:      `the request cannot be read: unknown field "evil"`,
		`[]`:              "the request cannot be read: it cannot be a JSON array",
		`{"evals":[]}`:    "the request has version 0; this arena reads version 1",
		`{"version":"1"}`: "the request cannot be read: version cannot be a JSON string",
	} {
		if _, err := dispatch.DecodeRequest([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	huge := make([]byte, dispatch.MaxRequest+1)
	if _, err := dispatch.DecodeRequest(huge); err == nil || !strings.Contains(err.Error(), "at most 16.0 MiB are read") {
		t.Error(err)
	}
}

// TestResultIDs: the same question has the same ids, another one has others.
func TestResultIDs(t *testing.T) {
	t.Parallel()
	measured := []result.EvalResult{{ID: "tone", Turn: 0}, {ID: "tone", Turn: 0}, {ID: "tone", Turn: 1}, {ID: "length"}}
	seen := map[string]string{}
	for _, change := range []func(*dispatch.Request){
		func(*dispatch.Request) {}, func(r *dispatch.Request) { r.ID = "other" },
		func(r *dispatch.Request) { r.Moment = dispatch.End },
	} {
		r := example()
		change(r)
		first := dispatch.Results(r, measured, "w1", time.Unix(1, 0))
		for i, again := range dispatch.Results(r, measured, "w2", time.Unix(2, 0)) {
			if again.ID != first[i].ID || again.Of != len(measured) {
				t.Errorf("%+v, want the id of %+v", again, first[i])
			}
			if other := seen[again.ID]; other != "" {
				t.Errorf("%s is the id of %s as well", again.ID, other)
			}
			seen[again.ID] = r.ID + string(r.Moment) + again.EvalResult.ID
		}
	}
}

func TestDead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		limit      int
		body, raw  string
	}{
		{"JSON", `{"a":1}`, 100, `{"a":1}`, ""},
		{"no JSON", "\xff\x00", 100, "", "\xff\x00"},
		{"too large", `{"a":1}`, 5, "", ""},
	} {
		d := &dispatch.Dead{Version: dispatch.Version, ID: "d", Why: dispatch.Undecodable}
		d.Attach([]byte(c.data), c.limit)
		got, err := dispatch.DecodeDead(encode(t, d))
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Body) != c.body || string(got.Bytes) != c.raw || got.Size != len(c.data) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if r, run, s := dispatch.RequestIDs([]byte(`{"request_id":"a","run_id":7,"session_id":"s"}`)); r+run+s != "as" {
		t.Error(r, run, s)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add(encode(f, example()))
	f.Add([]byte(`{"version":1,"messages":[{"role":"user","at":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dispatch.RequestIDs(data)
		r, err := dispatch.DecodeRequest(data)
		if err != nil {
			return
		}
		again, err := dispatch.DecodeRequest(encode(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(encode(t, r), encode(t, again)); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}
