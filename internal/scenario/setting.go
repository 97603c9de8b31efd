package scenario

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// setting reads a text of a provider with ${NAME} and ${NAME:-default}. Other notations of variables are errors,
// because they would be sent unchanged.
func (d *decoder) setting(n *node.Node, what string, missing *[]Unset) string {
	return d.expand(n, d.written(n, what), missing)
}

// keySetting is setting for a key. A variable that is not set is reported by the code that needs the key.
func (d *decoder) keySetting(n *node.Node) (key, unset string) {
	out := Expand(d.written(n, "api_key"), d.getenv)
	if len(out.Unset) > 0 {
		return "", out.Unset[0]
	}
	return out.Text, ""
}

// written reads a text of a provider without replacing its variables.
func (d *decoder) written(n *node.Node, what string) string {
	s, ok := d.String(n, what)
	if !ok {
		return ""
	}
	strict := what == "api_key" || what == "base_url" || what == "endpoint"
	if found, name := unfilled(s, strict); found != "" && (what != "api_key" || found == s) {
		d.unfilled(n, what+" is used as written, and holds "+found, name)
		return ""
	}
	return s
}

func (d *decoder) unfilled(n *node.Node, msg, name string) {
	hint := "write an environment variable as ${NAME}, or ${NAME:-default}"
	if name != "" {
		hint = "write ${" + name + "} for the environment variable"
	}
	d.Errorf(n, "not-filled-in", "%s", msg).Hint = hint
}

// otherVariables match the notations of variables in other tools. Each has a group for the name.
var otherVariables = sync.OnceValue(func() []*regexp.Regexp {
	list := []string{
		`\$\{\{?\s*(?:env[.:]|secrets\.|vars\.)?\s*([A-Za-z_]\w*)?[^}]*\}?\}`, // ${ NAME }, ${env:NAME}, ${{ secrets.NAME }}
		`\{\{[-\s]*(?:env[.:]|[.$]|secrets\.)?\s*([A-Za-z_]\w*)[^}]*\}\}`,     // {{ NAME }}, {{ .env.NAME }}
		`\$\((?:env:)?([A-Za-z_]\w*)\)`,                                       // $(NAME)
		`(?:^|[^\w$])\$(?:env:)?([A-Z_][A-Z0-9_]+)\b`,                         // $NAME
		`^%([A-Za-z_]\w+)%$`, // %NAME%
		`^(?:env|ENV|os\.environ)[:/.]\s*([A-Z_][A-Z0-9_]+)$`, // env:NAME
	}
	out := make([]*regexp.Regexp, len(list))
	for i, text := range list {
		out[i] = regexp.MustCompile(text)
	}
	return out
})

// shellVariables are the notations without double braces, which mean something else in texts of tools.
var shellVariables = sync.OnceValue(func() []*regexp.Regexp {
	return slices.DeleteFunc(slices.Clone(otherVariables()), func(p *regexp.Regexp) bool {
		return strings.HasPrefix(p.String(), `\{`)
	})
})

// bare are placeholders that are a whole value or a part of an address: $key, <your key>, {resource}.
var bare = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\$([A-Za-z_]\w*)$|^<[^<>]+>$|\{[A-Za-z_][\w -]*\}`)
})

// unfilled finds a placeholder in a setting that is not replaced; strict is for texts without braces of their own. name
// is the name of its variable, if any.
func unfilled(s string, strict bool) (found, name string) {
	if !strings.ContainsAny(s, "${%<") && !strings.Contains(s, "env") && !strings.Contains(s, "ENV") {
		return "", ""
	}
	s = variable().ReplaceAllString(s, "") // these are put in
	patterns := otherVariables()
	if strict {
		patterns = append(slices.Clip(patterns), bare())
	}
	return unfilledBy(s, patterns)
}

func unfilledBy(s string, patterns []*regexp.Regexp) (found, name string) {
	for _, pattern := range patterns {
		m := pattern.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		if len(m) > 1 {
			name = m[1]
		}
		return short(strings.TrimLeft(m[0], " =:/?&\"'")), name
	}
	return "", ""
}

// filled are the settings of a provider with ${NAME}, by their path.
var filled = map[string]bool{
	".base_url": true, ".headers.*": true, ".credential.api_key": true, ".platform.endpoint": true,
}

// untouched reports variables in settings that are not expanded.
func (d *decoder) untouched(n *node.Node, path, kind string) {
	switch n.Kind {
	case node.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			switch {
			case path == ".headers":
				key = "*"
			case path == "" && providerFields.index(key) < 0:
				continue // it is reported for its name
			case path == "" && key == "additional_config" && kind == HTTPType:
				continue // its texts may hold them, and say so where they may not
			}
			d.untouched(n.Content[i+1], path+"."+key, kind)
		}
	case node.List:
		for _, item := range n.Content {
			d.untouched(item, path, kind)
		}
	default:
		m := variable().FindStringSubmatch(n.Value)
		whole := m != nil && m[0] == n.Value
		if m == nil || filled[path] || !whole && strings.HasPrefix(path, ".additional_config.") {
			return
		}
		what := path[strings.LastIndexByte(path, '.')+1:]
		hint := "${NAME} is read in base_url, headers, credential.api_key and platform.endpoint; write the value itself"
		if what == "credential_env" {
			hint = "it is the name of a variable: write " + m[1]
		}
		d.Errorf(n, "not-filled-in", "%s is used as written, and holds %s", what, short(m[0])).Hint = hint
	}
}
