package receiver

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/spans"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

const tracesPath = "/v1/traces"

// dropped are the paths of other signals.
var dropped = map[string]bool{"/v1/metrics": true, "/v1/logs": true, "/v1development/profiles": true}

// ServeHTTP takes an export of spans. Metrics and logs, which some programs send to the same address, are taken and
// dropped, so that they do not complain.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	trial, allowed := s.admit(r)
	switch {
	case !allowed:
		s.refuse()
		http.Error(w, "the header "+SecretHeader+" is missing or wrong: send what OTEL_EXPORTER_OTLP_HEADERS says",
			http.StatusUnauthorized)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "arena takes POST", http.StatusMethodNotAllowed)
		return
	case dropped[path.Clean(r.URL.Path)]:
		writeSuccess(w, r)
		return
	}
	s.requestDone(trial, 1)
	defer s.requestDone(trial, -1)
	if failed := s.export(trial, r); failed != nil {
		if failed.status == http.StatusUnauthorized || trial == "" && failed.status == http.StatusNotFound {
			s.refuse()
		} else {
			s.broken(trial, failed.spans, failed.err)
		}
		if failed.status != http.StatusOK {
			http.Error(w, failed.err.Error(), failed.status)
			return
		}
	}
	writeSuccess(w, r)
}

// writeSuccess writes the response for success, in the encoding of the request.
func writeSuccess(w http.ResponseWriter, r *http.Request) {
	if isJSON(r) {
		w.Header().Set("Content-Type", jsonType)
		_, _ = io.WriteString(w, "{}") // a program that is gone needs no answer
		return
	}
	w.Header().Set("Content-Type", protobufType) // an empty message has no bytes
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == jsonType
}

// failure is why a request was not taken, or not all of it.
type failure struct {
	status int
	spans  int // that are lost
	err    error
}

// buffers are those of requests that have been read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// export reads a request and keeps its spans.
func (s *Server) export(trial string, r *http.Request) *failure {
	if at := path.Clean(r.URL.Path); at != tracesPath { // what a program sends elsewhere may be its traces
		return &failure{http.StatusNotFound, 1, fmt.Errorf("arena takes traces at %s, and not at %s", tracesPath,
			ellipsis.Runes(at, 80))}
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-r.Context().Done():
		return &failure{http.StatusServiceUnavailable, 1, r.Context().Err()}
	}
	body, failed := unpacked(r)
	if failed != nil {
		return failed
	}
	buf, _ := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= 2*smallBody {
			buffers.Put(buf)
		}
	}()
	n, err := buf.ReadFrom(io.LimitReader(body, smallBody+1))
	if err == nil && n > smallBody {
		select {
		case s.large <- struct{}{}:
			defer func() { <-s.large }()
		case <-r.Context().Done():
			return &failure{http.StatusServiceUnavailable, 1, r.Context().Err()}
		}
		_, err = buf.ReadFrom(io.LimitReader(body, MostBody-n+1))
	}
	switch {
	case err != nil:
		return &failure{http.StatusBadRequest, 1, fmt.Errorf("the request cannot be read: %w", err)}
	case buf.Len() > MostBody:
		return tooLarge()
	}
	return s.decode(trial, r, buf.Bytes())
}

func tooLarge() *failure {
	return &failure{http.StatusRequestEntityTooLarge, 1, fmt.Errorf("a request has more than %d MiB", MostBody>>20)}
}

// unpacked is the body of a request without compression.
func unpacked(r *http.Request) (io.Reader, *failure) {
	if r.ContentLength > MostBody {
		return nil, tooLarge()
	}
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, &failure{http.StatusBadRequest, 1, fmt.Errorf("the request is no gzip: %w", err)}
		}
		return z, nil
	default:
		return nil, &failure{http.StatusUnsupportedMediaType, 1, fmt.Errorf("arena takes gzip and no %q",
			ellipsis.Runes(encoding, 40))}
	}
}

var errNoTrial = errors.New("neither the header " + TrialHeader + " nor the resource attribute " +
	spans.TrialAttribute + " says for which trial the spans are")

// decode keeps the spans of an export: for the trial of the request, or else of their resource.
func (s *Server) decode(trial string, r *http.Request, body []byte) *failure {
	homeless := 0
	add := func(of string, span spans.Span) {
		if trial != "" {
			of = trial
		}
		if of == "" {
			homeless++
			return
		}
		s.take(of, &span)
	}
	read := spans.Protobuf
	if isJSON(r) {
		read = spans.JSON
	}
	err := read(body, add)
	bad, some := errors.AsType[*spans.BadSpans](err)
	switch {
	case some:
		return &failure{http.StatusOK, bad.Count, err}
	case err != nil:
		return &failure{http.StatusBadRequest, 1, err}
	case homeless > 0:
		return &failure{status: http.StatusUnauthorized, err: errNoTrial}
	}
	return nil
}
