package filelock

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// heldFile names, in the environment of a child process, the file that it holds until its input ends.
const heldFile = "FILELOCK_TEST_HOLDS"

func TestMain(m *testing.M) {
	if path := os.Getenv(heldFile); path != "" {
		os.Exit(hold(path))
	}
	os.Exit(m.Run())
}

// hold locks a file, reports it, and never unlocks it.
func hold(path string) int {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil || Lock(f) != nil {
		return 1
	}
	_, _ = os.Stdout.WriteString("locked\n") // the test sees whether it came
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // it may be closed already
	return f
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, second := opened(t, path), opened(t, path)
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	if _, err := first.WriteString("me"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); string(text) != "me" || err != nil {
		t.Errorf("who holds it cannot be read: %q, %v", text, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); err != nil {
		t.Errorf("the first has gone: %v", err)
	}
}

// TestKilled: the lock of a process that was killed is gone.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	f := opened(t, path)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), program)
	other.Env = append(os.Environ(), heldFile+"="+path)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process does not hold it: %q, %v", line, err)
	}
	if err := Lock(f); !errors.Is(err, ErrLocked) {
		t.Errorf("another process holds it: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err == nil {
		t.Error("the other process was not killed")
	}
	if err := Lock(f); err != nil {
		t.Errorf("the other process has gone: %v", err)
	}
}

func TestLockFails(t *testing.T) {
	t.Parallel()
	f := opened(t, filepath.Join(t.TempDir(), "lock"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(f); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a closed file: %v", err)
	}
}
