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

// The output of a program is whole when nobody holds it open any more: that may be a child of the program, which ends a
// little later. Whether a child stays is not told by the time that passes on a busy machine, unless it is long.
const (
	outputGrace = 5 * time.Second // is how long the processes of a program may hold its output open after its end
	strayGrace  = 5 * time.Second // is how long one that is not seen may: it left the group, or this process gets no time
)

// wires are the pipes to a program and from it: one for each reader and writer of a command that is no file.
type wires struct {
	theirs, ours []*os.File
	feed         func()        // writes the input
	copies       []func()      // of the output
	done         chan struct{} // closed when all output was copied
}

// wire puts pipes in the places of the readers and writers of a command.
func wire(cmd *exec.Cmd) (*wires, error) {
	w := &wires{done: make(chan struct{})}
	if _, isFile := cmd.Stdin.(*os.File); !isFile && cmd.Stdin != nil {
		from := cmd.Stdin
		theirs, ours, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		w.theirs, w.ours = append(w.theirs, theirs), append(w.ours, ours)
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
		w.theirs, w.ours = append(w.theirs, theirs), append(w.ours, ours)
		w.copies = append(w.copies, func() {
			_, _ = io.Copy(kept, ours) // whoever refuses the rest says so
			_ = ours.Close()
		})
		*to = theirs
	}
	return w, nil
}

// close closes what is open of the pipes.
func (w *wires) close() {
	for _, f := range append(w.theirs, w.ours...) {
		_ = f.Close()
	}
}

// begin copies, once the program has its ends of the pipes.
func (w *wires) begin() {
	for _, f := range w.theirs {
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

// finish waits until the output of a program that has ended, with an error or without, is whole. Where a process of the
// program goes on holding it open, it ends that, and reads for the grace of the command what is left.
func (w *wires) finish(ctx context.Context, ended error, g *group, cmd *exec.Cmd) error {
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
func (w *wires) waitCopied(ctx context.Context, limit time.Duration) bool {
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
