//go:build unix

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestSoak: of two hundred programs, many at once, some hang, crash, flood or ignore that they are to end. Each of them
// is an error with its cause, all others reply, and no process is left.
func TestSoak(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(n int) string { return filepath.Join(dir, strconv.Itoa(n)) }
	one := func(n int) (got, want string) {
		how, edit, want := []string{"echo"}, (func(*scenario.Provider))(nil), fmt.Sprintf("you said: %d", n)
		switch n % 100 {
		case 13:
			how, want = []string{"crash"}, "signal: killed"
		case 37:
			how, want = []string{"flood"}, "it wrote more than 10 MB"
		case 61:
			how, want = []string{"fork", file(n)}, "it ended and left a process behind that holds its output open"
		case 83:
			how, want = []string{"stubborn", file(n)}, "no reply within"
			edit = func(s *scenario.Provider) { s.RequestTimeout = time.Second } // is meant to pass
		case 97:
			how, want = []string{"fail"}, "exit status 3"
		}
		return outcome(agent(t, edit, how[0], how[1:]...).Complete(t.Context(), ask(strconv.Itoa(n)), nil)), want
	}
	queue := make(chan int)
	var workers sync.WaitGroup
	for range 32 {
		workers.Go(func() {
			for n := range queue {
				if got, want := one(n); !strings.Contains(got, want) || strings.HasPrefix(got, "error: ") == (n%100 != 13 &&
					n%100 != 37 && n%100 != 61 && n%100 != 83 && n%100 != 97) {
					t.Errorf("program %d: got %s, want %s", n, got, want)
				}
			}
		})
	}
	for n := range 200 {
		queue <- n
	}
	close(queue)
	workers.Wait()
	for n := range 200 {
		text, err := os.ReadFile(file(n))
		if err != nil {
			continue // it has no child
		}
		pid, err := strconv.Atoi(string(text))
		if err != nil {
			t.Fatal(err)
		}
		ends(t, pid)
	}
}
