package process

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// lastAct is a command that the keeper runs when this process ends without having done it.
type lastAct struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
}

// AtEnd has a command run when this process ends, however it ends, unless cancel was called before. It is for what
// lives outside of this machine's processes, such as a container. It does nothing where there is no Guard, and on
// Windows.
func AtEnd(c *Command) (cancel func()) {
	g := &programs
	g.once.Do(g.setUp)
	path, err := exec.LookPath(c.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	act, failed := json.Marshal(lastAct{path, append([]string{c.Path}, c.Args...), c.Env})
	if err != nil || failed != nil {
		return func() {}
	}
	id := strconv.FormatInt(g.next.Add(1), 10)
	g.mu.Lock()
	g.keeper.say("!" + id + " " + string(act))
	g.mu.Unlock()
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.keeper.say("." + id)
	})
}
