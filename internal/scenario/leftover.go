package scenario

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// Texts that leave arena for endpoints, programs and servers and contain what looks like an environment variable or an
// argument of a tool, in a form that is not filled in: $KEY in a header, {id} in an address, ${KEY} in an argument of a
// program. A server that gets the text unchanged is not the one under test.

// leaving is a text of that kind.
type leaving struct {
	what      string
	filled    bool     // ${NAME} is replaced by an environment variable
	template  bool     // it is a Go template
	whole     bool     // it may well hold braces and dollar signs of its own
	arguments []string // of the tool
	variable  string   // what to write for a variable of the environment
	argument  string   // what to write for an argument of the tool
}

// left warns of such texts in a value, at any depth.
func (d *decoder) left(n *node.Node, l *leaving) {
	if n == nil {
		return
	}
	for i, inner := range n.Content {
		if n.Kind != node.Map || i%2 == 1 {
			d.left(inner, l)
		}
	}
	if n.Kind != node.Scalar {
		return
	}
	text := n.Value
	if l.template {
		text = doubleBraced().ReplaceAllString(text, "")
	}
	if found, name := leftVariable(text, l.filled); found != "" && (!l.whole || found == text) {
		hint := l.variable
		if l.filled && name != "" {
			hint = "write ${" + name + "} for the variable of the environment"
		}
		d.Foreignf(n, "not-filled-in", "%s: %s is sent as written", l.what, short(found)).Hint = hint
		return
	}
	if found := leftArgument(text, l); found != "" && (!l.whole || found == text) {
		d.Foreignf(n, "foreign-template", "%s: %s is sent as written", l.what, short(found)).Hint =
			strings.ReplaceAll(l.argument, "NAME", strings.Trim(found, "{<$>}"))
	}
}

var doubleBraced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{.*?\}\}`) })

// leftVariable finds what looks like an environment variable and is not filled in, and its name. filled says that
// ${NAME} is filled in.
func leftVariable(s string, filled bool) (found, name string) {
	if !strings.ContainsAny(s, "$%") && !strings.Contains(s, "env") && !strings.Contains(s, "ENV") {
		return "", ""
	}
	if m := variable().FindStringSubmatch(s); m != nil && !filled {
		return m[0], m[1]
	}
	return unfilledBy(variable().ReplaceAllString(s, ""), shellVariables())
}

// leftArgument finds what looks like an argument of the tool and is not filled in: {id}, <id>, $id, and id in a
// template.
func leftArgument(text string, l *leaving) (found string) {
	walkSingles(text, func(name string, _ int) {
		if found == "" && slices.Contains(l.arguments, name) {
			found = "{" + name + "}"
		}
	})
	for _, name := range l.arguments {
		for _, way := range []string{"<" + name + ">", "$" + name} {
			if found == "" && (way == text || way[0] == '<' && strings.Contains(text, way)) {
				found = way
			}
		}
		if found == "" && l.template && text == name {
			found = name
		}
	}
	return found
}

// leftOfHTTP tells of what the requests of a tool would be sent with.
func (d *decoder) leftOfHTTP(t *toolFile, args []string) {
	const byTemplate = `write header_params: {…: "{{.NAME}}"} under request`
	request := node.Get(t.http, "request")
	for _, part := range []struct {
		at *node.Node
		leaving
	}{
		{node.Get(t.http, "url"), leaving{
			what: "url", filled: true, template: true, arguments: args, argument: "write {{.NAME}}",
		}},
		{node.Get(t.http, "headers"), leaving{what: "headers", filled: true, arguments: args, argument: byTemplate}},
		{node.Get(request, "header_params"), leaving{
			what: "header_params", template: true, arguments: args, argument: "write {{.NAME}}",
			variable: "headers and headers_from_env take variables of the environment",
		}},
		{node.Get(request, "static_headers"), leaving{
			what: "static_headers", arguments: args, argument: byTemplate,
			variable: "headers and headers_from_env take variables of the environment",
		}},
		{node.Get(request, "static_query"), leaving{
			what: "static_query", arguments: args, argument: "query_params lists arguments that go into the query",
			variable: "the url takes variables of the environment: …?key=${KEY}",
		}},
		{node.Get(request, "static_body"), leaving{
			what: "static_body", whole: true, arguments: args,
			argument: "arguments go into the body by themselves; body_mapping shapes them",
			variable: "write the value itself; the url and headers take variables of the environment",
		}},
	} {
		d.left(part.at, &part.leaving)
	}
}

// leftOfProgram tells of what a program would be started with. A shell fills in variables itself.
func (d *decoder) leftOfProgram(command string, args, env *node.Node, l *leaving) {
	d.left(env, &leaving{what: "env", filled: true})
	if args != nil && args.Kind == node.List && !readsCode(command, args) {
		d.left(args, l)
	}
}

// readsCode reports whether arguments of a program are code, in which a dollar sign has a meaning of its own.
func readsCode(command string, args *node.Node) bool {
	shells := []string{"sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "pwsh", "awk", "perl"}
	name := strings.TrimSuffix(filepath.Base(command), ".exe")
	return slices.Contains(shells, name) || slices.ContainsFunc(args.Content, func(arg *node.Node) bool {
		return slices.Contains([]string{"-c", "-e", "-lc", "-ec", "--eval", "/c"}, arg.Value) ||
			slices.Contains(shells, filepath.Base(arg.Value))
	})
}
