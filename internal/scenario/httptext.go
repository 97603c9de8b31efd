package scenario

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// HTTPPlace is a place in a request to an agent behind HTTP that each request fills: {{message}}, {{json history}},
// {{row.city}}.
type HTTPPlace struct {
	Name string // message, system, messages, history, session, turn, trial, scenario, or row.FIELD
	JSON bool   // it is written as JSON
}

// httpPlaces are the names of places, but for those of the fields of a row.
var httpPlaces = []string{"message", "system", "messages", "history", "session", "turn", "trial", "scenario"}

const rowPlace = "row."

var httpPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*(json\s+)?(.*?)\s*\}\}`) })

// FillHTTP puts what fill returns into the places of a text. What is no place stays as it is.
func FillHTTP(text string, fill func(HTTPPlace) string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return httpPlace().ReplaceAllStringFunc(text, func(found string) string {
		m := httpPlace().FindStringSubmatch(found)
		if !isHTTPPlace(m[2]) {
			return found
		}
		return fill(HTTPPlace{m[2], m[1] != ""})
	})
}

// WholeHTTP is the place that a text is; ok is false for any other text.
func WholeHTTP(text string) (p HTTPPlace, ok bool) {
	m := httpPlace().FindStringSubmatch(text)
	if m == nil || m[0] != text || !isHTTPPlace(m[2]) {
		return p, false
	}
	return HTTPPlace{m[2], m[1] != ""}, true
}

func isHTTPPlace(name string) bool {
	field, row := strings.CutPrefix(name, rowPlace)
	return row && field != "" || slices.Contains(httpPlaces, name)
}

// httpText checks a text of a request, as it is written, and notes what it sends.
func (d *decoder) httpText(n *node.Node, what, text string, h *HTTPAgent) {
	rest := text
	for _, m := range httpPlace().FindAllStringSubmatch(text, -1) {
		rest = strings.ReplaceAll(rest, m[0], "")
		if isHTTPPlace(m[2]) {
			h.sends(m[2])
			continue
		}
		hint := diag.DidYouMean(m[2], httpPlaces)
		if hint == "" {
			hint = "there are " + strings.Join(httpPlaces, ", ") + ", and row.FIELD for a field of the row of a dataset"
		}
		d.Errorf(n, "unknown-placeholder", "%s: nothing fills in %s", what, short(m[0])).Hint = hint
	}
	if found, name := leftVariable(rest, true); found != "" {
		hint := "write an environment variable as ${NAME}, or ${NAME:-default}"
		if name != "" {
			hint = "write ${" + name + "} for the variable of the environment"
		}
		d.Errorf(n, "not-filled-in", "%s: %s is sent as written", what, short(found)).Hint = hint
	}
}
