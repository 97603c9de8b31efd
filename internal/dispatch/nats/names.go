package nats

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/dispatch"
)

// DefaultStream is the name of the stream of requests.
const DefaultStream = "ARENA_EVALS"

// Names are the names of streams and subjects. They are derived from the name of the stream of requests: ARENA_EVALS
// holds arena.evals.requests, ARENA_EVALS_RESULTS holds arena.evals.results.>, and ARENA_EVALS_DEAD holds
// arena.evals.dead.>.
type Names struct {
	Stream  string
	Results string
	Dead    string
	prefix  string // of the subjects
}

var streamName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,126}[A-Za-z0-9])?$`)
})

// NamesOf returns the names for a stream of requests.
func NamesOf(stream string) (Names, error) {
	if !streamName().MatchString(stream) {
		return Names{}, fmt.Errorf("a stream cannot be called %q; expected letters, digits, _ and -, such as %s",
			stream, DefaultStream)
	}
	return Names{
		Stream: stream, Results: stream + "_RESULTS", Dead: stream + "_DEAD",
		prefix: strings.ReplaceAll(strings.ToLower(stream), "_", "."),
	}, nil
}

// Requests is the subject of requests.
func (n *Names) Requests() string { return n.prefix + ".requests" }

func (n *Names) allResults() string { return n.prefix + ".results.>" }
func (n *Names) allDead() string    { return n.prefix + ".dead.>" }

// result is the subject of a result. Subjects hold hashes instead of untrusted text. Each result has its own subject,
// so that the stream refuses it a second time.

func (n *Names) result(run, request, id string) string {
	return n.prefix + ".results." + runToken(run) + "." + dispatch.Token(request) + "." + id
}

func (n *Names) resultsOfRequest(run, request string) string {
	return n.prefix + ".results." + runToken(run) + "." + dispatch.Token(request) + ".*"
}

func (n *Names) resultsOfRun(run string) string { return n.prefix + ".results." + runToken(run) + ".>" }
func (n *Names) deadOfRun(run string) string    { return n.prefix + ".dead." + runToken(run) + ".>" }
func (n *Names) dead(run, id string) string     { return n.prefix + ".dead." + runToken(run) + "." + id }

func runToken(run string) string {
	if run == "" {
		return "none"
	}
	return dispatch.Token(run)
}
