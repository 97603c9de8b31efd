package process

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// exitCommand is a command that the watchdog runs when this process ends without having done it.
type exitCommand struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
}

// AtEnd runs a command when this process ends, for any reason, unless cancel was called before. It is for resources
// outside of the processes of this machine, such as containers. It does nothing without a Guard, and on Windows.
func AtEnd(c *Command) (cancel func()) {
	g := &programs
	g.once.Do(g.setUp)
	path, err := exec.LookPath(c.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	act, failed := json.Marshal(exitCommand{path, append([]string{c.Path}, c.Args...), c.Env})
	if err != nil || failed != nil {
		return func() {}
	}
	id := strconv.FormatInt(g.next.Add(1), 10)
	g.mu.Lock()
	g.watchdog.writeLine("!" + id + " " + string(act))
	g.mu.Unlock()
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.watchdog.writeLine("." + id)
	})
}
