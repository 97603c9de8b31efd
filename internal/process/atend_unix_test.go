//go:build unix

package process

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/hang"
)

// TestLastActs: the watchdog runs the commands that were not cancelled, once its process has ended. It runs alone: here
// the watchdog is the process of the tests, and others of them end what they take for left behind.
func TestLastActs(t *testing.T) {
	dir := t.TempDir()
	var told strings.Builder
	for _, name := range []string{"kept", "cancelled"} {
		act, err := json.Marshal(exitCommand{"/bin/sh", []string{"sh", "-c", ": >" + filepath.Join(dir, name)}, nil})
		if err != nil {
			t.Fatal(err)
		}
		told.WriteString("!" + name + " " + string(act) + "\n")
	}
	told.WriteString(".cancelled\n!broken {\n")
	keep(strings.NewReader(told.String()), "x")
	for name, want := range map[string]bool{"kept": true, "cancelled": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAtEnd: a process that is killed still has its exit command run, even if its watchdog becomes a child of another
// process that ends what programs leave behind.
func TestAtEnd(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runs := func() {
		t.Helper()
		if _, err := script(t, "exit 0").Run(t.Context()); err != nil {
			t.Error(err)
		}
	}
	runs() // from now on this process adopts orphans
	dir := t.TempDir()
	for _, name := range []string{"ready", "done"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	arena := exec.CommandContext(t.Context(), program)
	arena.Dir, arena.Env = dir, append(os.Environ(), runsScript+"=echo up >ready; sleep 3600", actsAtEnd+"=echo over >done")
	if _, err := arena.StdinPipe(); err != nil { // its end would end the process
		t.Fatal(err)
	}
	if err := arena.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "ready")); err != nil {
		t.Error(err)
	}
	if err := arena.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = arena.Wait()                                                   // it was killed
	runs()                                                             // and now it has looked for them
	done, err := os.OpenFile(filepath.Join(dir, "done"), os.O_RDWR, 0) // the end of another writer is not its end
	if err != nil {
		t.Fatal(err)
	}
	defer done.Close()
	if err := done.SetReadDeadline(time.Now().Add(hang.Guard)); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, len("over\n"))
	if _, err := io.ReadFull(done, text); string(text) != "over\n" {
		t.Errorf("%q, %v", text, err)
	}
}
