package secret

import (
	"bytes"
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

// leastLine is what a line of a secret of several lines has at least to be one by itself. Shorter ones may be words, and
// the last line of a key tells nothing.
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

// Lines guards a writer to which whole lines are written, or whole messages.
func (g *Guard) Lines(w io.Writer) io.Writer { return &lines{g, w} }

type lines struct {
	g *Guard
	w io.Writer
}

// Write implements io.Writer: whatever became of p, all of it counts as written.
func (l *lines) Write(p []byte) (int, error) {
	clean := l.g.Bytes(p)
	n, err := l.w.Write(clean)
	if err == nil || n > len(p) {
		n = len(p)
	}
	return n, err
}

// userinfo is a name and a password in an address, also in one of no scheme that anybody knows.
var userinfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/\s@"'<>]*:[^/\s@"'<>]+@`) })

// Screen guards what people read: besides what is known, no address shows a password.
func (g *Guard) Screen(w io.Writer) io.Writer { return &screen{g, w} }

type screen struct {
	g *Guard
	w io.Writer
}

func (s *screen) Write(p []byte) (int, error) {
	clean := s.g.Bytes(p)
	if bytes.Contains(clean, []byte("://")) && bytes.IndexByte(clean, '@') >= 0 {
		clean = userinfo().ReplaceAll(clean, []byte("${1}"+Redacted+"@"))
	}
	n, err := s.w.Write(clean)
	if err == nil || n > len(p) {
		n = len(p)
	}
	return n, err
}

// Document guards a writer to which a document is written in pieces of any size. What is held back for a secret that
// may go on in the next piece is written by Close, which does not close w.
func (g *Guard) Document(w io.Writer) io.WriteCloser { return &document{set: g.Set(), w: w} }

type document struct {
	set     *Set
	w       io.Writer
	pending []byte
}

func (d *document) Write(p []byte) (int, error) {
	if d.set == nil {
		return d.w.Write(p)
	}
	d.pending = append(d.pending, p...)
	if len(d.pending) < max(1<<15, 2*d.set.longest) {
		return len(p), nil
	}
	// A secret that begins before the end of what goes out now ends before the end of what is here.
	if err := d.writeUpTo(fieldBefore(d.pending, len(d.pending)-d.set.longest-1)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// fieldBefore returns the start of the JSON field that contains an offset, so that its name and its value stay
// together.
func fieldBefore(p []byte, end int) int {
	const far = 1 << 10
	from := max(end-far, 0)
	if i := bytes.LastIndexAny(p[from:end], ",{\n"); i >= 0 {
		return from + i + 1
	}
	return end
}

// writeUpTo writes what is pending up to an offset, and the whole of a secret that begins before it.
func (d *document) writeUpTo(end int) error {
	from := 0
	for {
		h := d.set.find(d.pending, from)
		if h.size == 0 || h.at >= end {
			break
		}
		if _, err := d.w.Write(d.pending[from : h.at+h.mark]); err != nil {
			return err
		}
		if _, err := io.WriteString(d.w, Redacted); err != nil {
			return err
		}
		from = h.at + h.size
	}
	end = max(end, from)
	if _, err := d.w.Write(d.pending[from:end]); err != nil {
		return err
	}
	d.pending = d.pending[:copy(d.pending, d.pending[end:])]
	return nil
}

// Close writes what was held back.
func (d *document) Close() error {
	if len(d.pending) == 0 {
		return nil
	}
	_, err := d.w.Write(d.set.Bytes(d.pending))
	d.pending = nil
	return err
}
