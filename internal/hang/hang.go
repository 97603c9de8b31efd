// Package hang says how long tests wait for what comes on every machine that works. It is on the map of the packages so
// that helpers of tests can use it; nothing that ships does.
package hang

import "time"

// Guard is longer than anything takes that is not stuck, also with the race detector on a slow machine that does other
// work besides. A test that runs into it is stuck; nothing else follows from it.
const Guard = 30 * time.Minute
