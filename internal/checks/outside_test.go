package checks

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// leadingTo is a host on which every address leads to one server.
func leadingTo(t *testing.T, server *httptest.Server, env map[string]string) *Host {
	t.Helper()
	var dialer net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is for another name
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &Host{HTTP: &http.Client{Transport: transport}, Getenv: lookup(env)}
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
}

// contentHost is a host without a network on which every endpoint and every agent is content.
var contentHost = &Host{HTTP: &http.Client{Transport: content{}}, Getenv: lookup(nil)}

type content struct{}

func (content) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	text := `{"score": 1, "reasoning": "fine"}`
	if bytes.Contains(sent, []byte(`"jsonrpc"`)) {
		text = `{"result": {"parts": [{"text": ` + strconv.Quote(text) + `}]}}`
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r}, err
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
