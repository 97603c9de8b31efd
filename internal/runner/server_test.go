package runner

import (
	"testing"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestServerOf: a trace names the server of a provider, and nothing else that its address holds.
func TestServerOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, host string
		port      int
	}{
		{"", "", 0},
		{"http://localhost:11434/v1", "localhost", 11434},
		{"https://user:sesame@models.example/v1?key=sesame", "models.example", 0},
		{"http://[::1]:8080", "::1", 8080},
		{"http://%zz", "", 0},
	} {
		if host, port := serverOf(&scenario.Provider{BaseURL: c.url}); host != c.host || port != c.port {
			t.Errorf("%s: got %q and %d", c.url, host, port)
		}
	}
}
