package generate

import (
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
)

// PackTool is a tool that a pack declares.
type PackTool struct {
	Name, Description string
	Schema            any     // of the arguments, as decoded JSON; nil: none
	Result            *string // recorded result of the tool; nil: not known
}

// PackConfig writes the config for generated scenarios with the prompts of a pack. Its tools are mocked.
func PackConfig(pack string, scenarios []string, tools []PackTool) (string, error) {
	spec := node.NewMap()
	node.Put(spec, "pack_file", node.Str(pack))
	node.Put(spec, "providers", node.NewList())
	files := node.NewList()
	for _, name := range scenarios {
		files.Content = append(files.Content, node.FromJSON(jsonvalue.Object{"file": name}))
	}
	node.Put(spec, "scenarios", files)
	if len(tools) > 0 {
		specs := node.NewMap()
		for i := range tools {
			node.Put(specs, tools[i].Name, tools[i].node())
		}
		node.Put(spec, "tool_specs", specs)
	}
	node.Put(spec, "defaults", node.NewMap())
	root := node.NewMap()
	node.Put(root, "kind", node.Str("Arena"))
	node.Put(root, "metadata", node.FromJSON(jsonvalue.Object{"name": "generated"}))
	node.Put(root, "spec", spec)
	text, err := node.Text(root)
	if err != nil {
		return "", err
	}
	return header("Made by arena generate. The mock replies bring the recorded results of tools; these mocks are",
		"for agents that are asked again. Bind the real tools here.") + text, nil
}

func (t *PackTool) node() *node.Node {
	out := node.NewMap()
	node.Put(out, "description", node.Str(t.Description))
	node.Put(out, "mode", node.Str("mock"))
	schema := t.Schema
	if schema == nil {
		schema = jsonvalue.Object{"type": "object"}
	}
	node.Put(out, "input_schema", node.FromJSON(schema))
	if t.Result != nil {
		node.Put(out, "mock_result", node.Str(*t.Result))
	}
	return out
}
