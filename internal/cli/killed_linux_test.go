package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const hangingProject = `kind: Arena
metadata: {name: hanging}
spec:
  prompt_configs: [{file: prompt.yaml}]
  scenarios: [{file: talk.yaml}]
  tools: [{file: once.yaml}, {file: serve.yaml}]
  provider_specs: {canned: {type: mock, model: m}}
  providers: []
  mcp_servers: [{name: probe, command: ./probe.sh, scope: session}]
-- prompt.yaml --
task_type: support
system_template: Help.
allowed_tools: [once, serve, mcp__probe__wait]
-- once.yaml --
name: once
description: Hangs
mode: exec
input_schema: {type: object}
exec: {command: ./once.sh}
-- serve.yaml --
name: serve
description: Hangs
mode: exec
input_schema: {type: object}
exec: {command: ./serve.sh, runtime: server, scope: session}
-- talk.yaml --
id: talk
task_type: support
turns:
  - role: user
    content: Go
    mock: [{tool_calls: [{name: once}, {name: serve}, {name: mcp__probe__wait, arguments: {text: x}}]}, Done]
    assertions: [{type: no_tool_errors}]
`

// TestKilledWithTools: when arena is killed, all programs of tools end, with the processes that they started. An MCP
// server here runs behind a shell, as npx starts it.
func TestKilledWithTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeProject(t, dir, hangingProject)
	alive := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(alive, 0o600); err != nil {
		t.Fatal(err)
	}
	// All of them hold the pipe open, and each writes a word when it runs.
	const begin = "#!/bin/sh\nexec 3>alive\nsh -c 'trap \"\" TERM HUP; echo child >&3; exec sleep 3600' &\necho here >&3\n"
	for name, life := range map[string]string{
		"once.sh": "sleep 3600\n", "serve.sh": "read -r line; sleep 3600\n",
		"probe.sh": "exec 4<&0\nmcp-probe good <&4 &\nwait\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(begin+life), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	arena := exec.CommandContext(t.Context(), "arena", "run", "-q", "--format", "json") // TestMain has put it into PATH
	arena.Dir = dir
	if err := arena.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(alive) // blocks until the first of them opens it
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	words := bufio.NewScanner(pipe)
	for range 6 {
		if !words.Scan() {
			t.Fatal("they ended by themselves: ", words.Err())
		}
	}
	if err := arena.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = arena.Wait() // it was killed
	if rest, err := io.ReadAll(pipe); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}
