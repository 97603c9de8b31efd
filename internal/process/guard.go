package process

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// markName is an environment variable that every program gets and its child processes inherit. It identifies the
// processes of a program after they have left its process group.
const markName = "ARENA_PROGRAM"

// guard ends what programs leave behind: what left their group, and everything when this process is gone.
type guard struct {
	on   bool // this process may be the keeper of another one; see Guard
	once sync.Once
	name string // begins the marks of the programs of this process
	next atomic.Int64

	// starting is held for reading while a program is started, so that it is known before anybody looks for orphans.
	starting sync.RWMutex
	mu       sync.Mutex
	running  map[int]string // marks of programs that are not over, by the id of the process
	keeper   *keeper        // nil: none
}

var programs guard

// Guard lets programs end with this process, however it ends, and with them what left their group, as far as the
// system allows. It is to be called first in main: the program starts itself once more, before the first program of the
// user's, and in that process Guard does not return.
func Guard() {
	keepIfAsked()
	programs.on = true
}

// setUp runs before the first program is started.
func (g *guard) setUp() {
	g.name = fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	g.running = map[int]string{}
	if g.on {
		adoptOrphans()
		g.keeper = startKeeper(g.name)
		if g.keeper != nil {
			g.running[g.keeper.pid] = "keeper"
		}
	}
}

// start starts a program and remembers it. The mark is its own.
func (g *guard) start(cmd *exec.Cmd) (mark string, err error) {
	g.once.Do(g.setUp)
	mark = g.name + "." + strconv.FormatInt(g.next.Add(1), 10)
	cmd.Env = append(cmd.Env, markName+"="+mark)
	g.starting.RLock()
	defer g.starting.RUnlock()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[cmd.Process.Pid] = mark
	g.keeper.tell('+', cmd.Process.Pid)
	return mark, nil
}

// ended removes a program that has ended, and kills the processes that it left behind.
func (g *guard) ended(pid int, mark string) {
	g.mu.Lock()
	if g.running[pid] == mark { // else the number is another's already
		delete(g.running, pid)
		g.keeper.tell('-', pid)
	}
	g.mu.Unlock()
	if g.on {
		g.starting.Lock()
		defer g.starting.Unlock()
		g.mu.Lock()
		defer g.mu.Unlock()
		killOrphans(g.running)
	}
}
