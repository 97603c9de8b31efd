//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cli"
	"github.com/arena-evals/arena/internal/hang"
)

// readers are commands with a file to read, FILE. Of flags there is one for each command and flag.
var readers = []string{
	"run FILE", "run -c FILE", "run hello.yaml --baseline FILE", "eval talk.json --assert assert.yaml --baseline FILE",
	"rejudge first --baseline FILE", "bless first --baseline FILE",
	"merge first -o x --baseline FILE", "gate -c FILE", "run hello.yaml --mock-config FILE", "run hello.yaml --nats-creds FILE --dispatch nats://127.0.0.1:1",
	"run hello.yaml --nats-ca FILE --dispatch nats://127.0.0.1:1",
	"run hello.yaml --nats-cert FILE --nats-key FILE --dispatch nats://127.0.0.1:1",
	"eval FILE --assert assert.yaml", "eval -c FILE", "eval talk.json --assert FILE", "eval talk.json --pack FILE",
	"eval --transcript FILE --assert assert.yaml", "eval talk.json --assert assert.yaml --mock-config FILE",
	"rejudge FILE", "rejudge first -c FILE", "rejudge first --assert FILE", "rejudge first --mock-config FILE",
	"report FILE", "generate FILE", "generate talk.json --pack FILE", "mocks generate -i FILE -o x.yaml",
	"judge calibrate FILE --criteria Good --mock-provider --judge mock/m",
	"judge calibrate labels.jsonl --criteria @FILE --mock-provider --judge mock/m",
	"judge calibrate labels.jsonl --check FILE --mock-provider --judge mock/m",
	"judge calibrate labels.jsonl -c FILE --criteria Good", "judge calibrate labels.jsonl --mock-config FILE --criteria Good --judge mock/m",
	"doctor FILE", "doctor -c FILE",
	"validate FILE", "validate -c FILE", "validate hello.yaml --mock-config FILE",
	"list scenarios FILE", "list scenarios -c FILE",
	"chat FILE", "chat -c FILE", "chat hello.yaml --mock-config FILE", "prompt FILE", "prompt hello -c FILE", "prompt hello hello.yaml --mock-config FILE", "tools call look @FILE", "tools call look -c FILE",
	"checks verify FILE", "worker --nats nats://127.0.0.1:1 --pack FILE", "worker --nats nats://127.0.0.1:1 -c FILE",
	"worker --nats nats://127.0.0.1:1 --pack p.json --nats-creds FILE", "worker --nats nats://127.0.0.1:1 --pack p.json --nats-ca FILE",
	"worker --nats nats://127.0.0.1:1 --pack p.json --nats-cert FILE --nats-key FILE",
	"worker dead list --nats nats://127.0.0.1:1 --nats-creds FILE", "worker dead list --nats nats://127.0.0.1:1 --nats-ca FILE",
	"worker dead list --nats nats://127.0.0.1:1 --nats-cert FILE --nats-key FILE",
}

// written are the flags that name a file to write. A pipe there is for somebody who reads it.
var written = []string{"junit-file", "html-file", "markdown-file", "events", "metrics-file", "out", "output"}

var notPlain = regexp.MustCompile(`it is a pipe|it is a device|is not a file|not a regular file|is no plain file`)

// TestNoPipeIsWaitedFor: whatever is to be read, a pipe or a device without an end is refused.
func TestNoPipeIsWaitedFor(t *testing.T) {
	writersProject(t)
	fifo := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range readers {
		for _, file := range []string{fifo, "/dev/zero"} {
			refused(t, strings.ReplaceAll(command, "FILE", file))
		}
	}
}

func refused(t *testing.T, args string) {
	t.Helper()
	var out, errs string
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, errs = (showing{args: args}).run(t, "", false)
	}()
	select {
	case <-done:
	case <-time.After(hang.Guard):
		t.Fatalf("arena %s waits", args)
	}
	if !notPlain.MatchString(out + errs) {
		t.Errorf("arena %s: it is not said what is wrong:\n%s%s", args, out, errs)
	}
}

// TestNoFolderHidesAPipe: nor do files of a folder make arena wait.
func TestNoFolderHidesAPipe(t *testing.T) {
	for name, args := range map[string][]string{
		"journal.jsonl":  {"report broken", "rejudge broken", "run --resume hello.yaml -o broken", "run --last-failed hello.yaml -o broken", "eval broken --assert assert.yaml"},
		"results.json":   {"report broken", "rejudge broken"},
		"a.yaml":         {"run broken"},
		"../.arena.yaml": {"run hello.yaml"},
	} {
		writersProject(t)
		if err := os.Mkdir("broken", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join("broken", name), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range args {
			refused(t, command)
		}
	}
}

// TestEveryReaderIsTried: a new flag that names a file needs a line in one of the tables.
func TestEveryReaderIsTried(t *testing.T) {
	t.Parallel()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.TrimPrefix(c.CommandPath(), "arena ")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			what, _ := pflag.UnquoteUsage(f)
			tried := slices.ContainsFunc(readers, func(r string) bool {
				return strings.HasPrefix(r, path+" ") &&
					(strings.Contains(r, "--"+f.Name+" FILE") || f.Shorthand != "" && strings.Contains(r, "-"+f.Shorthand+" FILE"))
			})
			if what == "file" && !slices.Contains(written, f.Name) && !tried && !strings.HasPrefix(path, "worker dead ") {
				t.Errorf("arena %s --%s is not tried", path, f.Name)
			}
		})
	}
	walk(cli.Commands(&cli.App{}))
}
