package harness_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
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
	if err := errors.Join(o.Prepare(), err, journal.Close()); err != nil {
		t.Fatal(err)
	}
	err = harness.WriteWhole(path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err })
	if err == nil {
		t.Error("a socket was written")
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("%v, %v; want what was there", after, err)
	}
}
