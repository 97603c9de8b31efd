//go:build unix

package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/process"
)

// asAgent is the first argument of this test binary when it is started as an agent; the second says how it behaves.
const asAgent = "as-agent"

func TestMain(m *testing.M) {
	process.Guard()
	if len(os.Args) > 2 && os.Args[1] == asAgent {
		os.Exit(behave(os.Args[2], os.Args[3:]))
	}
	goleak.VerifyTestMain(m)
}

// behave is an agent that is started for one reply. It returns its exit status.
func behave(how string, args []string) int {
	say := func(text string) { _, _ = io.WriteString(os.Stdout, text) }
	switch how {
	case "echo":
		say("you said: " + args[len(args)-1] + "\n")
	case "stdin":
		all, _ := io.ReadAll(os.Stdin)
		say(fmt.Sprintf("read %d bytes, %d arguments: %.20s", len(all), len(args), all))
	case "env":
		for _, name := range args[:len(args)-1] {
			say(name + "=" + os.Getenv(name) + "\n")
		}
	case "where":
		dir, _ := os.Getwd()
		say(dir)
	case "print":
		say(strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\0`, "\x00", `\x`, "\xff").Replace(args[0]))
	case "fail": // after its reply
		say("half a reply")
		fmt.Fprintln(os.Stderr, "first line")
		fmt.Fprintln(os.Stderr, "no database")
		return 3
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return 1
			}
		}
	case "hang":
		select {}
	case "stubborn": // ignores signals, and so does its child
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		child(args[0])
		select {}
	case "fork": // leaves a child process that keeps the output open
		child(args[0])
		say("done\n")
	case "crash":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	default:
		return converse(how, args)
	}
	return 0
}

// child starts a process that runs forever, and writes its id to a file.
func child(file string) {
	c := exec.Command("sleep", "100000")
	c.Stdout = os.Stdout
	if err := c.Start(); err != nil {
		panic(err)
	}
	_ = os.WriteFile(file, fmt.Append(nil, c.Process.Pid), 0o600)
}

// ends waits for the end of a process. One that nobody asked how it ended has ended, too.
func ends(t *testing.T, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if strings.Contains(string(stat), ") Z ") {
			return
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
}
