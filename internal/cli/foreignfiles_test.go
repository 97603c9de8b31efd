package cli_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foreignFiles are files of other programs that somebody may name by mistake, with what of them must not be shown.
var foreignFiles = map[string]struct{ text, secret string }{
	"id_rsa":         {pem("OPENSSH PRIVATE KEY"), keyLine},
	"server.pem":     {"Bag Attributes\n" + pem("RSA PRIVATE KEY"), keyLine},
	"key.yaml":       {"# the key of the server\n" + pem("PRIVATE KEY"), keyLine},
	"folded.yaml":    {"server:\n  key: |\n    " + strings.ReplaceAll(strings.TrimSpace(pem("EC PRIVATE KEY")), "\n", "\n    ") + "\n", keyLine},
	".env":           {"DB_HOST=localhost\nDB_PASS=hunter2hunter2\n", "hunter2hunter2"},
	"prod.env":       {"# production\nexport STRIPE=whsec_hunter2hunter2\n", "hunter2hunter2"},
	"variables.yaml": {"DB_HOST=localhost-hunter2\nDB_PASSWORD=hunter2hunter2\n", "hunter2"},
	"passwd":         {"root:x:0:0:hunter2hunter2:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/bin/sh\n", "hunter2hunter2"},
	"users.txt":      {"root:x:0:0:hunter2hunter2:/root:/bin/bash\n", "hunter2hunter2"},
	"account.json": {`{"type": "service_account", "private_key_id": "hunter2hunter2hunter2",
  "private_key": "` + strings.ReplaceAll(strings.TrimSpace(pem("PRIVATE KEY")), "\n", `\n`) + `"}` + "\n", "hunter2hunter2"},
	"account-key.json": {`{"private_key": "` + strings.ReplaceAll(pem("PRIVATE KEY"), "\n", `\n`) + `"}` + "\n", keyLine},
	"docker.json":      {`{"auths": {"https://index.docker.io": {"auth": "aHVudGVyMjpodW50ZXIy"}}}` + "\n", "aHVudGVyMjpo"},
	"kube.yaml":        {"users:\n- name: admin\n  user: {client-key-data: " + keyLine + ", token: hunter2hunter2}\n", "hunter2hunter2"},
	".netrc":           {"machine api.example.com login me password hunter2hunter2\n", "hunter2hunter2"},
	"netrc.txt":        {"machine api.example.com login me password hunter2hunter2\n", "hunter2hunter2"},
	"credentials":      {"[default]\naws_secret_access_key = hunter2hunter2\n", "hunter2hunter2"},
	"credentials.yaml": {"[default]\naws_session = hunter2hunter2\n", "hunter2hunter2"},
	"token":            {"hunter2hunter2\n", "hunter2hunter2"},
	"token.txt":        {"hunter2hunter2\n", "hunter2hunter2"},
	"token.yaml":       {"hunter2hunter2\n", "hunter2hunter2"},
	"list.yaml":        {"- token: hunter2hunter2\n- sk-hunter2hunter2\n", "hunter2hunter2"},
}

var keyLine = base64.StdEncoding.EncodeToString([]byte("all of this is the secret part of a key, 0123456789"))

// pem is a key as programs write it.
func pem(kind string) string {
	return fmt.Sprintf("-----BEGIN %s-----\n%s\n-----END %s-----\n", kind, keyLine, kind)
}

// TestForeignFilesShowNothing names files of other programs wherever files are named: no message shows what they hold,
// and each names the file.
func TestForeignFilesShowNothing(t *testing.T) {
	for name, file := range foreignFiles {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			const good = "id: good\nturns: [{role: user, content: hi, mock: ho, assertions: [{type: min_length, params: {min: 1}}]}]\n"
			write := func(name, text string) {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(name, file.text)
			write("good.yaml", good)
			commands := [][]string{
				{"validate", name}, {"validate", name, "--format", "json"}, {"validate", "-c", name}, {"run", name},
				{"run", "-c", name, "--lenient"}, {"run", "good.yaml", "--mock-config", name}, {"eval", name, "--assert", "good.yaml"},
				{"eval", "good.yaml", "--assert", name}, {"eval", name, "--pack", name}, {"report", name}, {"rejudge", name},
				{"generate", name}, {"mocks", "generate", "-i", name}, {"compare", name, name}, {"list", "scenarios", name},
				{"judge", "calibrate", name}, {"checks", "try", "json_schema", "--params", "@" + name}, {"prompt", name},
				{"run", "--resume", name}, {"run", "good.yaml", "--replay", name}, {"worker", "--pack", name, "--nats", "nats://127.0.0.1:1"},
			}
			for kind, place := range map[string]string{
				"scenario": "scenarios: [{file: %q}]", "provider": "providers: [{file: %q}]", "tool": "tools: [{file: %q}]",
				"prompt": "prompt_configs: [{id: p, file: %q}]", "pack": "pack_file: %q", "eval": "evals: [{file: %q}]",
				"skill": "skills: [{path: %q}]", "runtime": "runtime: {file: %q}",
				"mock": "provider_specs: {m: {type: mock, additional_config: {mock_config: %q}}}",
				"key":  "provider_specs: {m: {type: openai, model: m, credential: {credential_file: %q}}}",
			} {
				write(kind+".arena.yaml", fmt.Sprintf("kind: Arena\nspec:\n  scenarios: [{file: good.yaml}]\n  "+place+"\n", name))
				commands = append(commands, []string{"validate", "-c", kind + ".arena.yaml"},
					[]string{"run", "-c", kind + ".arena.yaml", "--lenient", "--events", "events.jsonl", "--retries", "0", "--offline"})
			}
			for _, words := range commands {
				for _, env := range []map[string]string{nil, {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"}} {
					_, out := arenaWith(t, env, words)
					for line := range strings.Lines(out) {
						if shows(line, file.secret) {
							t.Errorf("arena %s shows it: %s", strings.Join(words, " "), line)
						}
					}
				}
			}
			eachFile(t, func(path, text string) {
				if filepath.Base(path) != name && shows(text, file.secret) {
					t.Errorf("%s shows it", path)
				}
			})
		})
	}
}

// shows reports whether a text has as much as eight characters of a secret.
func shows(text, secret string) bool {
	const most = 7
	for i := 0; i+most < len(secret); i++ {
		if strings.Contains(text, secret[i:i+most+1]) {
			return true
		}
	}
	return len(secret) <= most && strings.Contains(text, secret)
}
