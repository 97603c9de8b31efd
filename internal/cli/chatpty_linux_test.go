package cli_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a program in it.
type terminal struct {
	*testing.T

	keys *os.File // what the person types goes in here, and what the screen shows comes out

	mu   sync.Mutex
	more *sync.Cond
	seen bytes.Buffer
	over bool
}

// inTerminal starts a program whose input and outputs are a pseudo-terminal.
func inTerminal(t *testing.T, dir string, args ...string) (*terminal, *exec.Cmd) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	fd := int(keys.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	cmd := exec.Command("arena", args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, screen, screen, screen
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	term := &terminal{T: t, keys: keys}
	term.more = sync.NewCond(&term.mu)
	go func() {
		_, _ = io.Copy(term, keys) // ends with an error when the program does
		term.mu.Lock()
		defer term.mu.Unlock()
		term.over = true
		term.more.Broadcast()
	}()
	return term, cmd
}

// Write takes what comes to the screen.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.more.Broadcast()
	return t.seen.Write(p)
}

// shows waits until a text is on the screen, and forgets it with what was before it.
func (t *terminal) shows(text string) {
	t.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for !strings.Contains(t.seen.String(), text) {
		if t.over {
			t.Fatalf("the program has ended, and %q was not shown:\n%s", text, t.seen.String())
		}
		t.more.Wait()
	}
	at := strings.Index(t.seen.String(), text)
	t.seen.Next(at + len(text))
}

func (t *terminal) types(keys string) {
	t.Helper()
	if _, err := t.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

const chatMocks = `scenarios:
  shop:
    turns:
      1: Good morning, this is the tea shop!
      2: {tool_calls: [{name: get_order, arguments: {order_id: A-1}}]}
      3: It was shipped on Monday.
      4: {tool_calls: [{name: get_order, arguments: {order_id: B-2}}]}
      5: {content: You never see this., latency_ms: 3600000}
`

const chatConfig = `kind: Arena
metadata: {name: tea}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenario_specs: {shop: {description: A customer, task_type: shop, turns: [{role: user, content: Hello}]}}
  tool_specs:
    get_order: {description: Finds an order, mode: mock, input_schema: {type: object}, mock_result: {status: shipped}}
  provider_specs: {mocked: {type: mock, additional_config: {mock_config: replies.yaml}}}
  defaults: {}
`

const chatPrompt = `kind: PromptConfig
spec: {task_type: shop, system_template: You sell tea., allowed_tools: [get_order]}
`

// TestChatInTerminal talks to an agent as a person does: three turns with a tool, one that is interrupted, and what is
// saved of them is green at once.
func TestChatInTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.arena.yaml": chatConfig, "prompt.yaml": chatPrompt, "replies.yaml": chatMocks,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	term, cmd := inTerminal(t, dir, "chat", "shop")
	term.shows("/help for commands")
	term.shows("> ")
	term.types("Hello\n")
	term.shows("Good morning, this is the tea shop!")
	term.shows("> ")
	term.types("Where is A-1?\n")
	term.shows(`tool   get_order(order_id="A-1")`)
	term.shows("It was shipped on Monday.")
	term.shows("> ")
	term.types("And B-2?\n")
	term.shows(`tool   get_order(order_id="B-2")`)
	term.types("\x03")
	term.shows("interrupted: what you said is taken back")
	term.shows("> ")
	term.types("/retry\n")
	term.shows("It was shipped on Monday.")
	term.shows("> ")
	term.types("/undo\n")
	term.shows("taken back: Where is A-1?")
	term.types("/undo\n/undo\nHello\nWhere is A-1?\n/save alone/talk\n")
	term.shows("taken back: Hello")
	term.shows("nothing was said yet")
	term.shows("Good morning, this is the tea shop!")
	term.shows("It was shipped on Monday.")
	term.shows("saved 2 turns in alone/talk.yaml")
	term.shows("> ")
	term.types("Where is")
	term.shows("Where is")
	term.types("\x03")
	term.shows("Ctrl-C once more, or Ctrl-D, ends the chat\r\n")
	term.types("\x04")
	term.mu.Lock()
	for !term.over {
		term.more.Wait()
	}
	term.mu.Unlock()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("exit status %d, want 0", cmd.ProcessState.ExitCode())
	}
	again := exec.Command("arena", "run", "-c", "config.arena.yaml", "alone/talk.yaml", "--scenario", "talk",
		"--mock-provider")
	again.Dir = dir
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 passed") {
		t.Errorf("%v\n%s", err, out)
	}
}
