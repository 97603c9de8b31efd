package cli

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
)

// pipe is stdout. That nobody reads it any more is a wish to stop, as an interrupt is; it is told once.
type pipe struct {
	to io.Writer

	mu     sync.Mutex
	told   chan<- os.Signal // nil: nobody listens
	broken bool
}

// tell says who is told.
func (p *pipe) tell(c chan<- os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = c
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	if !errors.Is(err, syscall.EPIPE) {
		return n, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.broken && p.told != nil {
		p.broken = true
		select {
		case p.told <- syscall.SIGPIPE:
		default: // there is such a wish already
		}
	}
	return n, err
}
