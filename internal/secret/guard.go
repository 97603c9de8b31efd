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

// Guard knows the secrets of a run, and redacts them in what is written. Secrets can be added at any time. A Guard is
// safe for concurrent use. A nil Guard and the zero value know no secrets.
type Guard struct {
	mu    sync.Mutex
	known map[string]bool // whatever was learned, or spared
	all   []string        // that are to be taken out
	set   atomic.Pointer[Set]
	stale atomic.Bool
}

// Learn adds secrets, and each line of secrets of several lines. Values that are not worth hiding are left out.
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

// leastLine is the least length of a line that counts as a secret by itself. Shorter lines may be ordinary words, and
// the short last line of a key tells nothing.
const leastLine = 16

// withLines returns the values and the lines of those that have several lines, such as private keys: programs may print
// one line alone.
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

// Spare says that values are no secrets: from now on they stay, also when they are learned again.
func (g *Guard) Spare(values ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[string]bool{}
	}
	for _, value := range values {
		g.known[value] = true
	}
	g.all = slices.DeleteFunc(g.all, func(known string) bool { return slices.Contains(values, known) })
	g.stale.Store(true)
}

// Known returns the secrets so far.
func (g *Guard) Known() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.all...)
}

// Set returns the set of the secrets so far; nil when there are none. It is built again only after secrets were added.
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

// Bytes returns a text without the secrets so far, whole or cut beside a Mark.
func (g *Guard) Bytes(p []byte) []byte { return g.Set().Bytes(p) }

// Text is Bytes for texts.
func (g *Guard) Text(text string) string { return g.Set().Text(text) }

// Lines returns a writer that redacts whole lines of JSON.
func (g *Guard) Lines(w io.Writer) io.Writer { return &lines{g, w} }

type lines struct {
	g *Guard
	w io.Writer
}

// Write implements io.Writer. It reports len(p) bytes as written, whatever the length of the redacted text.
func (l *lines) Write(p []byte) (int, error) {
	clean := l.g.JSON(p)
	n, err := l.w.Write(clean)
	if err == nil || n > len(p) {
		n = len(p)
	}
	return n, err
}

// userinfo matches a user name and password in an address of any scheme.
var userinfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/\s@"'<>]*:[^/\s@"'<>]+@`) })

// Screen returns a writer that redacts text for people. It also hides passwords in addresses. A JSON document that is
// written at once stays valid.
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

// isDocument reports whether a text is a JSON object or list.
func isDocument(p []byte) bool {
	p = bytes.TrimSpace(p)
	return len(p) > 0 && (p[0] == '{' || p[0] == '[') && json.Valid(p)
}
