//go:build !linux

package receiver

import "net"

// countConns returns a listener in the place of ln, and a function that reports whether nobody has connected yet. It
// is not known here.
func countConns(ln net.Listener) (instead net.Listener, silent func() bool) {
	return ln, func() bool { return false }
}
