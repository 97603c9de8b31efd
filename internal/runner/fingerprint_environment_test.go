package runner_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// fillable are the keys of files that say of themselves that the environment stands in them, with what makes use of a
// variable there. The name of each variable is its number in the order of the keys.
var fillable = map[string]struct {
	part   string // of the project below
	text   string // %s is the variable
	secret bool   // what stands there is a key
}{
	"files: MCP server: command":        {"server", "command: 'tool-${%s}'", false},
	"files: MCP server: args":           {"server", "command: sh, args: ['${%s}']", false},
	"files: MCP server: env":            {"server", "command: sh, env: {MODE: '${%s}'}", false},
	"files: MCP server: url":            {"server", "url: 'http://h/${%s}'", false},
	"files: MCP server: headers":        {"server", "url: 'http://h/', headers: {X-Team: '${%s}'}", false},
	"files: source_args: env":           {"server", "source: docker, source_args: {image: i, env: {MODE: '${%s}'}}", false},
	"files: agent: url":                 {"agent", "url: 'http://h/${%s}'", false},
	"files: agent: headers":             {"agent", "url: 'http://h', headers: {X-Team: '${%s}'}", false},
	"files: agent: headers_from_env":    {"agent", "url: 'http://h', headers_from_env: [X-Team=%s]", false},
	"files: auth: token":                {"agent", "url: 'http://h', auth: {token: '${%s}'}", true},
	"files: auth: token_env":            {"agent", "url: 'http://h', auth: {token_env: %s}", true},
	"files: http: url":                  {"tool", "mode: live, http: {url: 'http://h/${%s}'}", false},
	"files: http: headers":              {"tool", "mode: live, http: {url: 'http://h', headers: {X-Team: '${%s}'}}", false},
	"files: http: headers_from_env":     {"tool", "mode: live, http: {url: 'http://h', headers_from_env: [X-Team=%s]}", false},
	"files: exec: env":                  {"tool", "mode: exec, exec: {command: sh, env: ['MODE=${%s}']}", false},
	"files: exec: env (by name)":        {"tool", "mode: exec, exec: {command: sh, env: [%s]}", false},
	"files: entry of evals: env":        {"eval", "env: ['MODE=${%s}']", false},
	"files: entry (by name)":            {"eval", "env: [%s]", false},
	"files: provider: base_url":         {"provider", "type: openai, model: m, base_url: 'http://h/${%s}'", false},
	"files: provider: headers":          {"provider", "type: openai, model: m, headers: {X-Team: '${%s}'}", false},
	"files: platform: endpoint":         {"provider", "type: openai, model: m, platform: {type: azure, endpoint: 'http://h/${%s}'}", false},
	"files: credential: api_key":        {"provider", "type: openai, model: m, credential: {api_key: '${%s}'}", true},
	"files: credential: credential_env": {"provider", "type: openai, model: m, credential: {credential_env: %s}", true},
	"checks: a2a_eval: agent_url":       {"check", "a2a_eval, params: {agent_url: 'http://h/${%s}', criteria: c}", false},
	"checks: a2a_eval: auth_token":      {"check", "a2a_eval, params: {agent_url: 'http://h', auth_token: '${%s}', criteria: c}", true},
	"checks: rest_eval: url":            {"check", "rest_eval, params: {url: 'http://h/${%s}'}", false},
	"checks: rest_eval: headers":        {"check", "rest_eval, params: {url: 'http://h', headers: {X-Team: '${%s}'}}", false},
	"checks: rest_eval: within not":     {"check", "not, params: {check: {type: rest_eval, params: {url: 'http://h/${%s}'}}}", false},

	"files: additional_config of command: env": {
		"provider", "type: command, additional_config: {command: [sh], env: ['MODE=${%s}']}", false,
	},
	"files: additional_config of http: url": {
		"provider", "type: http, additional_config: {url: 'http://h/${%s}', body: {m: '{{message}}'}}", false,
	},
	"files: additional_config of http: headers": {
		"provider",
		"type: http, additional_config: {url: 'http://h', headers: {X-Team: '${%s}'}, body: {m: '{{message}}'}}", false,
	},
	"files: additional_config of http: body": {
		"provider", "type: http, additional_config: {url: 'http://h', body: {t: '${%s}', m: '{{message}}'}}", false,
	},
	"files: scenario with run_command: env_overrides": {
		"program", "run_command: [sh], env_overrides: {MODE: '${%s}'}", false,
	},
	"files: additional_config of command: env (by name)": {
		"provider", "type: command, additional_config: {command: [sh], env: [%s]}", false,
	},
}

