package mcp

import (
	"errors"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// clientVersion is the version of arena that servers see.
var clientVersion = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
})

// open starts the server, or connects to it. With old, the handshake is that of older protocol versions.
func (s *source) open(old bool) (*session, error) {
	switch {
	case s.spec.Image != nil:
		return s.openImage()
	case s.spec.URL != "":
		return s.openAddress(s.expand(s.spec.URL), s.spec.Transport)
	}
	live, p, err := s.openProgram(old)
	if err == nil || old || p == nil || p.hasOutput() || errors.Is(err, errClosed) {
		return live, err
	}
	if _, late := errors.AsType[overdueError](err); late || !s.startAgain() {
		return live, err
	}
	// Some servers end without a word at a question that they do not know.
	live, _, again := s.openProgram(true)
	if again != nil {
		return nil, err
	}
	return live, nil
}

// startAgain counts another start within an attempt, and reports whether one is allowed.
func (s *source) startAgain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.starts >= maxStarts {
		return false
	}
	s.starts++
	s.old = true
	return true
}

// openProgram starts the server's program.
func (s *source) openProgram(old bool) (*session, *pipe, error) {
	args := make([]string, len(s.spec.Args))
	for i, arg := range s.spec.Args {
		args[i] = s.expand(arg)
	}
	c := &process.Command{
		Path: s.expand(s.spec.Command), Args: args, Dir: s.spec.Dir, Env: s.environment(s.spec.Env), Grace: patience,
	}
	if s.host.OnStderr != nil {
		c.OnStderr = func(line string) { s.host.OnStderr(SourceName(s.spec), line) }
	}
	limit := greeting
	switch {
	case s.limit != 0:
		limit = s.limit
	case fetches(c.Path):
		limit = fetching
	}
	p, err := newPipe(c, limit*4/10, s.note)
	if err != nil {
		return nil, nil, process.Ended(c.Path, err, "")
	}
	live, err := greet(s.life, s.spec, p, limit, version(old), s.note)
	if err == nil {
		p.onChange(func() { live.changed.Store(true) })
	}
	return live, p, err
}

// version is the protocol version of the handshake; "" is the newest.
func version(old bool) string {
	if old {
		return oldVersion
	}
	return ""
}

// fetches reports whether a program may have to download what it runs.
func fetches(program string) bool {
	name := strings.TrimSuffix(filepath.Base(program), filepath.Ext(program))
	return slices.Contains([]string{
		"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uv", "uvx", "pipx", "go", "docker", "podman",
	}, name)
}

// environment returns the environment of a program: what every program needs, and what the file sets.
func (s *source) environment(given []string) []string {
	filled := make([]string, len(given))
	for i, entry := range given {
		filled[i] = s.expandEntry(entry)
	}
	env, _ := process.Environment(s.host.Getenv, filled) // the file passes no variable on by name alone
	return env
}

func (s *source) expandEntry(entry string) string {
	name, value, _ := strings.Cut(entry, "=")
	return name + "=" + s.expand(value)
}

func (s *source) expand(text string) string { return scenario.Expand(text, s.host.Getenv).Text }
