package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/arena-evals/arena/internal/dispatch/natstest"
)

// TestDispatchPage runs what docs/dispatch.md shows: its files, its commands, its request and its events.
func TestDispatchPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "dispatch.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, text := t.TempDir(), strings.ReplaceAll(string(page), "\r\n", "\n")
	files := map[string]string{}
	file := regexp.MustCompile("(?s)\\*\\*([a-z.]+)\\*\\*\n\n```[a-z]+\n(.*?)```")
	for _, m := range file.FindAllStringSubmatch(text, -1) {
		files[m[1]] = m[2]
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &broker{natstest.New(t)}
	err = b.use(func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "APP", Subjects: []string{"app.events"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &dispatchPage{T: t, dir: dir, broker: b}
	var commands []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		commands = append(commands, strings.Split(strings.TrimSpace(m[1]), "\n")...)
	}
	if len(commands) != 6 || len(files) != 5 {
		t.Fatalf("the page has the commands %q and %d files", commands, len(files))
	}
	p.arena(commands[0])
	waited := p.start(commands[1])
	p.arena(commands[2]) // while the run waits
	if err := waited.Wait(); err != nil {
		t.Error(err)
	}
	p.publish("arena.evals.requests", strings.ReplaceAll(files["request.json"], "\n", "")+"\n")
	p.arena(commands[3])
	p.publish("app.events", files["events.jsonl"])
	p.arena(commands[5])
	p.arena(commands[4])
	results, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for session, n := range map[string]int{"refund/mock/default": 4, "chat-7": 1, "chat-8": 2} {
		if got := bytes.Count(results, []byte(`"session_id":"`+session+`"`)); got != n {
			t.Errorf("%d results of %s, want %d\n%s", got, session, n, results)
		}
	}
}

// dispatchPage runs the commands of the page.
type dispatchPage struct {
	*testing.T
	*broker
	dir string
}

func (p *dispatchPage) publish(subject, text string) {
	p.Helper()
	if err := p.broker.publish(subject, text); err != nil {
		p.Fatal(err)
	}
}

// start starts a command with the broker of the test. Workers end when they have nothing to do.
func (p *dispatchPage) start(command string) *exec.Cmd {
	p.Helper()
	command = strings.ReplaceAll(command, "nats://localhost:4222", p.URL())
	if strings.Contains(command, " worker ") && !strings.Contains(command, "--idle") {
		command += " --idle 1s"
	}
	words := strings.Fields(command)
	c := exec.CommandContext(p.Context(), words[0], words[1:]...)
	c.Dir = p.dir
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	return c
}

func (p *dispatchPage) arena(command string) {
	p.Helper()
	if err := p.start(command).Wait(); err != nil {
		p.Fatalf("%s: %v", command, err)
	}
}
