package cli

import (
	"runtime"
	"runtime/debug"
)

// A small run is over before garbage matters and hardly collects any. A suite of many thousand scenarios trades some
// processor time for memory: CI machines are small, and a run mostly waits.
const (
	smallPercent = 300
	roomy        = 52 << 20 // bytes of heap that a run may fill before it trades
	largePercent = 20
)

// watchHeap looks at the heap after every collection and decides how far it may grow until the next one. GOGC, when it
// is set, decides instead.
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
		// What is in use can be told from how far that may grow; what is allocated is partly garbage already.
		percent = heapPercent(heap.NextGC * 100 / uint64(100+percent))
		debug.SetGCPercent(percent)
		runtime.SetFinalizer(&sentinel{}, look) // runs after the next collection
	}
	runtime.SetFinalizer(&sentinel{}, look)
}

// heapPercent is by how much a heap may grow of which so many bytes are in use.
func heapPercent(live uint64) int {
	if live >= roomy {
		return largePercent
	}
	room := (roomy - live) * 100
	return int(min(max(room/max(live, 1), largePercent), smallPercent))
}
