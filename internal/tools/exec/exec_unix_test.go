//go:build unix

package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

func TestMain(m *testing.M) {
	process.Guard()
	goleak.VerifyTestMain(m)
}

// bench is a tool of a program of a shell, with its box.
type bench struct {
	*tools.Box
	dir string
	kit *tools.Kit
}

// toolOf makes the tool "probe" of a script.
func toolOf(t testing.TB, text string, edit func(*scenario.Tool)) *bench {
	t.Helper()
	dir := t.TempDir()
	syscall.ForkLock.RLock() // a program that starts meanwhile would hold the file open, and it could not be run
	err := os.WriteFile(filepath.Join(dir, "probe.sh"), []byte("#!/bin/sh\n"+text+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	spec := &scenario.Tool{
		Meta: scenario.Meta{ID: "probe"}, Mode: "exec",
		Exec: &scenario.ExecTool{Command: "./probe.sh", Dir: dir, Timeout: hang.Guard},
	}
	if edit != nil {
		edit(spec)
	}
	registry, err := tools.New([]*scenario.Tool{spec}, func(spec *scenario.Tool) (tools.Runner, error) {
		return New(spec, Host{Getenv: os.LookupEnv})
	})
	if err != nil {
		t.Fatal(err)
	}
	kit := tools.NewKit(registry)
	box := kit.Box("")
	t.Cleanup(func() {
		if err := errors.Join(box.Close(), kit.Close()); err != nil {
			t.Error(err)
		}
	})
	return &bench{&box, dir, kit}
}

func keepsRunning(s *scenario.Tool) { s.Exec.Server = true }

func (b *bench) call(t testing.TB, args string) chat.ToolResult {
	t.Helper()
	parsed, _ := chat.ParseArgs(args)
	return b.Call(t.Context(), chat.ToolCall{ID: "c", Name: "probe", Args: parsed})
}

// describe is a result, or the type and the text of its error.
func describe(res chat.ToolResult) string {
	if res.Error != "" {
		return res.ErrorType + ": " + res.Error
	}
	return res.Content
}

func TestOneShot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"gets its arguments", `cat`, "{\n  \"args\": {\n    \"id\": 12345678901234567890\n  }\n}"},
		{"a result", `echo '{"result": {"n": 1.10}}'`, "{\n  \"n\": 1.10\n}"},
		{"a text", `echo '{"result": "fine"}'`, "fine"},
		{"anything", `echo '{"status": "ok"}'`, "{\n  \"status\": \"ok\"\n}"},
		{"no object", `echo '[1, 2]'`, "[\n  1,\n  2\n]"},
		{"null", `echo null`, "null"},
		{"a result of nothing", `echo '{"result": null, "error": null}'`, "null"},
		{"an error", `echo '{"error": "no such order"}'`, "execution: no such order"},
		{"an error that is no text", `echo '{"error": {"code": 7}}'`, "execution: {\n  \"code\": 7\n}"},
		{"pending", `echo '{"pending": {"id": 1}}'`,
			"unavailable: probe: ./probe.sh: it says that the call is pending, and nobody completes it in a test"},
		{"fails", `echo half; echo no database >&2; exit 3`,
			"execution: probe: ./probe.sh: exit status 3; stderr: no database"},
		{"says nothing", `:`, "unavailable: probe: ./probe.sh: it printed nothing, expected one JSON value"},
		{"a key twice", `echo '{"error": "boom", "error": null}'`,
			`unavailable: probe: ./probe.sh: its output has the key "error" twice in one object: "{\"error\": \"boom\", \"error\": null}"`},
		{"a banner", `echo 'Welcome to v2!'; echo '{"result": 1}'`, `unavailable: probe: ./probe.sh: its output is not one ` +
			`JSON value (invalid character 'W' looking for beginning of value): "Welcome to v2! {\"result\": 1}"`},
		{"half a line", `printf '{"result": "fi'`,
			`unavailable: probe: ./probe.sh: its output is not one JSON value (unexpected EOF): "{\"result\": \"fi"`},
		{"two values", `echo '{"result": 1}'; echo '{"result": 2}'`, "unavailable: probe: ./probe.sh: its output is not one " +
			`JSON value (more than one JSON document): "{\"result\": 1} {\"result\": 2}"`},
		{"invalid UTF-8", `printf '"\377\376"'`, `unavailable: probe: ./probe.sh: its output is not valid UTF-8: "\"�\""`},
		{"1 GB", `yes | tr -d '\n' | head -c 1000000000`, "unavailable: probe: ./probe.sh: it wrote more than 10 MB"},
		{"is killed", `kill -KILL $$`, "unavailable: probe: ./probe.sh: signal: killed"},
		{"colours", `printf '\033[31mred\033[0m\n' >&2; exit 1`,
			"execution: probe: ./probe.sh: exit status 1; stderr: ␛[31mred␛[0m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := describe(toolOf(t, c.text, nil).call(t, `{"id": 12345678901234567890}`)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCannotRun: what is no program gives an error to the model, with both runtimes.
func TestCannotRun(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"./none":                   "./none: cannot be started: no such file or directory",
		"./plain":                  "./plain: cannot be started: permission denied",
		"no-program-has-this-name": "no-program-has-this-name: cannot be started: executable file not found in $PATH",
	} {
		for _, server := range []bool{false, true} {
			b := toolOf(t, "", func(s *scenario.Tool) { s.Exec.Command, s.Exec.Server = command, server })
			if err := os.WriteFile(filepath.Join(b.dir, "plain"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := describe(b.call(t, `{}`)); got != "unavailable: probe: "+want {
				t.Errorf("%v: %s", server, got)
			}
		}
	}
}

// TestEnvironmentOfTools: a program sees what it was given and what every program needs, and no key.
func TestEnvironmentOfTools(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-planted-key-of-a-provider")
	t.Setenv("SHOP_TOKEN", "given")
	for _, server := range []bool{false, true} {
		b := toolOf(t, `[ $# = 1 ] && read line; printf '{"jsonrpc":"2.0","id":1,"result":"%s"}\n' "$OPENAI_API_KEY,$SHOP_TOKEN,$MODE,$(pwd)"`,
			func(s *scenario.Tool) {
				s.Exec.Env, s.Exec.Args, s.Exec.Server = []string{"SHOP_TOKEN", "MODE=${SHOP_TOKEN}-${NONE:-test}"}, []string{"x"}, server
			})
		real, err := filepath.EvalSymlinks(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(b.call(t, `{}`)); got != ",given,given-test,"+real {
			t.Errorf("%v: %s", server, got)
		}
	}
}

// stays is the beginning of a script that answers call after call: id is the id of the request, n its number.
const stays = `n=0
while IFS= read -r line; do
	n=$((n+1)); id=${line##*\"id\":}; id=${id%%\}*}
	`

func answers(result string) string {
	return `echo '{"jsonrpc":"2.0","id":'$id',"result":` + result + `}'` + "\n"
}

func TestServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string // of call after call
		notice     string
	}{
		{"keeps its state", stays + answers(`'$n'`) + `done`, []string{"1", "2", "3"}, ""},
		{"gets the request", stays + `echo '{"id":'$id',"result":'"$line"'}'; done`, []string{
			"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"execute\",\n  \"params\": {\n    \"args\": {}\n  },\n  \"id\": 1\n}"}, ""},
		{"an error", stays + `echo '{"id":'$id',"error":{"code":-32000,"message":"no"}}'; done`,
			[]string{"execution: no", "execution: no"}, ""},
		{"wrong arguments", stays + `echo '{"id":'$id',"error":{"code":-32602,"message":"no id"}}'; done`,
			[]string{"validation: no id"}, ""},
		{"an error that is a text", stays + `echo '{"id":'$id',"error":"no"}'; done`, []string{`execution: "no"`}, ""},
		{"a key twice", stays + `echo '{"id":'$id',"result":1,"error":{"message":"boom"},"error":null}'; done`,
			[]string{`execution: the answer has the key "error" twice in one object: ` +
				`"{\"id\":1,\"result\":1,\"error\":{\"message\":\"boom\"},\"error\":null}"`}, ""},
		{"a key twice in other letters", stays + `echo '{"id":'$id',"error":{"message":"boom"},"Error":null,"result":1}'; done`,
			[]string{`execution: the answer has the key "Error" twice in one object: ` +
				`"{\"id\":1,\"error\":{\"message\":\"boom\"},\"Error\":null,\"result\":1}"`}, ""},
		{"a message twice in other letters", stays + `echo '{"id":'$id',"error":{"message":"boom","Message":"a"}}'; done`,
			[]string{`execution: the answer has the key "Message" twice in one object: ` +
				`"{\"id\":1,\"error\":{\"message\":\"boom\",\"Message\":\"a\"}}"`}, ""},
		{"a key twice in its result", stays + `echo '{"id":'$id',"result":{"a":{"b":1,"b":2}}}'; done`,
			[]string{`execution: the answer has the key "b" twice in one object: "{\"id\":1,\"result\":{\"a\":{\"b\":1,\"b\":2}}}"`}, ""},
		{"keys of its own", stays + `echo '{"id":'$id',"result":{"a":1,"A":2}}'; done`,
			[]string{"{\n  \"a\": 1,\n  \"A\": 2\n}"}, ""},
		{"neither", stays + `echo '{"id":'$id'}'; done`,
			[]string{`execution: the answer has neither result nor error: "{\"id\":1}"`}, ""},
		{"banners", `echo 'Listening on stdin'; echo 'Ready.'` + "\n" + stays + answers(`'$n'`) + `done`, []string{"1", "2"},
			`tool probe: its program writes lines that are no answers, the first of them "Listening on stdin"`},
		{"asks and tells", stays + `echo '{"jsonrpc":"2.0","method":"log","params":{}}'; echo '{"jsonrpc":"2.0","method":"ping","id":'$id'}'
			` + answers(`'$n'`) + `done`, []string{"1", "2"}, ""},
		{"answers of others", stays + `echo '{"id":99,"result":"late"}'; echo '{"id":"1","result":"text"}'
			` + answers(`'$n'`) + `done`, []string{"1", "2"}, ""},
		{"garbage without end", stays + `yes not json; done`, []string{"unavailable: probe: ./probe.sh: it wrote more than 100 " +
			`lines that are no JSON-RPC, the first of them "not json"`, "unavailable: probe: ./probe.sh: it wrote more than 100 " +
			`lines that are no JSON-RPC, the first of them "not json"`}, ""},
		{"1 GB in a line", stays + `yes | tr -d '\n' | head -c 1000000000; done`,
			[]string{"unavailable: probe: ./probe.sh: it wrote a line of more than 10 MB"}, ""},
		{"invalid UTF-8", stays + `printf '"\377"\n'; ` + answers("1") + `done`, []string{"1"},
			`tool probe: its program writes lines that are no answers, the first of them "\"�\""`},
		{"dies in a call", stays + `[ $n = 2 ] && { echo gone mad >&2; exit 7; }; ` + answers(`'$n'`) + `done`, []string{
			"1", "unavailable: probe: ./probe.sh: it ended before it answered: exit status 7; stderr: gone mad", "1"}, ""},
		{"ends in a call", stays + `exit 0; done`,
			[]string{"unavailable: probe: ./probe.sh: it ended before it answered"}, ""},
		{"half a line", stays + `printf '{"id":'$id',"resu'; exit 0; done`,
			[]string{"unavailable: probe: ./probe.sh: it ended before it answered"}, ""},
		{"a last line without its end", stays + `printf '{"id":'$id',"result":"fine"}'; exit 0; done`, []string{"fine"}, ""},
		{"closes its output", stays + `exec >&-; cat >/dev/null; done`,
			[]string{"unavailable: probe: ./probe.sh: it ended before it answered"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := toolOf(t, c.text, keepsRunning)
			notice := ""
			for i, want := range c.want {
				res := b.call(t, `{}`)
				if got := describe(res); got != want {
					t.Errorf("call %d: got  %s\nwant %s", i+1, got, want)
				}
				notice += res.Notice
			}
			if notice != c.notice {
				t.Errorf("notice %s, want %s", notice, c.notice)
			}
		})
	}
}

// TestDiesBetweenCalls: the next call starts the program anew.
func TestDiesBetweenCalls(t *testing.T) {
	t.Parallel()
	b := toolOf(t, `echo $$ >pid`+"\n"+stays+answers(`'$n'`)+`done`, keepsRunning)
	for range 3 {
		if got := describe(b.call(t, `{}`)); got != "1" {
			t.Fatal(got)
		}
		pid := pidIn(t, b, "pid")
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		hang.ProcessEnd(t, pid)
	}
}

// TestTooLate: a call ends with its time, and so does the program with all that it started, whatever it does against
// that; its late answer is nobody's.
func TestTooLate(t *testing.T) {
	t.Parallel()
	stubborn := `trap "" TERM; (trap "" TERM; while :; do sleep 10000; done) & echo $! >pid.$$; mv pid.$$ pid
	while :; do sleep 10000; done`
	for _, server := range []bool{false, true} {
		text := stubborn
		if server {
			text = stays + `[ -e pid ] || { ` + stubborn + `; }` + "\n" + answers(`"on time"`) + `done`
		}
		b := toolOf(t, text, func(s *scenario.Tool) { s.Exec.Server = server })
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan chat.ToolResult)
		go func() { done <- b.Call(ctx, chat.ToolCall{Name: "probe", Args: map[string]any{}}) }()
		for { // until it runs, and will never answer
			if _, err := os.Stat(filepath.Join(b.dir, "pid")); err == nil || t.Context().Err() != nil {
				break
			}
		}
		cancel(overdueError{3 * time.Second})
		if got := describe(<-done); got != "unavailable: probe: ./probe.sh: no answer within 3s (timeout_ms)" {
			t.Errorf("%v: %s", server, got)
		}
		hang.ProcessEnd(t, pidIn(t, b, "pid"))
		if server {
			if got := describe(b.call(t, `{}`)); got != "on time" {
				t.Error(got)
			}
		}
	}
}

// TestOwnLimit: the limit of the file ends a call.
func TestOwnLimit(t *testing.T) {
	t.Parallel()
	for _, server := range []bool{false, true} {
		b := toolOf(t, `while :; do sleep 10000; done`, func(s *scenario.Tool) {
			s.Exec.Server, s.Exec.Timeout = server, time.Millisecond // is meant to pass
		})
		if got := describe(b.call(t, `{}`)); got != "unavailable: probe: ./probe.sh: no answer within 1ms (timeout_ms)" {
			t.Errorf("%v: %s", server, got)
		}
	}
}

// TestDroppedAnswers: an answer that cannot be used is told, and not only that time was over.
func TestDroppedAnswers(t *testing.T) {
	t.Parallel()
	b := toolOf(t, stays+`printf '{"id":%s,"result":"a\377b"}\n' $id; done`, func(s *scenario.Tool) { s.Exec.Server = true })
	if got := describe(b.call(t, `{}`)); !strings.HasPrefix(got, "execution: the answer is not valid UTF-8: ") {
		t.Error(got)
	}
	b = toolOf(t, stays+`echo '{"id":"'$id'","result":1}'; touch answered; done`, func(s *scenario.Tool) { s.Exec.Server = true })
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan chat.ToolResult)
	go func() { done <- b.Call(ctx, chat.ToolCall{Name: "probe", Args: map[string]any{}}) }()
	for { // until it has answered
		if _, err := os.Stat(filepath.Join(b.dir, "answered")); err == nil || t.Context().Err() != nil {
			break
		}
	}
	cancel(overdueError{3 * time.Second})
	// Whether the answer was read before the time was over is a matter of chance.
	if got := describe(<-done); !strings.HasPrefix(got, "unavailable: probe: ./probe.sh: no answer within 3s (timeout_ms)") {
		t.Error(got)
	}
}

// TestManyCallers: calls at once wait for each other, and each gets the answer to its own request.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	b := toolOf(t, stays+`v=${line##*\"v\":}; v=${v%%\}*}; echo '{"id":'$id',"result":'$v'}'`+"\ndone", keepsRunning)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if got := describe(b.call(t, fmt.Sprintf(`{"v": %d}`, i))); got != strconv.Itoa(i) {
				t.Errorf("%d got %s", i, got)
			}
		})
	}
	all.Wait()
}

// TestClosed: the end of a tool waits for the end of its program, and gives it the time to end well.
func TestClosed(t *testing.T) {
	t.Parallel()
	b := toolOf(t, stays+answers("1")+"done\necho ended >end", func(s *scenario.Tool) {
		s.Exec.Server, s.Exec.Session = true, true
	})
	if got := describe(b.call(t, `{}`)); got != "1" {
		t.Fatal(got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "end")); err != nil {
		t.Error(err)
	}
}

func pidIn(t *testing.T, b *bench, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
