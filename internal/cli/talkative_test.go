package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdTalkative serves a model that sends back, unasked and behind each reply, the credentials of the request. Its
// address is in $TALKATIVE.
func cmdTalkative(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: talkative")
	}
	const reply = `{"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"+
			"HTTP/1.1 200 OK said %s\r\n\r\n", len(reply), reply, r.Header.Get("Authorization")) // arena may have left
	}))
	ts.Defer(server.Close)
	ts.Setenv("TALKATIVE", server.URL)
}
