package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/cli"
)

// wrongSettings is a value for each setting that its command refuses. A switch, a number and a time are given text.
var wrongSettings = map[string]string{
	"baseline": "nowhere.json", "cache": " ", "color": "red", "config": "nowhere.yaml", "dispatch": "ftp://x", "durable": "a b", "events": " ",
	"fail-on": "skip", "format": "xml", "html-file": "there", "junit-file": "there",
	"junit-granularity": "word", "listen": "a..b", "markdown-file": "there", "metrics-by": "color", "metrics-file": "there",
	"metrics-label": "x", "metrics-listen": "nowhere", "metrics-namespace": "9 x", "metrics-push": "x", "nats": "ftp://x",
	"nats-ca": "nowhere.pem", "nats-cert": "nowhere.pem", "nats-creds": "nowhere.creds", "nats-key": "nowhere.pem",
	"on-failure": "halt", "otlp-endpoint": "x", "out": "there/file/out", "output": " ", "prompt": "nowhere",
	"record": "there/file", "redact": "x", "region": " ", "replay-speed": "slow", "stream": "a b",
	"workers": "ftp://x",
}

// besideSettings are what a command is given besides, so that it comes to look at a setting.
var besideSettings = map[string]map[string]string{
	"metrics-by": {"METRICS_FILE": "m.prom"}, "metrics-namespace": {"METRICS_FILE": "m.prom"},
	"prompt": {"LISTEN": "arena.sessions"}, "max-sessions": {"LISTEN": "arena.sessions"},
	"workers-timeout": {"WORKERS": "nats://127.0.0.1:1"},
	"nats-cert":       {"DISPATCH": "nats://127.0.0.1:1", "NATS_KEY": "there/file"},
	"nats-key":        {"DISPATCH": "nats://127.0.0.1:1", "NATS_CERT": "there/file"},
}

// TestSettingsAreBlamed: what is wrong with a setting is said of the variable, or of the line of .arena.yaml, and of
// no flag that nobody typed.
func TestSettingsAreBlamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"there/file": "kept", "talk.yaml": "id: talk\nturns:\n  - role: user\n    content: hi\n    mock: {response: hi}\n    assertions: [{type: contains, params: {patterns: [hi]}}]\n",
		"shop.pack.json": `{"id": "shop", "name": "Shop", "version": "1.0.0", "template_engine": {"version": "v1", "syntax": "{{variable}}"},
 "prompts": {"talk": {"id": "talk", "name": "Talk", "version": "1.0.0", "system_template": "Be kind."}},
 "evals": [{"id": "kind", "type": "contains", "trigger": "every_turn", "params": {"patterns": ["key"]}}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	given := map[string][]string{
		"run":    {"run", "talk.yaml", "--provider", "mock"},
		"worker": {"worker", "--pack", "shop.pack.json"},
	}
	root := cli.Commands(&cli.App{})
	flags := map[string]*pflag.Flag{}
	owner := map[string]string{}
	for _, c := range root.Commands() {
		if given[c.Name()] == nil {
			continue
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if owner[f.Name] != "run" {
				flags[f.Name], owner[f.Name] = f, c.Name()
			}
		})
	}
	for _, name := range cli.Settable() {
		f := flags[name]
		if f == nil {
			t.Errorf("no command is tried with %s", name)
			continue
		}
		value := wrongSettings[name]
		if value == "" {
			if f.Value.Type() == "string" || strings.HasSuffix(f.Value.Type(), "Slice") {
				t.Errorf("%s has no wrong value", name)
			}
			value = "x"
		}
		variable := "ARENA_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		for _, source := range []string{"variable", "file"} {
			env, want := map[string]string{}, variable
			if owner[name] == "worker" && name != "nats" {
				env["ARENA_NATS"] = "nats://127.0.0.1:1"
			}
			for k, v := range besideSettings[name] {
				env["ARENA_"+k] = v
			}
			settings := "# nothing\n{}\n"
			if source == "variable" {
				env[variable] = value
			} else {
				settings, want = "# a line before\n"+name+": \""+value+"\"\n", ".arena.yaml:2:"
			}
			if err := os.WriteFile(".arena.yaml", []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			code, said := arenaWith(t, env, given[owner[name]])
			if code == 0 || !strings.Contains(said, want) || strings.Contains(said, "--"+name+" ") || strings.Contains(said, "--"+name+":") {
				t.Errorf("%s in the %s: status %d, want %s and no --%s in\n%s", name, source, code, want, name, said)
			}
		}
	}
}
