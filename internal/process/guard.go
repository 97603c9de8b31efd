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

// guard kills the processes that programs leave behind: those that left the process group, and all of them when this
// process ends.
type guard struct {
	on   bool // this process may start a watchdog; see Guard
	once sync.Once
	name string // prefix of the marks of this process's programs
	next atomic.Int64

	// starting is held for reading while a program is started, so that the program is registered before the search for
	// orphans.
	starting sync.RWMutex
	mu       sync.Mutex
	running  map[int]string // marks of running programs, by process id
	watchdog *watchdog      // nil: none
}

var programs guard

// Guard makes programs end together with this process, however it ends. It includes processes that left their group, as
// far as the system allows. Guard must be called first in main: before the first program, the process starts itself
// once more as a watchdog, and in the watchdog Guard does not return.
func Guard() {
	runWatchdogIfAsked()
	programs.on = true
}

// setUp is called before the first program is started.
func (g *guard) setUp() {
	g.name = fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	g.running = map[int]string{}
	if g.on {
		adoptOrphans()
		g.watchdog = startWatchdog(g.name)
		if g.watchdog != nil {
			g.running[g.watchdog.pid] = "keeper"
		}
	}
}

// start starts a program under a mark of its own, and registers it.
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
	g.watchdog.notify('+', cmd.Process.Pid)
	return mark, nil
}

// ended removes a program that has ended, and kills the processes that it left behind.
func (g *guard) ended(pid int, mark string) {
	g.mu.Lock()
	if g.running[pid] == mark { // else the id belongs to another program by now
		delete(g.running, pid)
		g.watchdog.notify('-', pid)
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
