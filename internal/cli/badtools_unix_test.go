//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/result"
)

// badTool is a tool that misbehaves: a program, a server or an endpoint in the files of a project.
type badTool struct {
	name string
	kind string // exec, server, mcp, live, a2a
	does string // a script of the shell, a kind of mcp-probe, or a path of the server
	want string // in the error of its call, or of the trial; "": the call succeeds
}

// called is the name under which the tool is called.
func (b badTool) called() string {
	switch b.kind {
	case "mcp":
		return "mcp__" + b.name + "__echo"
	case "a2a":
		return "a2a__" + strings.ReplaceAll(b.name, "-", "_") + "__find"
	}
	return b.name
}

// answersCalls begins a program that answers one call after another.
const answersCalls = `while IFS= read -r line; do id=${line##*\"id\":}; id=${id%%\}*}; `

var badTools = []badTool{
	{"fails", "exec", `echo half; echo no database >&2; exit 3`, "exit status 3; stderr: no database"},
	{"silent", "exec", `:`, "it printed nothing"},
	{"banner", "exec", `echo Welcome; echo '{"result": 1}'`, "its output is not one JSON value"},
	{"half-json", "exec", `printf '{"result": "fi'`, "unexpected EOF"},
	{"not-utf8", "exec", `printf '"\377\376"'`, "its output is not valid UTF-8"},
	{"gigabyte", "exec", `yes | tr -d '\n' | head -c 1000000000`, "it wrote more than 10 MB"},
	{"pending", "exec", `echo '{"pending": {}}'`, "it says that the call is pending"},
	{"killed", "exec", `kill -KILL $$`, "signal: killed"},
	{"twice", "exec", `echo '{"error": "boom", "error": null}'`, `the key "error" twice`},

	{"dies", "server", `read -r line; echo gone mad >&2; exit 7`, "it ended before it answered: exit status 7; stderr: gone mad"},
	{"ends", "server", `read -r line`, "it ended before it answered"},
	{"babbles", "server", `yes not json`, `it wrote more than 100 lines that are no JSON-RPC, the first of them "not json"`},
	{"endless-line", "server", `read -r line; yes | tr -d '\n' | head -c 1000000000`, "it wrote a line of more than 10 MB"},
	{"half-line", "server", answersCalls + `printf '{"id":'$id',"resu'; exit 0; done`, "it ended before it answered"},
	{"bad-bytes", "server", answersCalls + `printf '{"id":%s,"result":"a\377b"}\n' $id; done`, "the answer is not valid UTF-8"},
	{"neither", "server", answersCalls + `echo '{"id":'$id'}'; done`, "neither result nor error"},

	{"mcp-exits", "mcp", "exits", "it ended: exit status 3; stderr: no licence"},
	{"mcp-garbage", "mcp", "garbage", `it wrote more than 1000 lines that are no messages, the last of them "garbage"`},
	{"mcp-long", "mcp", "long", "it wrote a line of more than 10 MB"},
	{"mcp-version", "mcp", "another version", `unsupported protocol version: "1999-01-01"`},
	{"mcp-two", "mcp", "two of a name", `two of its tools are called "echo"`},
	{"mcp-nameless", "mcp", "nameless", "one of its tools has no name"},
	{"mcp-endless", "mcp", "endless", "its list of tools has no end"},
	{"mcp-half", "mcp", "half a line", "it ended without an error"},
	{"mcp-closes", "mcp", "closes its input", "it closed its input"},
	{"mcp-invalid", "mcp", "invalid", "its answer is not valid UTF-8"},
	{"mcp-shape", "mcp", "wrong shape", "content has a value of another type"},
	{"mcp-null", "mcp", "a null", "its answer has the result null"},
	{"mcp-unknown", "mcp", "unknown content", `unrecognized content type "hologram"`},
	{"mcp-refuses", "mcp", "refuses", "text is too long"},

	{"no-content", "live", "/204", ""},
	{"page", "live", "/html", `it answers with an HTML page in place of data: "<html>Please log in</html>"`},
	{"wrong-type", "live", "/type", `the reply is not UTF-8, and its Content-Type ("image/png") names no other character set`},
	{"large", "live", "/12MB", "the reply is larger than 10 MB"},
	{"broken-off", "live", "/half", "the reply broke off"},
	{"to-metadata", "live", "/private", `it redirects to another host, "169.254.169.254", which is not followed`},
	{"circle", "live", "/circle", "it redirects more than 5 times"},
	{"refused", "live", "/500", "status 500 Internal Server Error"},
	{"gone", "live", "http://127.0.0.1:1/", "connection refused"},
	{"unfilled", "live", "/{{.order}}", "the call lacks an argument that stands in it"},

	{"a2a-page", "a2a", "/html", "was not answered with JSON-RPC"},
	{"a2a-nothing", "a2a", "/204", "status 204 No Content"},
	{"a2a-large", "a2a", "/12MB", "the reply is larger than 10 MB"},
	{"a2a-private", "a2a", "/private", "which is not followed"},
	{"a2a-nobody", "a2a", "http://127.0.0.1:1/", "connection refused"},
}

