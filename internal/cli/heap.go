package cli

import (
	"runtime"
	"runtime/debug"
)

// A small run ends before garbage collection matters. A large suite uses more processor time to save memory: CI
// machines are small, and a run mostly waits. Its heap may fill the next of a few limits: with the program itself, the
// process takes about 96, 128 or 256 MiB.
const (
	smallPercent = 300
	largePercent = 20 // where there is no more space
)

// heapLimits are in bytes.
func heapLimits() [3]uint64 { return [3]uint64{52 << 20, 80 << 20, 190 << 20} }

// watchHeap sets after every garbage collection how far the heap may grow until the next one. If GOGC is set, it does
// nothing.
func watchHeap(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	percent := smallPercent
	debug.SetGCPercent(percent)
	type sentinel struct{ _ [16]byte }
	var look func(*sentinel)
	look = func(*sentinel) {
		var heap runtime.MemStats
		runtime.ReadMemStats(&heap)
		// NextGC tells how much is in use. HeapAlloc would count new garbage too.
		percent = heapPercent(heap.NextGC * 100 / uint64(100+percent))
		debug.SetGCPercent(percent)
		runtime.SetFinalizer(&sentinel{}, look) // runs after the next collection
	}
	runtime.SetFinalizer(&sentinel{}, look)
}

// heapPercent is by how many percent a heap with so many bytes in use may grow.
func heapPercent(live uint64) int {
	for _, limit := range heapLimits() {
		if live < limit {
			space := (limit - live) * 100
			return int(min(max(space/max(live, 1), largePercent), smallPercent))
		}
	}
	return largePercent
}
