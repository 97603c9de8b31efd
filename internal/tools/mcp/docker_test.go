package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestContainer: a container is started as the file says, its tools have no prefix, and it is removed.
func TestContainer(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	spec := address(t, streamable())
	script := "#!/bin/sh\necho \"$@\" \"MODE is $MODE\" >>" + log + "\n" +
		"case $1 in run) echo abc;; port) echo " + strings.TrimSuffix(strings.TrimPrefix(spec.URL, "http://"), "/mcp") + ";; esac\n"
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
	want := "run --rm --detach --publish 127.0.0.1::8080 --env MODE --volume /a:/b:ro example/tools:1 MODE is test\n" +
		"port abc 8080 MODE is test\nrm --force abc MODE is test\n"
	if string(text) != want {
		t.Errorf("%s", text)
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
