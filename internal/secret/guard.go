package secret

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Guard is the secrets of a run as they become known, and what its writers ask. It is safe for concurrent use; its zero
// value knows none, and so does nil.
type Guard struct {
	mu    sync.Mutex
	known map[string]bool
	all   []string
	set   atomic.Pointer[Set]
	stale atomic.Bool
}

// Learn adds secrets, and the lines of those that have several. What is not worth hiding is left out.
func (g *Guard) Learn(values ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, value := range withLines(values) {
		if !WorthHiding(value) || g.known[value] {
			continue
		}
		if g.known == nil {
			g.known = map[string]bool{}
		}
		g.known[value] = true
		g.all = append(g.all, value)
		g.stale.Store(true)
	}
}

// leastLine is what a line of a secret of several lines has at least to be one by itself. Shorter ones may be words,
// and the last line of a key tells nothing.
const leastLine = 16

// withLines are values and the lines of those that have several, as a key has: programs show one of them alone.
func withLines(values []string) []string {
	all := values
	for _, value := range values {
		if !strings.ContainsAny(value, "\r\n") {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(value, "\r", "\n")) {
			line = strings.TrimSpace(line)
			if len(line) >= leastLine && !strings.HasPrefix(line, "-----") && strings.Trim(line, numeric) != "" {
				all = append(slices.Clip(all), line)
			}
		}
	}
	return all
}

// Known are the secrets so far.
func (g *Guard) Known() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.all...)
}

// Set is what is known now; nil: nothing. It is made once for as long as nothing is added.
func (g *Guard) Set() *Set {
	if g == nil {
		return nil
	}
	if g.stale.Load() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.stale.Swap(false) {
			g.set.Store(newSet(g.all, true))
		}
	}
	return g.set.Load()
}

// Bytes is a text without what is known now, whole or in parts that stand beside a Mark.
func (g *Guard) Bytes(p []byte) []byte { return g.Set().Bytes(p) }

// Text is Bytes for texts.
func (g *Guard) Text(text string) string { return g.Set().Text(text) }

// Lines guards a writer to which whole lines of JSON are written.
func (g *Guard) Lines(w io.Writer) io.Writer { return &lines{g, w} }

type lines struct {
	g *Guard
	w io.Writer
}

// Write implements io.Writer: whatever became of p, all of it counts as written.
func (l *lines) Write(p []byte) (int, error) {
	clean := l.g.JSON(p)
	n, err := l.w.Write(clean)
	if err == nil || n > len(p) {
		n = len(p)
	}
	return n, err
}

// userinfo is a name and a password in an address, also in one of no scheme that anybody knows.
var userinfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/\s@"'<>]*:[^/\s@"'<>]+@`) })

// Screen guards what people read: besides what is known, no address shows a password. A document of JSON that is
// written at once stays one.
func (g *Guard) Screen(w io.Writer) io.Writer { return &screen{g, w} }

type screen struct {
	g *Guard
	w io.Writer
}

func (s *screen) Write(p []byte) (int, error) {
	clean := s.g.Bytes(p)
	if !bytes.Equal(clean, p) && isDocument(p) {
		clean = s.g.JSON(p)
	}
	if bytes.Contains(clean, []byte("://")) && bytes.IndexByte(clean, '@') >= 0 {
		clean = userinfo().ReplaceAll(clean, []byte("${1}"+Redacted+"@"))
	}
	n, err := s.w.Write(clean)
	if err == nil || n > len(p) {
		n = len(p)
	}
	return n, err
}

// isDocument reports whether a text is an object or a list of JSON.
func isDocument(p []byte) bool {
	p = bytes.TrimSpace(p)
	return len(p) > 0 && (p[0] == '{' || p[0] == '[') && json.Valid(p)
}
