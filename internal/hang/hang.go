// Package hang says how long tests wait for an event before they count as stuck. It is on the map of the packages so
// that helpers of tests can use it; nothing that ships does.
package hang

import "time"

// Guard is longer than any test takes that is not stuck, also with the race detector on a slow and busy machine. A test
// that reaches it is stuck.
const Guard = 30 * time.Minute
