package metrics

import (
	"bytes"
	"io"
	"net/http"

	"github.com/arena-evals/arena/internal/exposition"
)

// Gather returns the metrics of all trials that ended so far, sorted by name.
func (m *Metrics) Gather() []exposition.Group {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.registry.Gather()
}

// Write writes the metrics in the text format of Prometheus, sorted by name.
func (m *Metrics) Write(w io.Writer) error {
	if m.scrub == nil {
		return exposition.Text(w, m.Gather())
	}
	var b bytes.Buffer
	if err := exposition.Text(&b, m.Gather()); err != nil {
		return err
	}
	_, err := w.Write(m.scrub(b.Bytes()))
	return err
}

// Path is where Handler serves the metrics.
const Path = "/metrics"

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, m.Page())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "arena: the metrics of this run are at "+Path+"\n")
	})
	return mux
}

// Page answers with the metrics, whatever the path is.
func (m *Metrics) Page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", exposition.ContentType)
		_ = m.Write(w) // a client that has gone is no loss
	})
}
