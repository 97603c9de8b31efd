//go:build unix

package plainfile_test

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/plainfile"
)

// TestNothingIsWaitedFor: a pipe that nobody writes into, a socket and a device without an end are refused at once.
func TestNothingIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Skip(err) // the path of the folder may be too long for one
	}
	defer func() { _ = listener.Close() }()
	for path, want := range map[string]string{pipe: "a pipe", socket: "a socket", "/dev/zero": "a device"} {
		_, readErr := plainfile.Read(path)
		_, openErr := plainfile.Open(path)
		for _, err := range []error{readErr, openErr} {
			if err == nil || !strings.Contains(err.Error(), "it is "+want+", and a plain file is needed") {
				t.Errorf("%s: got %v", path, err)
			}
		}
	}
}
