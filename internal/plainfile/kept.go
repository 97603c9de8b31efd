package plainfile

import (
	"os"
	"sync"
)

// Kept remembers the first and the last of the files that a run writes into a folder, to find out at its end whether
// somebody has removed them meanwhile. It is safe for concurrent use.
type Kept struct {
	mu          sync.Mutex
	first, last string
}

// Note takes down a file that was written.
func (k *Kept) Note(path string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.first == "" {
		k.first = path
	}
	k.last = path
}

// Gone is a file that was written and is not there any more; "": none is known.
func (k *Kept) Gone() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, path := range []string{k.first, k.last} {
		if path == "" {
			continue
		}
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			return path
		}
	}
	return ""
}
