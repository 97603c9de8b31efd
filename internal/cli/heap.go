package cli

import (
	"runtime"
	"runtime/debug"
)

// A small run is over before garbage matters and hardly collects any. A suite of many thousand scenarios trades some
// processor time for memory: CI machines are small, and a run mostly waits.
const (
	smallPercent = 200
	largeHeap    = 16 << 20 // bytes in use
	largePercent = 25
)

// watchHeap looks at the heap after every collection until it has become large. GOGC, when it is set, decides instead.
func watchHeap(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(smallPercent)
	type sentinel struct{ _ [16]byte }
	var look func(*sentinel)
	look = func(*sentinel) {
		var heap runtime.MemStats
		runtime.ReadMemStats(&heap)
		if heap.HeapAlloc > largeHeap {
			debug.SetGCPercent(largePercent)
			return
		}
		runtime.SetFinalizer(&sentinel{}, look) // runs after the next collection
	}
	runtime.SetFinalizer(&sentinel{}, look)
}