// printsIn is prints in an environment, with what surrounds the trials.
func printsIn(t *testing.T, config string, env map[string]string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.arena.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, diags := checks.Load(scenario.Options{Config: path, Getenv: func(name string) (string, bool) {
		value, set := env[name]
		return cmp.Or(value, map[string]string{"OPENAI_API_KEY": "k"}[name]), set || name == "OPENAI_API_KEY"
	}})
	if diags.Errors() > 0 {
		t.Fatalf("%v\n%s", diags.Sorted(), config)
	}
	clients := &harness.Clients{Jobs: 1}
	plan := runner.Make(suite, runner.PlanOptions{Jobs: 1, Open: clients.Open, Replayed: true}, diags)
	if diags.Errors() > 0 {
		t.Fatalf("%v\n%s", diags.Sorted(), config)
	}
	of := runner.NewFingerprints(&runner.Options{})
	out := map[string]string{}
	for t := range plan.All() {
		out[t.ID()] = of.Of(t) + runner.Surroundings(plan)
	}
	return out
}

// fillableProject is a project in which one thing makes use of a variable.
func fillableProject(part, text string) string {
	parts := map[string]string{"provider": "type: mock, model: m", "check": "contains, params: {patterns: [x]}"}
	parts[part] = text
	project := "kind: Arena\nmetadata: {name: p}\nspec:\n" +
		"  prompt_specs: {s: {id: s, task_type: s, system_template: Be kind.}}\n" +
		"  provider_specs: {m: {" + parts["provider"] + "}}\n" +
		"  scenario_specs: {a: {task_type: s, turns: [{role: user, content: hi, assertions: [{type: " + parts["check"] + "}]}]}}\n"
	for name, form := range map[string]string{
		"server": "  mcp_servers: [{name: x, %s}]\n",
		"agent":  "  a2a_agents: [{name: x, %s}]\n",
		"tool":   "  tool_specs: {t: {description: d, input_schema: {type: object}, %s}}\n",
		"eval":   "  runtime: {evals: {own: {command: sh, %s}}}\n",
	} {
		if parts[name] != "" {
			project += fmt.Sprintf(form, parts[name])
		}
	}
	if parts["program"] != "" {
		project += "---\n{id: own, input: x, checks: [{type: output_contains, params: {value: x}}], " +
			parts["program"] + "}\n"
	}
	return project
}

// TestEveryVariableDecides: a trial whose tools, programs, servers, agents or checks would be given something else is
// another trial, wherever the variable stands. What stands in the place of a key, or has the name of one, is none.
func TestEveryVariableDecides(t *testing.T) {
	t.Parallel()
	for key, c := range fillable {
		for name, secret := range map[string]bool{"MODE_OF": c.secret, "MY_TOKEN": true} {
			if strings.HasPrefix(key, "files: provider") || strings.Contains(key, "platform") ||
				strings.HasSuffix(key, "http: url") && c.part == "provider" ||
				strings.HasSuffix(key, "http: headers") && c.part == "provider" {
				secret = c.secret // the whole address or header counts, without the keys in it
			}
			config := fillableProject(c.part, fmt.Sprintf(c.text, name))
			of := func(value string) map[string]string { return printsIn(t, config, map[string]string{name: value}) }
			was := of("good")
			if maps.Equal(was, of("bad")) != secret {
				t.Errorf("%s: %s: another value counts: %v, want %v", key, name, secret, !secret)
			}
			if !maps.Equal(was, of("good")) {
				t.Errorf("%s: the fingerprint is not the same twice", key)
			}
		}
	}
}

