package process

import (
	"runtime"
	"sync"
)

// starter starts all programs on one thread, as long as any of them runs: Linux kills a program when the thread that
// started it ends.
type starter struct {
	mu    sync.Mutex
	users int
	queue chan func()
}

var starts starter

// enter returns where to send what starts a program. The caller must call leave when the program has ended.
func (s *starter) enter() chan<- func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users++; s.users == 1 {
		s.queue = make(chan func())
		go serve(s.queue)
	}
	return s.queue
}

func (s *starter) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		close(s.queue)
	}
}

func serve(queue <-chan func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // or the thread would end
	for start := range queue {
		start()
	}
}
