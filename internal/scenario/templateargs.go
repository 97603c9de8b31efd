package scenario

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// templateArguments reports arguments in a tool's mock_template that its schema does not list: they would be rendered
// as <no value>.
func (d *decoder) templateArguments(t *toolFile) {
	if t.template == nil || t.InputSchema == nil || !strings.Contains(t.MockTemplate, "{{") {
		return
	}
	d.fieldsWithin(t.template, "mock_template", t.MockTemplate, t.InputSchema)
	known, listed := argumentsOf(t.InputSchema)
	if !listed {
		return
	}
	tree, err := template.New("mock").Parse(t.MockTemplate)
	if err != nil || tree.Tree == nil {
		return // is reported
	}
	told := map[string]bool{}
	eachArgument(tree.Root, true, func(name string, at parse.Pos) {
		if slices.Contains(known, name) || told[name] {
			return
		}
		told[name] = true
		report := d.Foreignf(t.template, "unknown-argument", "mock_template: the tool %s has no argument %q", t.ID, name)
		if node.IsBlock(t.template) { // its text starts below the |
			report.Pos.Line += int32(strings.Count(t.MockTemplate[:at], "\n") + 1)
			report.Pos.Col, report.Width = 0, 0
		}
		report.Hint = diag.DidYouMean(name, known)
		if report.Hint == "" {
			report.Hint = "list it in the input_schema, or take it out"
		}
	})
}

// argumentsOf lists the arguments in a schema, like Arguments.
func argumentsOf(schema []byte) (names []string, listed bool) {
	v, err := chat.DecodeJSON(bytes.TrimSpace(schema))
	doc, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, false
	}
	return Arguments(doc)
}

// Arguments lists the arguments in the decoded schema of a tool, sorted. listed is false if the schema allows others.
func Arguments(schema map[string]any) (names []string, listed bool) {
	for _, key := range []string{
		"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "additionalProperties", "unevaluatedProperties",
	} {
		if v, given := schema[key]; given && v != false {
			return nil, false
		}
	}
	properties, there := schema["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties)), there
}

// eachArgument visits the arguments that a template names. dot: the dot is the arguments; $ always is.
func eachArgument(n parse.Node, dot bool, visit func(name string, at parse.Pos)) {
	eachPath(n, dot, func(path []string, at parse.Pos) { visit(path[0], at) })
}

// eachPath is eachArgument with the fields within the arguments: {{.order.id}}.
func eachPath(n parse.Node, dot bool, visit func(path []string, at parse.Pos)) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, part := range n.Nodes {
				eachPath(part, dot, visit)
			}
		}
	case *parse.ActionNode:
		eachPath(n.Pipe, dot, visit)
	case *parse.IfNode:
		eachPath(n.Pipe, dot, visit)
		eachPath(n.List, dot, visit)
		eachPath(n.ElseList, dot, visit)
	case *parse.RangeNode:
		eachBranch(&n.BranchNode, dot, visit)
	case *parse.WithNode:
		eachBranch(&n.BranchNode, dot, visit)
	case *parse.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				eachPath(c, dot, visit)
			}
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			eachPath(arg, dot, visit)
		}
	case *parse.ChainNode:
		eachPath(n.Node, dot, visit)
	case *parse.FieldNode:
		if dot {
			visit(n.Ident, n.Pos)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			visit(n.Ident[1:], n.Pos)
		}
	}
}

// eachBranch visits range and with, which set the dot.
func eachBranch(n *parse.BranchNode, dot bool, visit func(path []string, at parse.Pos)) {
	eachPath(n.Pipe, dot, visit)
	eachPath(n.List, false, visit)
	eachPath(n.ElseList, dot, visit)
}

// fieldsWithin reports fields of arguments whose type has no fields: the template would fail in every call.
func (d *decoder) fieldsWithin(at *node.Node, what, src string, schema []byte) {
	tree, err := template.New("tool").Parse(src)
	if at == nil || err != nil || tree.Tree == nil {
		return // is reported
	}
	v, err := chat.DecodeJSON(bytes.TrimSpace(schema))
	doc, ok := v.(map[string]any)
	properties, _ := doc["properties"].(map[string]any)
	if err != nil || !ok {
		return
	}
	eachPath(tree.Root, true, func(path []string, _ parse.Pos) {
		property, _ := properties[path[0]].(map[string]any)
		kind, _ := property["type"].(string)
		if len(path) > 1 && slices.Contains([]string{"string", "number", "integer", "boolean"}, kind) {
			d.Errorf(at, "invalid-template", "%s: there is no %s: the argument %s is of type %s, which has no fields", what,
				"{{."+strings.Join(path, ".")+"}}", path[0], kind).Hint = "write {{." + path[0] + "}}"
		}
	})
}

// resultPlaces warns of placeholders in a mock_result, which is not a template.
func (d *decoder) resultPlaces(t *toolFile) {
	if t.result == nil || t.template != nil || t.InputSchema == nil {
		return
	}
	known, _ := argumentsOf(t.InputSchema)
	withoutPlaces(t.result, func(at *node.Node, place string) {
		hint := writeValue
		name := strings.TrimPrefix(strings.Trim(place, "{} "), ".")
		if slices.Contains(known, name) {
			hint = "for the argument write a mock_template, with {{." + name + "}}"
		}
		d.Warnf(at, "foreign-template", "mock_result contains %s, and is returned as written", short(place)).Hint = hint
	})
}
