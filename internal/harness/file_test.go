package harness_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/harness"
)

// TestDevice: what is no file is neither removed nor replaced.
func TestDevice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out.xml")
	socket, err := net.Listen("unix", path) // anybody may make one
	if err != nil {
		t.Skip(err)
	}
	defer socket.Close()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	o := harness.NewOutputs(harness.Choice{Dir: dir, JUnit: path})
	journal, err := o.OpenJournal()
	if err := errors.Join(err, journal.Close()); err != nil {
		t.Fatal(err)
	}
	if o.Prepare() == nil {
		t.Error("a socket passes as a file to write")
	}
	err = harness.WriteAtomic(path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err })
	if err == nil {
		t.Error("a socket was written")
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("%v, %v; want what was there", after, err)
	}
}

// TestFailedWriteIsToldOnce: whatever fails under a file that is written, the error names that file, and no other,
// once.
func TestFailedWriteIsToldOnce(t *testing.T) {
	t.Parallel()
	write := func(w io.Writer) error {
		_, first := w.Write(make([]byte, 1<<20))
		_, second := w.Write([]byte("more"))
		return errors.Join(first, second)
	}
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "gone", "f"), dir, "/dev/full"} {
		if path == "/dev/full" && !harness.Device(path) {
			continue
		}
		err := harness.WriteAtomic(path, write)
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		text := err.Error()
		if !strings.HasPrefix(text, "write "+path+": ") || strings.ContainsRune(text, '\n') ||
			strings.Contains(text, ".arena-") {
			t.Errorf("%s: got %q", path, text)
		}
	}
}
