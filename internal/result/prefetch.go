package result

import (
	"iter"
	"runtime"
)

// prefetch yields items in order, each after work on it. Meanwhile it prepares the next ones, on as many goroutines as
// there are processors. All goroutines have ended when the loop ends.
func prefetch[T any](items iter.Seq[T], work func(T)) iter.Seq[T] {
	type job struct {
		item T
		done chan struct{} // closed after the work
	}
	return func(yield func(T) bool) {
		inOrder, stop := make(chan job, runtime.GOMAXPROCS(0)), make(chan struct{})
		go func() {
			defer close(inOrder)
			for item := range items {
				j := job{item, make(chan struct{})}
				select {
				case inOrder <- j:
				case <-stop:
					return
				}
				go func() {
					defer close(j.done)
					work(j.item)
				}()
			}
		}()
		defer func() {
			close(stop)
			for j := range inOrder {
				<-j.done
			}
		}()
		for j := range inOrder {
			if <-j.done; !yield(j.item) {
				return
			}
		}
	}
}
