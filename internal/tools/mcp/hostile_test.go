package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// outcome is what came of a first call, or why the tools cannot be listed.
func (b *bench) outcome(t *testing.T) string {
	t.Helper()
	list, err := b.List(t.Context(), b.opener)
	if err != nil {
		return "list: " + err.Error()
	}
	if _, err := b.Take(b.opener, list); err != nil {
		return "take: " + err.Error()
	}
	if last := list[max(0, len(list)-1):]; len(last) == 1 && last[0].Name == "mcp__probe__echoxxx" {
		return describe(b.call(t, "echoxxx", `{}`))
	}
	return describe(b.call(t, "echo", `{"text": "hi"}`))
}

// TestHostileServers: whatever a server does is an error with its cause, or a result, and soon.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	const list, call = `list: MCP server "probe": `, `unavailable: MCP server "probe": `
	for _, c := range []struct{ kind, want string }{
		{"plain", "fine"},
		{"batch", "both"},
		{"easily upset", "fine"},
		{"pages", "fine"},
		{"exits", list + "PROGRAM: it ended: exit status 3; stderr: no licence"},
		{"garbage", list + `PROGRAM: it wrote more than 1000 lines that are no messages, the last of them "garbage"`},
		{"long", list + "PROGRAM: it wrote a line of more than 10 MB"},
		{"another version", list + `PROGRAM: unsupported protocol version: "1999-01-01"; arena speaks 2024-11-05 to 2026-07-28`},
		{"two of a name", list + `PROGRAM: two of its tools are called "echo"`},
		{"nameless", list + "PROGRAM: one of its tools has no name"},
		{"endless", list + "PROGRAM: its list of tools has no end: a page leads to itself"},
		{"half a line", call + `PROGRAM: it ended without an error`},
		{"closes its input", call + `PROGRAM: it closed its input`},
		{"invalid", call + `PROGRAM: its answer is not valid UTF-8`},
		{"wrong shape", call + `PROGRAM: its answer does not fit the protocol: content has a value of another type`},
		{"another type", call + `PROGRAM: its answer does not fit the protocol: isError has a value of another type`},
		{"old words", call + `PROGRAM: its answer has the key "toolResult": since 2024-11-05 results have content`},
		{"other words", call + `PROGRAM: its answer has the key "is_error": the key of the protocol is isError`},
		{"other letters", call + `PROGRAM: its answer has the key "iserror": the key of the protocol is isError`},
		{"a task", call + `PROGRAM: its answer has the key "task": it is a task that has only begun`},
		{"structured failure", "execution: no rights"},
		{"a null", call + `PROGRAM: its answer has the result null, which is none`},
		{"id of nobody", "fine"},
		{"a text", call + `PROGRAM: its answer has the result "\"fine\"", which is no object`},
		{"id as text", call + `PROGRAM: its answer has the id "4", a text, in place of the number 4`},
		{"no version", call + `PROGRAM: its answer has no "jsonrpc": "2.0"`},
		{"unknown content", call + `PROGRAM: unrecognized content type "hologram"`},
		{"empty", call + `PROGRAM: `},
		{"refuses", "validation: text is too long"},
		{"breaks", "execution: error -32603"},
		{"asks", `"code":-32601`},
	} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			spec := program(t, c.kind)
			got := strings.ReplaceAll(boxOf(t, spec).outcome(t), spec.Command, "PROGRAM")
			if !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestProgramsThatCannotRun: the cause is reported without waiting.
func TestProgramsThatCannotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, want string }{
		{"no-such-program", "no-such-program: cannot be started: executable file not found in $PATH"},
		{"./missing", "./missing: cannot be started: no such file or directory"},
		{plain, plain + ": cannot be started: permission denied"},
	} {
		spec := program(t, "")
		spec.Command = c.command
		b := boxOf(t, spec)
		for n, want := range []string{c.want, c.want, c.want, "it was started 3 times and is not started again; the last time: "} {
			if got := b.outcome(t); !strings.Contains(got, want) {
				t.Errorf("%d. %s: %s", n+1, c.command, got)
			}
		}
	}
}

