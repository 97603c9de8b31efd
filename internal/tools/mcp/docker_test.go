package mcp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestContainer: a container is started as the file says, its tools have no prefix, and it is removed.
func TestContainer(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	spec := address(t, streamable())
	// Containers of a process that has ended, of this one, of nobody and of another machine.
	gone, elsewhere := process.Owner()+"0", "elsewhere/1234/5"
	script := "#!/bin/sh\necho \"$@\" \"MODE is $MODE\" >>" + log + "\n" +
		"case $1 in ps) echo left1 " + gone + "; echo runs " + process.Owner() + "; echo other; echo far " + elsewhere + ";; " +
		"run) echo abc;; port) echo " + strings.TrimSuffix(strings.TrimPrefix(spec.URL, "http://"), "/mcp") + ";; esac\n"
	syscall.ForkLock.RLock() // a program that starts meanwhile would hold the file open, and it could not be run
	err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	spec.URL = ""
	spec.Image = &scenario.ServerImage{
		Name: "example/tools:1", Port: 8080, Env: []string{"MODE=test"},
		Mounts: []scenario.ServerMount{{Source: "/a", Target: "/b", ReadOnly: true}},
	}
	s := New(spec, boxHost(t)).Open()
	list, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Name != "ask" {
		t.Errorf("the first tool is %q", list[0].Name)
	}
	call := callOf("echo")
	call.Name = "echo"
	if res := s.Call(t.Context(), call); res.Error != "" {
		t.Error(res.Error)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`arena-\d+-[a-z0-9]+`).FindString(string(text))
	got := strings.NewReplacer(name, "NAME", process.Owner(), "OWNER").Replace(string(text))
	want := "ps --all --filter label=arena.owner --format {{.ID}} {{.Label \"arena.owner\"}} MODE is test\n" +
		"rm --force left1 MODE is test\n" +
		"run --rm --detach --name NAME --label arena.owner=OWNER --publish 127.0.0.1::8080 --env MODE --volume /a:/b:ro " +
		"example/tools:1 MODE is test\nport abc 8080 MODE is test\nrm --force NAME MODE is test\n"
	if got != want {
		t.Errorf("%s", got)
	}

	if err := os.Remove(filepath.Join(dir, "docker")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	s = New(spec, boxHost(t)).Open()
	if _, err := s.List(t.Context()); err == nil || !strings.Contains(err.Error(), "docker run: cannot be started") {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
