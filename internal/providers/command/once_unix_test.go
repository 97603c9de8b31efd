//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// agent is this test binary as an agent.
func agent(t testing.TB, edit func(*scenario.Provider), how string, args ...string) *Provider {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := &scenario.Provider{
		Meta: scenario.Meta{ID: "mine"}, Type: scenario.ProgramType, RequestTimeout: hang.Guard,
		Program: &scenario.Program{Command: append([]string{self, asAgent, how}, args...), Dir: t.TempDir()},
	}
	if edit != nil {
		edit(spec)
	}
	p, err := New(spec, Host{Getenv: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(text string) *chat.Request {
	return &chat.Request{Messages: []chat.Message{
		{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: text},
	}}
}

func stdin(s *scenario.Provider) { s.Program.Stdin = true }

// outcome is the text of a reply, or its error.
func outcome(r chat.Reply, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return r.Content
}

func TestOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(*scenario.Provider)
		how  []string
		text string
		want string
	}{
		{"argument", nil, []string{"echo"}, "Where is it?", "you said: Where is it?"},
		{"an argument that looks like a flag", nil, []string{"echo"}, "--help $(x) `y`", "you said: --help $(x) `y`"},
		{"stdin", stdin, []string{"stdin"}, "Where is it?", "read 12 bytes, 0 arguments: Where is it?"},
		{"large stdin", stdin, []string{"stdin"}, strings.Repeat("x", 3<<20), "read 3145728 bytes, 0 arguments: " +
			strings.Repeat("x", 20)},
		{"stdin that nobody reads", stdin, []string{"print", "fine"}, strings.Repeat("x", 3<<20), "fine"},
		{"one final newline", nil, []string{"print", `a\n\nb\n\n`}, "x", "a\n\nb\n"},
		{"one of windows", nil, []string{"print", `a\r\n`}, "x", "a"},
		{"nothing", nil, []string{"print", ""}, "x", "error: provider mine: PROGRAM: it printed nothing, which is no reply"},
		{"blanks", nil, []string{"print", ` \n\n`}, "x",
			"error: provider mine: PROGRAM: it printed nothing, which is no reply"},
		{"no text", nil, []string{"print", `a\xb`}, "x",
			`error: provider mine: PROGRAM: its output is not valid UTF-8: "a�b"`},
		{"NUL", nil, []string{"print", `a\0b`}, "x",
			`error: provider mine: PROGRAM: its output holds a NUL character: "a␀b"`},
		{"fails after its reply", nil, []string{"fail"}, "x",
			"error: provider mine: PROGRAM: exit status 3; stderr: first line no database"},
		{"is killed", nil, []string{"crash"}, "x", "error: provider mine: PROGRAM: signal: killed"},
		{"floods", nil, []string{"flood"}, "x", "error: provider mine: PROGRAM: it wrote more than 10 MB"},
		{"NUL in the message", nil, []string{"echo"}, "a\x00b",
			"error: provider mine: the message holds a NUL character, which no argument can; write input: stdin"},
		{"NUL into stdin", stdin, []string{"stdin"}, "a\x00b", "error: provider mine: PROGRAM: its output holds a NUL " +
			`character: "read 3 bytes, 0 arguments: a␀b"`},
		{"too long for an argument", nil, []string{"echo"}, strings.Repeat("x", 4<<20), "error: provider mine: PROGRAM: " +
			"the message has 4194304 bytes, more than an argument can; write input: stdin"},
		{"no program", func(s *scenario.Provider) { s.Program.Command[0] = "./nowhere" }, []string{"echo"}, "x",
			"error: provider mine: ./nowhere: cannot be started: no such file or directory"},
		{"hangs", func(s *scenario.Provider) {
			s.RequestTimeout = time.Millisecond // is meant to pass
		}, []string{"hang"}, "x", "error: provider mine: PROGRAM: no reply within 1ms (request_timeout)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := agent(t, c.edit, c.how[0], c.how[1:]...)
			self, _ := os.Executable()
			reply, err := p.Complete(t.Context(), ask(c.text), nil)
			if got := strings.ReplaceAll(outcome(reply, err), self, "PROGRAM"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var failed *providers.Error
			if err != nil && (!errors.As(err, &failed) || failed.Temporary()) {
				t.Errorf("%v would be tried again", err)
			}
			if err == nil && (reply.FinishReason != "" || !reply.Usage.Estimated || reply.Usage.OutputTokens == 0 ||
				reply.CostUSD != nil) {
				t.Errorf("got %+v", reply)
			}
		})
	}
}

// TestEnvironment: a program gets the variables of its trial and of its file, and no others.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	names := []string{
		"PATH", "ARENA_TRIAL_ID", "ARENA_SCENARIO", "ARENA_TURN", "TRACES", "MODE", "PASSED", "OPENAI_API_KEY",
	}
	p := agent(t, nil, "env", names...)
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "mine"}, Program: p.Program}
	spec.Program.Env = []string{"MODE=${WHICH}-mode", "PASSED", "TRACES=mine"}
	p, err := New(spec, Host{Getenv: func(name string) (string, bool) {
		value, set := map[string]string{
			"WHICH": "fast", "PASSED": "on", "OPENAI_API_KEY": "sk-secret", "PATH": "/bin",
		}[name]
		return value, set
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := providers.InTrial(t.Context(), &providers.Trial{
		ID: "refund/mine/default#2", Scenario: "refund",
	})
	ctx = providers.WithVariables(ctx, []string{"TRACES=/tmp/t"})
	req := ask("x")
	req.Origin.Turn = 2
	reply, err := p.Complete(ctx, req, nil)
	want := "PATH=/bin\nARENA_TRIAL_ID=refund/mine/default#2\nARENA_SCENARIO=refund\nARENA_TURN=2\nTRACES=/tmp/t\n" +
		"MODE=fast-mode\nPASSED=on\nOPENAI_API_KEY="
	if err != nil || reply.Content != want {
		t.Errorf("got %q, %v\nwant %q", reply.Content, err, want)
	}
}

func TestWorkingDirectory(t *testing.T) {
	t.Parallel()
	p := agent(t, nil, "where")
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := p.Complete(t.Context(), ask("x"), nil); reply.Content != dir {
		t.Errorf("it runs in %q, %v, want %q", reply.Content, err, dir)
	}
}

// TestSecretsInErrors: secrets in a program's variables are removed from its stderr.
func TestSecretsInErrors(t *testing.T) {
	t.Parallel()
	p := agent(t, func(s *scenario.Provider) { s.Program.Env = []string{"DATABASE=${WORD}"} }, "fail")
	p.environment(func(string) (string, bool) { return "no database", true })
	if _, err := p.Complete(t.Context(), ask("x"), nil); err == nil || strings.Contains(err.Error(), "no database") {
		t.Errorf("got %v", err)
	}
}

// TestNothingIsLeft: whatever a program leaves running ends with it.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"stubborn": "no reply within", "fork": "it ended and left a process behind that holds its output open",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			p := agent(t, nil, how, file)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if how == "stubborn" {
				go func() { // once the child runs
					for ctx.Err() == nil {
						if text, _ := os.ReadFile(file); len(text) > 0 {
							cancel(overdueError{time.Second})
						}
					}
				}()
			}
			_, err := p.Complete(ctx, ask("x"), nil)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("got %v", err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			ends(t, pid)
		})
	}
}

// TestStreamOfOne: a listener gets the reply in one piece, may have heard enough of it, and may refuse it.
func TestStreamOfOne(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for _, answer := range []error{nil, providers.ErrEnough, refused} {
		req, received := ask("hi"), ""
		req.Stream = true
		reply, err := agent(t, nil, "echo").Complete(t.Context(), req, func(d chat.Delta) error {
			received += d.Text
			return answer
		})
		if received != "you said: hi" || errors.Is(answer, refused) != errors.Is(err, refused) ||
			err == nil && reply.Content != received {
			t.Errorf("%v: heard %q, got %+v, %v", answer, received, reply, err)
		}
	}
}

// TestMediaForOnce: a program that gets text alone is not asked about a picture.
func TestMediaForOnce(t *testing.T) {
	t.Parallel()
	req := ask("What is this?")
	req.Messages[1].Parts = []chat.Part{
		{Type: "text", Text: "What is this?"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: "QUJD"}},
	}
	_, err := agent(t, nil, "echo").Complete(t.Context(), req, nil)
	const want = "the message has an image, and a program that is started once gets text alone"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
