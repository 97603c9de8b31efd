package mcp

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// bench is a server with its opener and a box that has it.
type bench struct {
	*tools.Box
	kit    *tools.Kit
	opener *tools.Opener
}

// boxOf is the box of a trial with a server.
func boxOf(t testing.TB, spec *scenario.Server) *bench {
	t.Helper()
	registry, err := tools.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	opener := New(spec, boxHost(t))
	kit := tools.NewKit(registry, opener)
	box := kit.Box("")
	t.Cleanup(func() {
		if err := errors.Join(box.Close(), kit.Close()); err != nil {
			t.Error(err)
		}
	})
	return &bench{&box, kit, opener}
}

// boxHost is the world as it is.
func boxHost(t testing.TB) Host {
	transport := &http.Transport{DialContext: dial.New(false)}
	t.Cleanup(transport.CloseIdleConnections)
	return Host{Getenv: os.LookupEnv, HTTP: &http.Client{CheckRedirect: dial.Stay, Transport: transport}}
}

// program is a server that the test program plays.
func program(t testing.TB, kind string) *scenario.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &scenario.Server{
		Name: "probe", Command: self, Env: []string{serverName + "=" + kind}, Dir: t.TempDir(), Scope: "run",
		Timeout: hang.Guard,
	}
}

// listed makes the box know the tools of the server.
func (b *bench) listed(t testing.TB) []chat.Tool {
	t.Helper()
	list, err := b.List(t.Context(), b.opener)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(b.opener, list); err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *bench) call(t testing.TB, tool, args string) chat.ToolResult {
	t.Helper()
	parsed, _ := chat.ParseArgs(args)
	return b.Call(t.Context(), chat.ToolCall{ID: "c", Name: "mcp__probe__" + tool, Args: parsed})
}

func callOf(tool string) chat.ToolCall {
	return chat.ToolCall{ID: "c", Name: "mcp__probe__" + tool, Args: map[string]any{"text": ""}}
}

// describe is a result, or the type and the text of its error.
func describe(res chat.ToolResult) string {
	if res.Error != "" {
		return res.ErrorType + ": " + res.Error
	}
	if res.Doubt != "" {
		return res.Content + "? " + res.Doubt
	}
	return res.Content
}

func TestResults(t *testing.T) {
	t.Parallel()
	b := boxOf(t, program(t, "good"))
	b.listed(t)
	for _, c := range []struct{ tool, args, want string }{
		{"echo", `{"text": "hi & <bye>"}`, "hi & <bye>"},
		{"twice", `{"text": "hi"}`, `["hi","<hi>"]`},
		{"nothing", `{"text": ""}`, ""},
		{"fail", `{"text": "no paper"}`, "execution: no paper; twice"},
		{"fail without a word", `{"text": ""}`, "execution: the tool failed and does not say why"},
		{"structured", `{"text": ""}`, "{\n  \"id\": 12345678901234567890\n}"},
		{"link", `{"text": ""}`, "[resource: file:///x]"},
		{"echo", `{}`, "validation: invalid arguments for mcp__probe__echo: missing property 'text'"},
		{"eco", `{}`, "execution: tool not found: mcp__probe__eco (did you mean mcp__probe__echo?)"},
		{"odd", `{"x": 1}`, `{"x":1}`},
	} {
		if diff := cmp.Diff(c.want, describe(b.call(t, c.tool, c.args))); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.tool, c.args, diff)
		}
	}
	res := b.call(t, "look (picture)", `{"text": ""}`)
	want := []chat.Part{
		{Type: "text", Text: "see:"},
		{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "cG5n"}},
		{Type: "audio", Media: &chat.Media{MIMEType: "audio/wav", Data: "d2F2"}},
		{Type: "text", Text: "inside"},
		{Type: "document", Media: &chat.Media{MIMEType: "application/pdf", Data: "cGRm"}},
		{Type: "text", Text: "[resource: file:///x]"},
	}
	if diff := cmp.Diff(want, res.Parts); diff != "" || res.Content == "" {
		t.Errorf("%q (-want +got):\n%s", res.Content, diff)
	}
}

// TestEnvironment: a server sees of the environment what every program needs, and what it is given.
func TestEnvironment(t *testing.T) {
	t.Setenv("SHOP_KEY", "secret")
	spec := program(t, "good")
	spec.Env = append(spec.Env, "MODE=${SHOP_MODE:-test}")
	b := boxOf(t, spec)
	b.listed(t)
	got := describe(b.call(t, "environment", `{"text": ""}`))
	if strings.Contains(got, "secret") || !strings.Contains(got, "MODE=test") || !strings.Contains(got, "PATH=") {
		t.Error(got)
	}
}
