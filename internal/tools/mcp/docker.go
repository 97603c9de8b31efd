package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/pause"
	"github.com/arena-evals/arena/internal/process"
)

const (
	dockerProgram = "docker"
	settle        = 100 * time.Millisecond // between two attempts to reach a new server
)

// container is a link to a server in a container. Closing the link removes the container.
type container struct {
	link
	remove func()
}

// shut implements link.
func (c container) shut() {
	c.link.shut()
	c.remove()
}

// openImage starts a container and connects to its server.
func (s *source) openImage() (*session, error) {
	image := s.spec.Image
	port := strconv.Itoa(image.Port)
	args := []string{"run", "--rm", "--detach", "--publish", "127.0.0.1::" + port}
	for _, entry := range image.Env { // values are not arguments, which other users could read
		name, _, _ := strings.Cut(entry, "=")
		args = append(args, "--env", name)
	}
	for _, m := range image.Mounts {
		mount := m.Source + ":" + m.Target
		if m.ReadOnly {
			mount += ":ro"
		}
		args = append(args, "--volume", mount)
	}
	life, cancel := context.WithTimeoutCause(s.life, fetching, overdueError{"the container did not start", fetching, ""})
	defer cancel()
	id, err := s.docker(life, append(args, image.Name)...)
	if err != nil {
		return nil, err
	}
	remove := func() { _, _ = s.docker(context.Background(), "rm", "--force", id) } // it may have ended already
	live, err := s.openContainer(life, id, port)
	if err != nil {
		remove()
		return nil, err
	}
	live.link = container{live.link, remove}
	return live, nil
}

// openContainer connects to the server in a container. It tries again until the server listens.
func (s *source) openContainer(life context.Context, id, port string) (*session, error) {
	addresses, err := s.docker(life, "port", id, port)
	if err != nil {
		return nil, err
	}
	address, _, _ := strings.Cut(addresses, "\n")
	for {
		live, err := s.openAddress("http://"+strings.TrimSpace(address)+"/mcp", "")
		if err == nil {
			return live, nil
		}
		if ended := pause.For(life, settle); ended != nil {
			return nil, fmt.Errorf("%w: %w", ended, err)
		}
	}
}

// docker runs the docker program, and returns what it prints.
func (s *source) docker(ctx context.Context, args ...string) (string, error) {
	given := append([]string{}, s.spec.Image.Env...)
	for _, name := range []string{
		"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
	} {
		if value, set := s.host.Getenv(name); set {
			given = append(given, name+"="+value)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	c := &process.Command{Path: dockerProgram, Args: args, Env: s.environment(given)}
	out, err := c.Run(ctx)
	if err != nil {
		return "", process.Ended(dockerProgram+" "+args[0], err, string(out.Stderr))
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}
