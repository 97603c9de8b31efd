//go:build unix

package exec

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// soak is how many trials TestSoak runs; ARENA_SOAK says another number.
const soak = 120

// TestSoak: programs are killed while many trials call them. Whoever's program lives gets the answers to its own
// calls; a call that loses its program says so, and the next one has a new one. Nothing is left of any. It runs alone,
// for it counts the files that the process has open.
func TestSoak(t *testing.T) {
	trials := soak
	if text := os.Getenv("ARENA_SOAK"); text != "" {
		var err error
		if trials, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	const answer = stays + `v=${line##*\"v\":}; v=${v%%\}*}; echo '{"id":'$id',"result":"'$v $$'"}'` + "\ndone"
	kit := toolOf(t, answer, func(s *scenario.Tool) { s.Exec.Server, s.Exec.Session = true, true }).kit
	s := &soaked{t: t, kit: kit}
	s.trial(0) // the first program makes the process open what it keeps
	before := openFiles(t)
	queue := make(chan int)
	var workers sync.WaitGroup
	for range 32 {
		workers.Go(func() {
			for n := range queue {
				s.trial(n)
			}
		})
	}
	for n := range trials {
		queue <- n
	}
	close(queue)
	workers.Wait()
	for _, pid := range s.pids {
		hang.ProcessEnd(t, pid)
	}
	if err := kit.Close(); err != nil {
		t.Error(err)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, %d were", after, before)
	}
	t.Logf("%d trials, %d programs, %d killed, %d calls lost theirs", trials, len(s.pids), s.kills.Load(), s.lost.Load())
	if s.kills.Load() == 0 {
		t.Error("nothing was killed")
	}
}

// soaked is what the trials of a soak have in common.
type soaked struct {
	t           *testing.T
	kit         *tools.Kit
	kills, lost atomic.Int32

	mu   sync.Mutex
	pids []int
}

// trial calls its program a few times. One program in a hundred is killed, at a call that the number of the trial
// decides: before it, or while it runs.
func (s *soaked) trial(n int) {
	dice := rand.New(rand.NewPCG(7, uint64(n)))
	box := s.kit.Box("")
	pid, known := 0, map[int]bool{}
	dying := false // the program was killed, and no call has met that
	for call := range 6 {
		killed := pid != 0 && (dice.IntN(500) == 0 || n%100 == 50 && call == 3)
		var killing sync.WaitGroup
		if killed {
			s.kills.Add(1)
			dying = true
			kill := func() { _ = syscall.Kill(pid, syscall.SIGKILL) } // of what may have ended
			if dice.IntN(2) == 0 {
				kill()
			} else {
				killing.Go(kill)
			}
		}
		v := n*10 + call
		res := box.Call(context.Background(), chat.ToolCall{Name: "probe", Args: map[string]any{"v": v}})
		killing.Wait()
		text, by, _ := strings.Cut(res.Content, " ")
		switch {
		case dying && strings.Contains(res.Error, "it ended before it answered"):
			s.lost.Add(1)
			dying = false
		case res.Error != "" || text != strconv.Itoa(v):
			s.t.Errorf("trial %d, call %d: %s", n, call, describe(res))
		default:
			before := pid
			pid, _ = strconv.Atoi(by)
			known[pid], dying = true, dying && pid == before
		}
	}
	if err := box.Close(); err != nil {
		s.t.Errorf("trial %d: %v", n, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid := range known {
		s.pids = append(s.pids, pid)
	}
}

// openFiles counts the files that this process has open; 0 where the system does not say.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
