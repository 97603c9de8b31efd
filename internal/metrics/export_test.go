package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/metrics"
	"github.com/arena-evals/arena/internal/result"
)

func started(t *testing.T) *metrics.Metrics {
	t.Helper()
	m, err := metrics.New(metrics.Options{Namespace: "arena"})
	if err != nil {
		t.Fatal(err)
	}
	m.Start(&result.Run{Planned: 3})
	return m
}

func TestHandler(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(started(t).Handler())
	defer server.Close()
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{http.MethodGet, metrics.Path, http.StatusOK, "arena_trials_planned 3\n"},
		{http.MethodGet, "/", http.StatusOK, "are at /metrics"},
		{http.MethodGet, "/x", http.StatusNotFound, ""},
		{http.MethodPost, metrics.Path, http.StatusMethodNotAllowed, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil || res.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s %s: %d %v\n%s", c.method, c.path, res.StatusCode, err, body)
		}
	}
}

func TestParseGateway(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		url, problem string
		labels       []string
	}{
		"http://gw:9091":              {url: "http://gw:9091", labels: []string{"job"}},
		"https://u:p@gw/prefix/":      {url: "https://gw/prefix", labels: []string{"job"}},
		"http://gw/metrics/job/n":     {url: "http://gw", labels: []string{"job"}},
		"http://gw/metrics/job/n/a/b": {url: "http://gw", labels: []string{"job", "a"}},
		"http://gw/metrics/job/n/a":   {problem: "any number of times"},
		"http://gw/metrics/job/":      {problem: "any number of times"},
		"gw:9091":                     {problem: "such as http://localhost:9091"},
		"ftp://gw":                    {problem: "such as"},
		"http://":                     {problem: "such as"},
		"http://gw?x=1":               {problem: "no ? and no #"},
		"http://gw:%41":               {problem: "such as"},
	} {
		g, err := metrics.ParseGateway(address)
		if want.problem != "" {
			if err == nil || !strings.Contains(err.Error(), want.problem) {
				t.Errorf("%s: %v, want %s", address, err, want.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if g.String() != want.url {
			t.Errorf("%s: %s, want %s", address, g, want.url)
		}
		if diff := cmp.Diff(want.labels, g.Labels()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got := strings.Join([]string{r.Method, r.URL.Path, user, password}, " ")
		if err != nil || got != "PUT /metrics/job/night/branch/main bob secret" ||
			!strings.Contains(string(body), "arena_trials_planned 3\n") {
			t.Errorf("%s %v\n%s", got, err, body)
		}
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable) // as while it starts
		}
	}))
	defer gateway.Close()
	address := strings.Replace(gateway.URL, "http://", "http://bob:secret@", 1) + "/metrics/job/night/branch/main"
	g, err := metrics.ParseGateway(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := started(t).Push(t.Context(), g, gateway.Client()); err != nil || requests.Load() != 2 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}

// TestPushFails: an error names the gateway, and none of its secrets.
func TestPushFails(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such tenant", http.StatusForbidden)
	}))
	defer refusing.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for address, says := range map[string]string{refusing.URL: "no such tenant", gone.URL: "connect"} {
		g, err := metrics.ParseGateway(strings.Replace(address, "http://", "http://bob:secret@", 1))
		if err != nil {
			t.Fatal(err)
		}
		err = started(t).Push(t.Context(), g, http.DefaultClient)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "push metrics to "+address) ||
			strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
}
