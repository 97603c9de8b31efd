//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramPlaysAUser has a program of lines play the user: it is told the same as a model, and nothing of the agent.
func TestProgramPlaysAUser(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	const program = `n=0; while read -r line; do case "$line" in *'"type":"end"'*) exit 0;; esac; n=$((n+1)); ` +
		`printf '%s\n' "$line" >> "$0"; printf '{"type":"reply","text":"Message %s of the user."}\n' "$n"; done`
	script := filepath.Join(t.TempDir(), "user.sh")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(program, "$0", log)), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := selfPlayProject(t, `{type: command, model: m, additional_config: {command: [sh, "`+script+`"], protocol: lines}}`,
		false)
	runSelfPlay(t, dir)
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	checkUnseen(t, strings.Split(strings.TrimSpace(string(data)), "\n"))
}
