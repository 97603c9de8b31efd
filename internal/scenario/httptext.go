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
	Name string // one of httpPlaces, of mediumPlaces, or row.FIELD
	JSON bool   // it is written as JSON
}

// httpPlaces are the names of places, but for those of media and of the fields of a row.
var httpPlaces = []string{
	"message", "system", "messages", "history", "session", "turn", "trial", "scenario", "tools", "results",
	OTLPEndpoint, OTLPHeaders,
}

// Places by which an endpoint learns where to send its traces.
const (
	OTLPEndpoint = "otlp.endpoint"
	OTLPHeaders  = "otlp.headers"
)

const rowPlace = "row."

// MediumPlace begins the names of the places of a medium of the message.
const MediumPlace = "medium."

// mediumPlaces are the places of a medium in a body.
var mediumPlaces = []string{"medium.data_url", "medium.data", "medium.mime_type", "medium.kind", "medium.name"}

// HoldsMedium reports whether a part of a body has a place of a medium. Lists within it do not count: an item of a list
// that has one is repeated for each medium.
func HoldsMedium(part any) bool {
	switch part := part.(type) {
	case map[string]any:
		for _, inner := range part {
			if HoldsMedium(inner) {
				return true
			}
		}
	case string:
		there := false
		FillHTTP(part, func(p HTTPPlace) string {
			there = there || strings.HasPrefix(p.Name, MediumPlace)
			return ""
		})
		return there
	}
	return false
}

var httpPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*(json\s+)?(.*?)\s*\}\}`) })

// FillHTTP puts the results of fill into the places of a text. Everything else is unchanged.
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

// HTTPPlaceOf is the place that a text is; ok is false for any other text.
func HTTPPlaceOf(text string) (p HTTPPlace, ok bool) {
	m := httpPlace().FindStringSubmatch(text)
	if m == nil || m[0] != text || !isHTTPPlace(m[2]) {
		return p, false
	}
	return HTTPPlace{m[2], m[1] != ""}, true
}

func isHTTPPlace(name string) bool {
	field, row := strings.CutPrefix(name, rowPlace)
	return row && field != "" || slices.Contains(httpPlaces, name) || slices.Contains(mediumPlaces, name)
}

// httpText checks a text of a request, and notes what it sends.
func (d *decoder) httpText(n *node.Node, what, text string, h *HTTPAgent) {
	rest := text
	for _, m := range httpPlace().FindAllStringSubmatch(text, -1) {
		rest = strings.ReplaceAll(rest, m[0], "")
		if strings.HasPrefix(m[2], MediumPlace) && isHTTPPlace(m[2]) && !strings.HasPrefix(what, "body: ") {
			d.Errorf(n, "wrong-value", "%s: a medium of the message can stand in the body alone", what)
			continue
		}
		if isHTTPPlace(m[2]) {
			h.Puts(m[2])
			if field, is := strings.CutPrefix(m[2], rowPlace); is {
				h.rows = append(h.rows, HTTPField{field, d.Pos(n)})
			}
			continue
		}
		names := slices.Concat(httpPlaces, mediumPlaces)
		hint := diag.DidYouMean(m[2], names)
		if hint == "" {
			hint = "there are " + strings.Join(names, ", ") + ", and row.FIELD for a field of the row of a dataset"
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