// TestEveryFillableKey: every key that speaks of the environment is among those that the test above tries.
func TestEveryFillableKey(t *testing.T) {
	t.Parallel()
	speaks := regexp.MustCompile(`\$\{|VARIABLE|[Vv]ariable that holds|pass on`)
	row := regexp.MustCompile("^\\| `(\\w+)` \\|")
	var tried, found []string
	for key := range fillable {
		if !strings.Contains(key, "(") && !strings.Contains(key, "within") {
			tried = append(tried, key)
		}
	}
	docs := filepath.Join("..", "..", "docs")
	pages, err := filepath.Glob(filepath.Join(docs, "files", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join(docs, "checks.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := "files"
		if filepath.Base(page) == "checks.md" {
			name = "checks"
		}
		heading := ""
		for line := range strings.Lines(string(text)) {
			if level, title, ok := strings.Cut(line, " "); ok && strings.Trim(level, "#") == "" {
				heading = strings.TrimSpace(strings.ReplaceAll(title, "\\", ""))
			}
			if m := row.FindStringSubmatch(line); m != nil && speaks.MatchString(line) {
				found = append(found, name+": "+heading+": "+m[1])
			}
		}
	}
	slices.Sort(tried)
	slices.Sort(found)
	found = slices.Compact(found) // what several kinds of files have stands on several pages
	if diff := gocmp.Diff(tried, found); diff != "" {
		t.Errorf("keys in which the environment may stand (-tried +documented):\n%s", diff)
	}
}

// TestEveryFiller: what puts variables into texts, or asks for one, is known: a new place belongs into the fingerprint,
// and into the documentation of its key.
func TestEveryFiller(t *testing.T) {
	t.Parallel()
	known := map[string]string{
		"checks/external_a2a_eval.go": "a2a_eval", "checks/external_address.go": "a2a_eval, rest_eval",
		"checks/external_exec_eval.go": "evals", "checks/external_rest_eval.go": "rest_eval",
		"harness/secrets.go": "knows what is secret", "harness/commandline.go": "knows what is secret",
		"runner/fingerprint_environment.go": "the fingerprint",
		"runner/servers.go":                 "servers", "preflight/servers.go": "tells what is not set",
		"preflight/tools.go": "tells what is not set",
		"scenario/agent.go":  "agents", "scenario/env.go": "providers, tools, agents", "scenario/provider.go": "providers", "scenario/server.go": "servers",
		"scenario/providerhttp.go": "agents behind HTTP",
		"scenario/setting.go":      "providers", "scenario/toolhttp.go": "tools", "tools/exec/exec.go": "tools",
		"providers/command/command.go": "programs of agents",
		"tools/mcp/open.go":            "servers", "tools/mcp/http.go": "servers", "runner/fingerprint.go": "the fingerprint",
	}
	fills := regexp.MustCompile(`[^a-zA-Z]Expand\(|\b[ds]\.expand\(`)
	root := filepath.Join("..")
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if fills.Match(text) && known[filepath.ToSlash(name)] == "" {
			t.Errorf("%s puts variables of the environment into texts, and no fingerprint is known to count them", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProviderElsewhere: where a provider is that its file does not place, the environment says, and that decides.
func TestProviderElsewhere(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		scenario.AzureEndpointVar:  "type: openai, model: m, platform: {type: azure}",
		scenario.GoogleProjectVar:  "type: gemini, model: m, platform: {type: vertex, region: global}",
		scenario.AWSRegionVar:      "type: anthropic, model: m, platform: {type: bedrock}",
		scenario.AWSOtherRegionVar: "type: anthropic, model: m, platform: {type: bedrock}",
	} {
		config := fillableProject("provider", text+", credential: {api_key: k}")
		of := func(value string) map[string]string {
			return printsIn(t, config, map[string]string{name: "http://" + value, "AWS_BEARER_TOKEN_BEDROCK": "k"})
		}
		if maps.Equal(of("a"), of("b")) {
			t.Errorf("%s decides nothing", name)
		}
	}
}