// misbehave is the server of the endpoints and agents.
func misbehave(w http.ResponseWriter, r *http.Request) {
	say := func(status int, kind, body string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have left
	}
	agent, does := "", r.URL.Path
	if rest, found := strings.CutPrefix(r.URL.Path, "/agent/"); found {
		agent, does, _ = strings.Cut(rest, "/")
		does = "/" + does
	}
	switch does {
	case "/.well-known/agent-card.json":
		url := "http://" + r.Host + "/agent/" + agent
		for _, tool := range badTools {
			if tool.name == agent && strings.HasPrefix(tool.does, "/") {
				url += tool.does
			} else if tool.name == agent {
				url = tool.does
			}
		}
		say(200, "application/json", fmt.Sprintf(`{"name": %q, "url": %q, "skills": [{"id": "find", "name": "Find"}]}`, agent, url))
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	case "/html":
		say(200, "text/html", "<html>Please log in</html>")
	case "/type":
		say(200, "image/png", "\x89PNG\r\n\x1a\n")
	case "/12MB":
		say(200, "application/json", `"`+strings.Repeat("x", 12<<20)+`"`)
	case "/half":
		w.Header().Set("Content-Length", "100")
		say(200, "application/json", `{"half"`)
	case "/private":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
	case "/circle":
		http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
	default:
		say(500, "text/plain", "oops")
	}
}

// badProject calls each bad tool in three scenarios. The first fails when the call fails, the second checks only the
// reply, and the third only the call. The tool is offered in these scenarios only.
func badProject(address string) string {
	var tools, servers, agents, prompts, scenarios strings.Builder
	for _, bad := range badTools {
		name := bad.called()
		switch bad.kind {
		case "exec", "server":
			fmt.Fprintf(&tools, "    %s: {description: D, mode: exec, input_schema: {type: object}, "+
				"exec: {command: /bin/sh, args: [-c, %q], runtime: %s}}\n", name, bad.does, bad.kind)
		case "live":
			url := bad.does
			if strings.HasPrefix(url, "/") {
				url = address + url
			}
			fmt.Fprintf(&tools, "    %s: {description: D, mode: live, input_schema: {type: object}, "+
				"http: {url: %q, method: POST}}\n", name, url)
		case "mcp":
			fmt.Fprintf(&servers, "    - {name: %s, command: mcp-probe, args: [%q]}\n", bad.name, bad.does)
		case "a2a":
			fmt.Fprintf(&agents, "    - {name: %s, url: %q}\n", bad.name, address+"/agent/"+bad.name)
		}
		fmt.Fprintf(&prompts, "    %s: {task_type: %s, system_template: Help., allowed_tools: [%s]}\n", bad.name, bad.name, name)
		for suffix, check := range map[string]string{
			"": "{type: no_tool_errors}", "-said": "{type: contains, params: {patterns: [Done]}}",
			"-called": "{type: tools_called, params: {tool_names: [" + name + "]}}",
		} {
			fmt.Fprintf(&scenarios, "    %s%s: {task_type: %s, turns: [{role: user, content: Go, mock: [{tool_calls: [{name: %s, "+
				"arguments: {query: x}}]}, Done], assertions: [%s]}]}\n", bad.name, suffix, bad.name, name, check)
		}
	}
	return "kind: Arena\nmetadata: {name: bad}\nspec:\n  providers: []\n  provider_specs: {canned: {type: mock, model: m}}\n" +
		"  prompt_specs:\n" + prompts.String() + "  tool_specs:\n" + tools.String() + "  mcp_servers:\n" + servers.String() +
		"  a2a_agents:\n" + agents.String() + "  scenario_specs:\n" + scenarios.String()
}

// TestBadToolsAreTold: whatever a tool does wrong, its result or the error of the trial names the cause. A scenario
// that needs the tool is not green, and one that passes without it says so. No tool harms other trials.
func TestBadToolsAreTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(misbehave))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	writeProject(t, dir, badProject(server.URL))
	code, out := arena(t, "run", dir, "-o", filepath.Join(dir, "out"), "-j", "8", "-q")
	f, err := os.Open(filepath.Join(dir, "out", "results.json"))
	if err != nil || code != 1 {
		t.Fatalf("%d: %s", code, out)
	}
	defer f.Close()
	run, err := jsonout.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	trials := map[string]*result.Trial{}
	for i := range run.Briefs.Len() {
		trial, err := run.Trials.Trial(i)
		if err != nil {
			t.Fatal(err)
		}
		trials[trial.Scenario] = trial
	}
	for _, bad := range badTools {
		worked := bad.want == ""
		for suffix, good := range map[string]bool{"": worked, "-said": true, "-called": worked} {
			trial := trials[bad.name+suffix]
			told := trial.Error
			for _, turn := range trial.Turns {
				for _, call := range turn.ToolCalls {
					told += call.Error
				}
			}
			if !strings.Contains(told, bad.want) {
				t.Errorf("%s%s: told %q, want %q", bad.name, suffix, told, bad.want)
			}
			if passed := trial.Status == result.Passed; passed != good && (trial.Error == "" || passed) {
				t.Errorf("%s%s is %s: %s", bad.name, suffix, trial.Status, told)
			}
		}
		warned := slices.ContainsFunc(run.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "the tool "+bad.called()+" failed in ") && strings.Contains(w, bad.want)
		})
		if silent := worked || trials[bad.name].Error != ""; warned == silent {
			t.Errorf("%s: warned %v, error %q", bad.name, warned, trials[bad.name].Error)
		}
	}
}
