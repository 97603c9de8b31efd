package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A small run collects garbage as rarely as Go does by default, because it is over before that matters. A suite of many
// thousand scenarios trades some processor time for memory: CI machines are small, and a run mostly waits.
const (
	largeHeap = 16 << 20 // bytes that are in use
	gcPercent = 30       // from then on
)

// watchHeap looks at the heap after every collection until it has become large. GOGC, when it is set, decides instead.
func watchHeap(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	type sentinel struct{ _ [16]byte }
	var look func(*sentinel)
	look = func(*sentinel) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() > largeHeap {
			debug.SetGCPercent(gcPercent)
			return
		}
		runtime.SetFinalizer(&sentinel{}, look) // runs after the next collection
	}
	runtime.SetFinalizer(&sentinel{}, look)
}
