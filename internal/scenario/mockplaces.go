package scenario

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
)

// mockPlaces warns of results of simulated tools that are probably mistakes: placeholders of another language in a
// template, and text that is almost JSON.
func (d *decoder) mockPlaces(t *toolFile) {
	if t.template != nil {
		known, _ := argumentsOf(t.InputSchema)
		text := doubleBraced().ReplaceAllString(t.MockTemplate, "")
		if place, name := foreignArgument(text, known); place != "" {
			d.Warnf(t.template, "foreign-template", "mock_template contains %s, and gives it as written", short(place)).Hint =
				"write {{." + name + "}}"
		}
		if text == t.MockTemplate {
			d.warnAlmostJSON(t.template, "mock_template", text)
		} else if why := neverJSON(t.MockTemplate); why != nil {
			d.Warnf(t.template, "not-json", "mock_template begins as JSON does, and what it makes is none, whatever the "+
				"arguments are: %v", why).Hint = "a text needs quotes: \"{{.order_id}}\""
		}
		return
	}
	if t.result != nil && t.result.Kind == node.Scalar {
		d.warnAlmostJSON(t.result, "mock_result", t.result.Value)
	}
}

// otherPlaces are placeholders of other languages: ${x}, {x}, <%= x %>, <x>.
var otherPlaces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\s*(\w+)\s*\}|<%=?\s*(\w+)\s*%>|<(\w+)>`)
})

// foreignArgument finds an argument of a tool in the placeholder of another language.
func foreignArgument(text string, known []string) (place, name string) {
	for _, m := range otherPlaces().FindAllStringSubmatch(text, -1) {
		name = strings.Join(m[1:], "")
		if slices.Contains(known, name) {
			return m[0], name
		}
	}
	return "", ""
}

// warnAlmostJSON warns of a text that starts like JSON and is not valid: a model would get it as a text.
func (d *decoder) warnAlmostJSON(n *node.Node, what, text string) {
	text = strings.TrimSpace(text)
	if !almostJSON().MatchString(text) {
		return
	}
	if _, err := chat.DecodeJSON([]byte(text)); err != nil {
		d.Warnf(n, "not-json", "%s begins as JSON does, and is given as a text: %v", what, err).Hint =
			"write it as a map or a list"
	}
}

var almostJSON = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\{\s*(?:"|\w+\s*:)|\[\s*(?:["{\[]|-?\d+\s*[,\]]))`)
})
