package mcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
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
	s.removeLeftovers()
	name := "arena-" + strconv.Itoa(os.Getpid()) + "-" + strings.ToLower(rand.Text()[:8])
	args := []string{
		"run", "--rm", "--detach", "--name", name, "--label", ownerLabel + "=" + process.Owner(),
		"--publish", "127.0.0.1::" + port,
	}
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
	removed := process.AtEnd(s.dockerCommand("rm", "--force", name))
	remove := func() {
		_, _ = s.docker(context.Background(), "rm", "--force", name) // it may have ended already
		removed()
	}
	id, err := s.docker(life, append(args, image.Name)...)
	if err != nil {
		remove()
		return nil, err
	}
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

// ownerLabel is the label of a container that says which process it belongs to.
const ownerLabel = "arena.owner"

// removeLeftovers removes containers of processes of arena that have ended without doing it themselves.
func (s *source) removeLeftovers() {
	list, err := s.docker(s.life, "ps", "--all", "--filter", "label="+ownerLabel, "--format",
		`{{.ID}} {{.Label "`+ownerLabel+`"}}`)
	if err != nil {
		return // the start itself says what is wrong
	}
	for line := range strings.Lines(list) {
		id, owner, _ := strings.Cut(strings.TrimSpace(line), " ")
		if process.IsGone(owner) {
			_, _ = s.docker(s.life, "rm", "--force", id) // another one may do it at the same time
		}
	}
}

// docker runs the docker program, and returns what it prints.
func (s *source) docker(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetching)
	defer cancel()
	out, err := s.dockerCommand(args...).Run(ctx)
	if err != nil {
		return "", process.Ended(dockerProgram+" "+args[0], err, string(out.Stderr))
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}

func (s *source) dockerCommand(args ...string) *process.Command {
	given := append([]string{}, s.spec.Image.Env...)
	for _, name := range []string{
		"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
	} {
		if value, set := s.host.Getenv(name); set {
			given = append(given, name+"="+value)
		}
	}
	return &process.Command{Path: dockerProgram, Args: args, Env: s.environment(given)}
}
