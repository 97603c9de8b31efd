package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
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

const slowServerProject = `kind: Arena
metadata: {name: slow}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  mcp_servers: [{name: probe, command: mcp-probe, args: [good]}]
  provider_specs: {canned: {type: mock, model: m}}
  providers: []
-- prompt.yaml --
task_type: support
system_template: Help.
allowed_tools: [mcp__probe__slow]
-- talk.yaml --
id: talk
task_type: support
turns:
  - role: user
    content: Look
    mock: [{tool_calls: [{name: mcp__probe__slow, arguments: {text: x}}]}, Done]
    assertions: [{type: tools_called, params: {tool_names: [mcp__probe__slow]}}]
`

// BenchmarkSlowTools runs 500 trials, 50 at once, with a tool that takes 20 ms: an endpoint in this process, and an MCP
// server in another process. x-ideal is the time of the run divided by the time that the tool alone takes. It is to be
// 1.2 at most where the machine has cores for bursts of 50 calls, here and in the server. start-ms is the time of a run
// of one trial without its tool. BenchmarkSlowLibrary of internal/tools/mcp measures the library alone.
func BenchmarkSlowTools(b *testing.B) {
	const trials, jobs, takes = 500, 50, 20 * time.Millisecond
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-time.After(takes)
		_, _ = io.WriteString(w, `{"seen": true}`) // the client may have left
	}))
	b.Cleanup(slow.Close)
	for name, project := range map[string]string{
		"endpoint": strings.ReplaceAll(slowToolProject, "SERVER", slow.URL), "server": slowServerProject,
	} {
		b.Run(name, func(b *testing.B) {
			b.Chdir(b.TempDir())
			writeProject(b, ".", project)
			run := func(trials int) time.Duration {
				began := time.Now()
				code, out := arena(b, "run", "--trials", strconv.Itoa(trials), "-j", strconv.Itoa(jobs), "--format", "json", "-q")
				if code != 0 {
					b.Fatalf("%d: %s", code, out)
				}
				return time.Since(began)
			}
			var spent, start time.Duration
			for b.Loop() {
				spent += run(trials)
				start += run(1) - takes
			}
			b.ReportMetric(float64(spent)/float64(b.N)/float64(trials/jobs*takes), "x-ideal")
			b.ReportMetric(float64(start.Milliseconds())/float64(b.N), "start-ms")
		})
	}
}

const movingProject = `kind: Arena
metadata: {name: moving}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  tools: [{file: tool.yaml}]
  provider_specs: {canned: {type: mock, model: m}}
  providers: []
WORKFLOW
-- prompt.yaml --
task_type: support
system_template: Help.
allowed_tools: [look]
-- tool.yaml --
name: look
description: Looks
input_schema: {type: object, properties: {event: {type: string}, context: {type: string}}}
mock_result: {status: transition_scheduled, event: There, target_state: desk}
-- talk.yaml --
id: talk
task_type: support
turns:
  - {role: user, content: One, mock: [{tool_calls: [{name: TOOL, arguments: {event: There, context: x}}]}, Done]}
  - {role: user, content: Two, mock: [{tool_calls: [{name: TOOL, arguments: {event: Back, context: x}}]}, Done]}
  - {role: user, content: Three, mock: [{tool_calls: [{name: TOOL, arguments: {event: There, context: x}}]}, Done]}
`

const movingStates = `  workflow:
    version: 1
    entry: intake
    states:
      intake: {prompt_task: support, on_event: {There: desk}, max_visits: 9, on_max_visits: desk}
      desk: {prompt_task: support, on_event: {Back: intake}}`

// BenchmarkTransitions runs 2,000 trials of three turns. Each trial calls a tool of the project, and then
// workflow__transition. x-plain is the time with transitions divided by the time without. It is to be 1.3 at most.
func BenchmarkTransitions(b *testing.B) {
	b.Chdir(b.TempDir())
	project := func(dir, tool, states string) {
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		writeProject(b, dir, strings.NewReplacer("TOOL", tool, "WORKFLOW", states).Replace(movingProject))
	}
	project("plain", "look", "")
	project("moving", "workflow__transition", movingStates)
	spent := map[string]time.Duration{}
	for b.Loop() {
		for _, dir := range []string{"plain", "moving"} {
			began := time.Now()
			code, out := arena(b, "run", dir, "--trials", "2000", "-o", dir+"/out", "--format", "json", "-q")
			if spent[dir] += time.Since(began); code != 0 {
				b.Fatalf("%d: %s", code, out)
			}
		}
	}
	b.ReportMetric(float64(spent["moving"])/float64(spent["plain"]), "x-plain")
}