// impatient gives the handshake of a server little time.
func impatient(t *testing.T, kind string) string {
	t.Helper()
	spec := program(t, kind)
	s := New(spec, Host{Getenv: os.LookupEnv}).Open().(*source)
	s.limit = 300 * time.Millisecond // is meant to pass: what is waited for never comes
	_, err := s.List(t.Context())
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err == nil {
		t.Fatal("it has answered")
	}
	return err.Error()
}

// TestNoHandshake: a server that does not answer, or does not read, is given up.
func TestNoHandshake(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"mute", "deaf"} {
		if got := impatient(t, kind); !strings.Contains(got, "no answer to the handshake within 300ms") {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// TestLateCall: a call ends with its time, or with the trial's, and the server goes on.
func TestLateCall(t *testing.T) {
	t.Parallel()
	spec := program(t, "good")
	spec.Timeout = 50 * time.Millisecond // it is meant to pass
	b := boxOf(t, spec)
	b.listed(t)
	if got := describe(b.call(t, "wait", `{"text": ""}`)); !strings.Contains(got, "no answer within 50ms (timeout_ms)") {
		t.Error(got)
	}
	spec.Timeout = 0
	if got := describe(b.call(t, "echo", `{"text": "still there"}`)); got != "still there" {
		t.Error(got)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnded)
	if got := describe(b.Call(ctx, callOf("wait"))); !strings.Contains(got, "it ended") {
		t.Error(got)
	}
}

// TestLeaversHarmNobody: trials that end while their calls are sent, more at once than a pipe takes, leave the server
// to the others.
func TestLeaversHarmNobody(t *testing.T) {
	t.Parallel()
	b := boxOf(t, program(t, "good"))
	b.listed(t)
	long := callOf("wait")
	long.Args = map[string]any{"text": strings.Repeat("x", 100_000)} // more than a pipe holds
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { b.Call(ctx, long) })
		}
		cancel()
		all.Wait()
		if got := describe(b.call(t, "echo", `{"text": "still there"}`)); got != "still there" {
			t.Fatal(got)
		}
	}
}

// TestDeath: running calls report how the server ended, later calls of the turn fail, and the next turn starts it
// again, a limited number of times.
func TestDeath(t *testing.T) {
	t.Parallel()
	b := boxOf(t, program(t, "good"))
	for start := range maxStarts {
		b.listed(t)
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if got := describe(b.call(t, "wait", `{"text": ""}`)); !strings.Contains(got, "it ended: exit status 7; stderr: out of paper") {
				t.Errorf("in flight: %s", got)
			}
		})
		if got := describe(b.call(t, "die", `{"text": ""}`)); !strings.Contains(got, "it ended: exit status 7; stderr: out of paper") {
			t.Error(got)
		}
		waiting.Wait()
		got := describe(b.call(t, "echo", `{"text": "hi"}`))
		if !strings.Contains(got, "exit status 7") || !strings.Contains(got, "it is started again when the next turn begins") {
			t.Errorf("start %d: %s", start, got)
		}
	}
	if _, err := b.List(t.Context(), b.opener); err == nil || !strings.Contains(err.Error(), "it was started 3 times") {
		t.Error(err)
	}
}

// TestNothingIsLeft: a server ends with what it started, also one that does not want to.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"parent", "stubborn"} {
		spec := program(t, kind)
		child := filepath.Join(spec.Dir, "child")
		spec.Env = append(spec.Env, "CHILD="+child)
		s := New(spec, Host{Getenv: os.LookupEnv}).Open().(*source)
		if _, err := s.List(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if kind == "stubborn" {
			continue
		}
		text, err := os.ReadFile(child)
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(string(text))
		hang.ProcessEnd(t, pid)
	}
}

