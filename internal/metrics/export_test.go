package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
		if got := res.Header.Get("Content-Type"); c.path == metrics.Path && c.status == http.StatusOK &&
			got != "text/plain; version=0.0.4; charset=utf-8" {
			t.Errorf("%s is %q", c.path, got)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil || res.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s %s: %d %v\n%s", c.method, c.path, res.StatusCode, err, body)
		}
	}
}
