// Package dial opens all network connections of arena, so that there is one place to refuse them in a run without
// network.
package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrOffline is wrapped by the error of a connection that was not opened because the run must not touch the network.
var ErrOffline = errors.New("no connection is opened in this run (--offline or --replay)")

// Func opens a connection, as http.Transport takes it.
type Func func(ctx context.Context, network, address string) (net.Conn, error)

// New is a dialer with the time limits of arena's clients; offline makes one that refuses.
func New(offline bool) Func {
	if offline {
		return func(_ context.Context, network, address string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("%s: %w", address, ErrOffline)}
		}
	}
	return (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext
}

// Stay is a redirect policy, see http.Client, that follows none. Requests and their keys are only for the address that
// the user wrote.
func Stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// SameHost reports whether an address is at the host of another one, or at the same host behind TLS.
func SameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	return from.Scheme == to.Scheme && portOf(from) == portOf(to) ||
		from.Scheme == "http" && to.Scheme == "https" && portOf(from) == "80" && portOf(to) == "443"
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
