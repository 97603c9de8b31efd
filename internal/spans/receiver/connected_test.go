package receiver

import (
	"net"
	"runtime"
	"strings"
	"testing"
)

// TestDrainNothing: no connection is made to find out that nothing was sent.
func TestDrainNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it is not known here whether somebody has connected")
	}
	s := serve(t)
	in := s.Open("a")
	if !s.silent() {
		t.Error("somebody has connected")
	}
	in.Drain(t.Context())
	if !s.silent() {
		t.Error("Drain has connected")
	}
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s.silent() {
		t.Error("a connection was not seen")
	}
}
