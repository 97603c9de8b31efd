package scenario

import (
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// proseKeys are the keys of texts that are read or compared, except parameters of checks.
var proseKeys = words(
	"content", "text", "response", "defaultResponse", "system_template", "system_template_prefix",
	"system_template_suffix", "system_prompt", "description", "message", "goals", "constraints",
)

// cutText warns of texts, also in a list, that end before a #word, as in "order #1234", which YAML reads as a comment.
func (d *decoder) cutText(key string, v *node.Node) {
	if word := node.Cut(v); word != "" {
		d.Warnf(v, "cut-text", "%s ends before %q: what follows is a comment", key, short(word)).Hint =
			"put the text in quotes; a comment has a space after the #"
	}
	if v.Kind == node.List {
		for _, item := range v.Content {
			if item.Kind == node.Scalar {
				d.cutText(key, item)
			}
		}
	}
}

// cutParams is cutText for the parameters of a check at any depth.
func (d *decoder) cutParams(params *node.Node) {
	if params == nil || params.Kind != node.Map {
		return
	}
	for i := 1; i < len(params.Content); i += 2 {
		key, v := params.Content[i-1].Value, params.Content[i]
		d.cutText(key, v)
		d.strayQuote(key, v)
		d.cutParams(v)
		if v.Kind == node.List {
			for _, item := range v.Content {
				d.strayQuote(key, item)
				d.cutParams(item)
			}
		}
	}
}

// strayQuote warns of a text that ends with a quote or bracket and does not begin with one: the quote is a part of the
// text, so the text is rarely found, and its ban passes.
func (d *decoder) strayQuote(key string, v *node.Node) {
	sign := node.StrayQuote(v)
	if sign == "" {
		return
	}
	opens := strings.NewReplacer("]", "[", "}", "{").Replace(sign)
	d.Warnf(v, "stray-quote", "%s %q ends with a %s that is a part of it", key, short(v.Value), sign).Hint =
		"write " + opens + " in front of it, too, or take it out; if it is meant, put quotes around the text"
}
