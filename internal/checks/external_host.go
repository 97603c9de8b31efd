package checks

import (
	"net/http"
	"sync"
)

// Host is what checks may use outside of the process. It is safe for concurrent use, and must not be copied.
type Host struct {
	HTTP   *http.Client // nil: no network
	Getenv func(name string) (string, bool)

	agents sync.Map // base address of an A2A agent → endpoint on its card
}
