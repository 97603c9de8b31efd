package wire

import (
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/scenario"
)

// connections returns the connections of one provider, shared by all its calls. It opens at most one for each
// concurrent call, and keeps it open for later calls, unless the provider's file says otherwise.
func connections(jobs int, offline bool, set scenario.Transport) *http.Transport {
	const unlimitedIdle = 64
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dial.New(offline),
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 15 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: unlimitedIdle,
	}
	if jobs > 0 {
		t.MaxConnsPerHost, t.MaxIdleConnsPerHost = jobs, jobs
	}
	if set.MaxConns > 0 {
		t.MaxConnsPerHost = set.MaxConns
	}
	if set.MaxIdleConns > 0 {
		t.MaxIdleConnsPerHost = set.MaxIdleConns
	}
	if set.IdleTimeout > 0 {
		t.IdleConnTimeout = set.IdleTimeout
	}
	return t
}
