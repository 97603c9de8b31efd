package cli_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/hang"
)

// gateway is a Pushgateway that keeps what was pushed last.
type gateway struct {
	server *httptest.Server

	mu       sync.Mutex
	requests []string // method and path
	body     []byte   // of the last
	closed   int      // requests after which it refuses all others; 0: never
}

type gatewayKey struct{}

// cmdGateway is the command gateway of scripts:
//
//	gateway serve             starts it and sets GATEWAY to its address
//	gateway serve 1           the same, and it refuses everything after the first request
//	gateway log requests.txt  writes method and path of all requests
//	gateway body pushed.prom  writes what was pushed last
func cmdGateway(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || args[0] != "serve" && len(args) != 2 {
		ts.Fatalf("usage: gateway serve [requests] | log file | body file")
	}
	if args[0] == "serve" {
		g := &gateway{}
		if len(args) == 2 {
			_, err := fmt.Sscan(args[1], &g.closed)
			ts.Check(err)
		}
		g.server = httptest.NewServer(g)
		ts.Defer(g.server.Close)
		ts.Setenv("GATEWAY", g.server.URL)
		*ts.Value(gatewayKey{}).(**gateway) = g
		return
	}
	g := *ts.Value(gatewayKey{}).(**gateway)
	g.mu.Lock()
	defer g.mu.Unlock()
	text := g.body
	if args[0] == "log" {
		text = nil
		for _, r := range g.requests {
			text = append(text, r+"\n"...)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o600))
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, r.Method+" "+r.URL.Path)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case g.closed > 0 && len(g.requests) > g.closed:
		http.Error(w, "the disk is full", http.StatusInternalServerError)
	default:
		g.body = body
	}
}

// cmdAddress sets a variable to an address of this machine at which nobody listens, or with `held` somebody does:
//
//	address METRICS
//	address METRICS held
func cmdAddress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: address variable [held]")
	}
	ln := listenLow(ts)
	ts.Setenv(args[0], ln.Addr().String())
	if len(args) == 2 {
		ts.Defer(func() { _ = ln.Close() })
		return
	}
	ts.Check(ln.Close())
}

// lowPort is where listenLow has come to. Processes begin at different ports.
var lowPort = func() *atomic.Int64 {
	var n atomic.Int64
	n.Store(int64(os.Getpid()) * 37)
	return &n
}()

// listenLow listens on a port below those that the system gives to whoever asks for any: nobody else gets it once it is
// free again.
func listenLow(ts *testscript.TestScript) net.Listener {
	for range 1000 {
		port := 20_000 + lowPort.Add(1)%10_000
		if ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return ln
		}
	}
	ts.Fatalf("no port is free")
	return nil
}

// cmdScrape writes what an address serves to a file, and goes on asking until it is served with all of these lines:
//
//	scrape http://$METRICS/metrics got.prom 'arena_trials_running 1'
func cmdScrape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: scrape url file line...")
	}
	for until := time.Now().Add(hang.Guard); ; {
		body, err := get(args[0])
		lines := strings.Split(body, "\n")
		if !slices.ContainsFunc(args[2:], func(line string) bool { return !slices.Contains(lines, line) }) {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(body), 0o600))
			return
		}
		if time.Now().After(until) {
			ts.Fatalf("not all of %q in\n%s%v", args[2:], body, err)
		}
	}
}

func get(url string) (string, error) {
	res, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }() // was only read
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	return string(body), err
}
