package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/cli"
)

const slowToolProject = `kind: Arena
metadata: {name: slow}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  tools: [{file: tool.yaml}]
  provider_specs: {canned: {type: mock, model: m}}
  providers: []
-- prompt.yaml --
task_type: support
system_template: Help.
allowed_tools: [look]
-- tool.yaml --
name: look
description: Looks
mode: live
input_schema: {type: object}
http: {url: "SERVER/look", method: GET}
-- talk.yaml --
id: talk
task_type: support
turns:
  - role: user
    content: Look
    mock: [{tool_calls: [{name: look}]}, Done]
    assertions: [{type: tools_called, params: {tool_names: [look]}}]
`

// BenchmarkSlowTools runs 500 trials, 50 at once, with a tool that takes 20 ms. The figure x-ideal is the time of the
// run as a multiple of what the tool alone takes: it is to be 1.2 at most.
func BenchmarkSlowTools(b *testing.B) {
	const trials, jobs, takes = 500, 50, 20 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-time.After(takes)
		_, _ = io.WriteString(w, `{"seen": true}`) // a client that left is its own business
	}))
	b.Cleanup(server.Close)
	b.Chdir(b.TempDir())
	writeProject(b, ".", strings.ReplaceAll(slowToolProject, "SERVER", server.URL))
	var spent time.Duration
	for b.Loop() {
		var out bytes.Buffer
		began := time.Now()
		code := cli.Main(&cli.App{
			Args: []string{"run", "--trials", "500", "-j", "50", "--format", "json", "-q"}, Out: &out, Err: &out,
			Env: map[string]string{}, Now: time.Now, Width: func() int { return 120 }, Exit: func(int) {},
			Interrupts: func() (<-chan os.Signal, func()) { return nil, func() {} },
		})
		if spent += time.Since(began); code != 0 {
			b.Fatalf("%d: %s", code, out.String())
		}
	}
	b.ReportMetric(float64(spent)/float64(b.N)/float64(trials/jobs*takes), "x-ideal")
}
