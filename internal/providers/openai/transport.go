package openai

import (
	"net"
	"net/http"
	"time"
)

// newTransport makes the connections of one provider, shared by all its calls. There are never more of them than
// trials that run at once, and each stays open for the next call.
func newTransport(jobs int) *http.Transport {
	const unlimitedIdle = 64
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
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
