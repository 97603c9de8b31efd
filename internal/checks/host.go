package checks

import "net/http"

// Host is what checks may reach outside of the process. It is safe for concurrent use.
type Host struct {
	HTTP   *http.Client // nil: there is no network
	Getenv func(name string) (string, bool)
}
