package cli

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
)

// pipe is stdout. When its reader is gone, the run stops as after an interrupt: notify gets one SIGPIPE.
type pipe struct {
	to io.Writer

	mu     sync.Mutex
	notify chan<- os.Signal // nil: no listener
	broken bool
}

// setNotify sets the channel that gets SIGPIPE; nil: none does.
func (p *pipe) setNotify(c chan<- os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify = c
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	if !errors.Is(err, syscall.EPIPE) {
		return n, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.broken && p.notify != nil {
		p.broken = true
		select {
		case p.notify <- syscall.SIGPIPE:
		default: // one is pending already
		}
	}
	return n, err
}
