package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// The output of a program is complete when no process holds it open any more. A child of the program may end a little
// later. On a busy machine, only a long time shows that a child stays.
const (
	outputGrace = 5 * time.Second // is how long the processes of a program may hold its output open after its end
	strayGrace  = 5 * time.Second // is how long one that is not seen may: it left the group, or this process gets no time
)

// pipes are the pipes to and from a program: one for each reader and writer of a command that is not a file.
type pipes struct {
	childEnds, ownEnds []*os.File
	feed               func()        // writes the input
	copies             []func()      // of the output
	done               chan struct{} // closed when all output was copied
}

// newPipes replaces the readers and writers of a command by pipes.
func newPipes(cmd *exec.Cmd) (*pipes, error) {
	w := &pipes{done: make(chan struct{})}
	if _, isFile := cmd.Stdin.(*os.File); !isFile && cmd.Stdin != nil {
		from := cmd.Stdin
		theirs, ours, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		w.childEnds, w.ownEnds = append(w.childEnds, theirs), append(w.ownEnds, ours)
		w.feed = func() {
			_, _ = io.Copy(ours, from) // a program need not read it
			_ = ours.Close()
		}
		cmd.Stdin = theirs
	}
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		if _, isFile := (*to).(*os.File); isFile || *to == nil {
			continue
		}
		ours, theirs, err := os.Pipe()
		if err != nil {
			w.close()
			return nil, err
		}
		kept := *to
		w.childEnds, w.ownEnds = append(w.childEnds, theirs), append(w.ownEnds, ours)
		w.copies = append(w.copies, func() {
			_, _ = io.Copy(kept, ours) // whoever refuses the rest says so
			_ = ours.Close()
		})
		*to = theirs
	}
	return w, nil
}

// close closes what is open of the pipes.
func (w *pipes) close() {
	for _, f := range append(w.childEnds, w.ownEnds...) {
		_ = f.Close()
	}
}

// start copies, once the program has its ends of the pipes.
func (w *pipes) start() {
	for _, f := range w.childEnds {
		_ = f.Close()
	}
	if w.feed != nil {
		go w.feed()
	}
	var copying sync.WaitGroup
	for _, one := range w.copies {
		copying.Go(one)
	}
	go func() {
		copying.Wait()
		close(w.done)
	}()
}

// finish waits until the output of an ended program is complete. A process of the program that holds the output open is
// ended; then finish reads the rest for the grace of the command.
func (w *pipes) finish(ctx context.Context, ended error, g *group, cmd *exec.Cmd) error {
	leader := cmd.Process
	itself := ctx.Err() == nil
	defer w.close()
	if w.waitCopied(ctx, outputGrace) || itself && !g.alive(leader) && w.waitCopied(ctx, strayGrace) {
		return ended
	}
	held := itself && (ctx.Err() == nil || g.alive(leader))
	g.kill(leader)
	if !w.waitCopied(context.WithoutCancel(ctx), cmd.WaitDelay) {
		w.close()
		<-w.done
	}
	if held && ended == nil {
		return ErrOutputHeldOpen
	}
	return ended
}

// waitCopied waits until everything was copied, and reports whether it was.
func (w *pipes) waitCopied(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.done:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

// heldOpen adds to the cause of an end that the program itself had ended before.
func heldOpen(cause, err error) error {
	if errors.Is(err, ErrOutputHeldOpen) && !errors.Is(cause, ErrTooMuchOutput) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return cause
}
