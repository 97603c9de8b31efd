package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// redirecting is who sends every client on to a stranger: all that arena calls over HTTP, by what is in its URL.
const redirecting = `
kind: Arena
metadata: {name: shop}
spec:
  provider_specs:
    agent: {type: openai-compatible, model: m, base_url: "FRONT/agent", headers: {X-Token: s3cret}}
    local: {type: mock}
    vectors: {type: openai-compatible, model: e, base_url: "FRONT/vectors", role: embedding}
  judges: [{name: strict, provider: agent}]
  scenario_specs:
    model:
      providers: [agent]
      turns: [{role: user, content: Hi}]
    judge:
      providers: [local]
      turns: [{role: user, content: Hi, mock: [Hi], assertions: [{type: llm_judge, params: {criteria: kind}}]}]
    rest:
      providers: [local]
      turns:
        - role: user
          content: Hi
          mock: [Hi]
          assertions: [{type: rest_eval, params: {url: "FRONT/rest", headers: {X-Token: s3cret}}}]
    a2a:
      providers: [local]
      turns:
        - role: user
          content: Hi
          mock: [Hi]
          assertions: [{type: a2a_eval, params: {agent_url: "FRONT/a2a"}}]
    embedding:
      providers: [local]
      turns: [{role: user, content: Hi, mock: [Hi], assertions: [{type: cosine_similarity, params: {reference: Hi}}]}]
  defaults: {}
`

// TestNoClientFollowsAStranger: whatever a redirect says, nothing reaches the host that it names.
func TestNoClientFollowsAStranger(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, args := range map[string]string{
			"model": "--scenario model", "judge": "--scenario judge", "rest": "--scenario rest", "a2a": "--scenario a2a",
			"embedding": "--scenario embedding", "push": "--scenario rest --metrics-push http://bob:s3cret@FRONT/push",
			"traces": "--scenario rest --otlp-endpoint FRONT/otlp",
		} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				t.Parallel()
				noStranger(t, status, args)
			})
		}
	}
}

func noStranger(t *testing.T, status int, args string) {
	t.Helper()
	var asked, stolen atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Add(1)
		body, _ := io.ReadAll(r.Body)
		t.Errorf("the stranger got %s %s\n%v\n%.200s", r.Method, r.URL, r.Header, body)
	}))
	defer stranger.Close()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, stranger.URL+"/elsewhere", status)
	}))
	defer front.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.arena.yaml")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(redirecting, "FRONT", front.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	args = strings.ReplaceAll(args, "@FRONT", "@"+strings.TrimPrefix(front.URL, "http://"))
	args = strings.ReplaceAll(args, "FRONT", front.URL)
	code, out := arena(t, append(
		[]string{"run", config, "-o", filepath.Join(dir, "out"), "--retries", "0"}, strings.Fields(args)...)...)
	if code == 0 || asked.Load() == 0 || stolen.Load() > 0 {
		t.Errorf("exit status %d, %d asked, %d stolen\n%s", code, asked.Load(), stolen.Load(), out)
	}
	if strings.Contains(out, "s3cret") {
		t.Errorf("the secret is shown:\n%s", out)
	}
}

// TestMetricsStayOnThisMachine: where no host is named, nobody else is served.
func TestMetricsStayOnThisMachine(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.arena.yaml")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(redirecting, "FRONT", "http://127.0.0.1:1")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out := arena(t, "run", config, "--scenario", "model", "--mock-provider", "-o",
		filepath.Join(filepath.Dir(config), "out"), "--metrics-listen", ":0", "--metrics-linger", "1ns")
	if !strings.Contains(out, "serving the metrics on 127.0.0.1:") {
		t.Errorf("%s", out)
	}
}
