package openai

import (
	"net/http"
	"time"

	"github.com/arena-evals/arena/internal/dial"
)

// newTransport makes the connections of one provider, shared by all its calls. There are never more of them than
// trials that run at once, and each stays open for the next call.
func newTransport(jobs int, offline bool) *http.Transport {
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
	return t
}