// TestOneStart: all who wait share a start, and calls run at once.
func TestOneStart(t *testing.T) {
	t.Parallel()
	s := New(program(t, "good"), Host{Getenv: os.LookupEnv}).Open().(*source)
	defer s.Close()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.List(t.Context()); err != nil {
				t.Error(err)
			}
			if got := describe(s.Call(t.Context(), callOf("slow"))); got != "done" {
				t.Error(got)
			}
		})
	}
	all.Wait()
	if s.starts != 1 {
		t.Errorf("started %d times", s.starts)
	}
}

// TestChangedList: tools that a server adds are available from the next turn.
func TestChangedList(t *testing.T) {
	t.Parallel()
	b := boxOf(t, program(t, "good"))
	before := len(b.listed(t))
	if got := describe(b.call(t, "grow", `{"text": ""}`)); got != "more" {
		t.Fatal(got)
	}
	for len(b.listed(t)) == before { // the library tells of it a moment later
		if t.Context().Err() != nil {
			t.Fatal("it never came")
		}
	}
	if got := describe(b.call(t, "grown", `{"text": "new"}`)); got != "new" {
		t.Error(got)
	}
}

// TestRemarks: remarks on a server reach the user.
func TestRemarks(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"banner": `MCP server "probe": it writes lines that are no messages, the first of them "Welcome to v2!"`,
		"asks":   `MCP server "probe": it asks for sampling/createMessage, which arena does not offer`,
		"null":   `MCP server "probe": excluding nil tool from tools/list`,
	} {
		b := boxOf(t, program(t, kind))
		b.outcome(t)
		if got := b.Remarks(b.opener).Notices; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestFilter: only filtered tools are listed, and a filter entry without a match is an error.
func TestFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		filter scenario.NameFilter
		want   string
	}{
		{scenario.NameFilter{Allow: []string{"ech*"}}, "fine"},
		{scenario.NameFilter{Block: []string{"echo"}}, "execution: tool not found: mcp__probe__echo"},
		{scenario.NameFilter{Block: []string{"eco"}}, `its tool_filter names "eco", which it does not have: did you mean "echo"?`},
		{scenario.NameFilter{Block: []string{"eco*"}}, `its tool_filter names "eco*", which it does not have: did you mean "echo"?`},
		{scenario.NameFilter{Allow: []string{"*", "delete_*"}}, `its tool_filter names "delete_*", which it does not have`},
	} {
		spec := program(t, "plain")
		spec.Tools = c.filter
		if got := boxOf(t, spec).outcome(t); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.filter, got)
		}
	}
}

var _ tools.Remarker = (*source)(nil)

// TestAnswered: an answer that the library would drop becomes an error with the reason.
func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, want string }{
		{`{"id":3,"result":{"content":[]}}`, `{"error":{"code":-32603,"message":"its answer has no \"jsonrpc\": \"2.0\""},"id":3,"jsonrpc":"2.0"}`},
		{`{"jsonrpc":"1.0","id":"3","error":{}}`,
			`{"error":{"code":-32603,"message":"its answer has no \"jsonrpc\": \"2.0\""},"id":3,"jsonrpc":"2.0"}`},
		{`{"jsonrpc":"2.0","id":3,"result":[1]}`, `{"error":{"code":-32603,` +
			`"message":"its answer has the result \"[1]\", which is no object"},"id":3,"jsonrpc":"2.0"}`},
		{`{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`, ""},
		{`{"jsonrpc":"2.0","id":"a","result":{"content":[]}}`, ""},
		{`{"jsonrpc":"2.0","id":3,"method":"ping"}`, ""},
		{`{"method":"notifications/message"}`, ""},
		{"hello", ""},
	} {
		if c.want == "" {
			c.want = c.message
		}
		if got := exactMessage([]byte(c.message)); string(got) != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.message, got, c.want)
		}
	}
}
