package names

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestImpossibleArguments: in no check does a value pass for an argument that the schema of the tool does not take. The
// values come from the examples of the checks.
func TestImpossibleArguments(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, def := range checks.Builtin() {
		for _, spec := range examplesOf(t, def) {
			compiled := (&checks.Compiler{}).Compile(spec, &diag.List{})
			if compiled == nil {
				continue
			}
			uses := argumentUses(compiled)
			p := &scenario.Project{Scenarios: []*scenario.Scenario{{
				Meta: scenario.Meta{ID: "s"}, Conversation: []scenario.Placed{{Compiled: compiled}},
			}}}
			for tool, schema := range impossible(uses) {
				p.Tools = append(p.Tools, &scenario.Tool{Meta: scenario.Meta{ID: tool}, InputSchema: schema})
			}
			var found diag.List
			Report(p, p.Scenarios, false, &found)
			for _, use := range uses {
				for _, v := range use.Wants {
					told := slices.ContainsFunc(found.Sorted(), func(d diag.Diagnostic) bool {
						return d.Code == "bad-arguments" && d.Pos == v.Pos && strings.Contains(d.Msg, use.Param+": "+use.Name+" must be")
					})
					if !told && (v.Pattern != nil || v.Value != nil) {
						t.Errorf("%s: %s: %s: %v passes: %v", spec.Pos, use.Param, use.Name, v.Value, found.Sorted())
					}
					met[use.Param] = true
				}
			}
		}
	}
	for _, param := range []string{"expected_args", "excluded_args", "forbidden_args", "args_match", "args"} {
		if !met[param] {
			t.Errorf("no example has a value in %s", param)
		}
	}
}

func argumentUses(c *checks.Compiled) (uses []checks.NameUse) {
	for _, use := range c.Names() {
		if use.Kind == checks.ArgumentName {
			uses = append(uses, use)
		}
	}
	for _, part := range c.Nested() {
		uses = append(uses, argumentUses(part)...)
	}
	return uses
}

// impossible are schemas that accept none of the compared values.
func impossible(uses []checks.NameUse) map[string][]byte {
	tools := map[string]map[string]any{}
	for _, use := range uses {
		if tools[use.Of] == nil {
			tools[use.Of] = map[string]any{}
		}
		tools[use.Of][use.Name] = map[string]any{"enum": []any{"\x01nothing"}}
	}
	schemas := map[string][]byte{}
	for name, properties := range tools {
		schemas[name], _ = json.Marshal(map[string]any{"type": "object", "properties": properties})
	}
	return schemas
}

// TestUnlistedWithinArguments: in no check that compares arguments with values does a name within a value pass that the
// schema of the tool does not list.
func TestUnlistedWithinArguments(t *testing.T) {
	t.Parallel()
	const object = `{"type": "object", "properties": {"zip": {"type": "string"}}%s}`
	for _, c := range []struct {
		schema, value string
		told          string // "": nothing
	}{
		{strings.Replace(object, "%s", "", 1), `{"zpi": "1"}`, `addr of the tool pay has no "zpi"`},
		{strings.Replace(object, "%s", `, "additionalProperties": false`, 1), `{"zpi": "1"}`, `addr of the tool pay has no "zpi"`},
		{strings.Replace(object, "%s", `, "additionalProperties": true`, 1), `{"zpi": "1"}`, ""},
		{strings.Replace(object, "%s", "", 1), `{"zip": "1"}`, ""},
		{`{"type": "object"}`, `{"zpi": "1"}`, ""},
		{
			`{"type": "array", "items": {"properties": {"to": ` + strings.Replace(object, "%s", "", 1) + `}}}`,
			`[{"to": {"zip": "1"}}, {"to": {"zpi": "1"}}]`, `addr[1].to of the tool pay has no "zpi"`,
		},
	} {
		for _, check := range []struct{ name, params string }{
			{"tool_args", `{"tool_name": "pay", "expected_args": {"addr": VALUE}, "max_score": 0}`},
			{"tool_calls_with_args", `{"tool_name": "pay", "expected_args": {"addr": VALUE}}`},
			{"not", `{"check": {"type": "tool_args", "params": {"tool_name": "pay", "expected_args": {"addr": VALUE}}}}`},
			{"trajectory", `{"steps": [{"tool": "pay", "args": {"addr": VALUE}}], "max_score": 0}`},
		} {
			text := strings.Replace(check.params, "VALUE", c.value, 1)
			r := &node.Reader{File: "s.yaml", Diags: &diag.List{}}
			spec := &scenario.Check{Type: check.name, Params: node.Parse(r, []byte(text))[0]}
			compiled := (&checks.Compiler{}).Compile(spec, r.Diags)
			if compiled == nil {
				t.Fatal(text, r.Diags.Sorted())
			}
			p := &scenario.Project{Scenarios: []*scenario.Scenario{{
				Meta: scenario.Meta{ID: "s"}, Conversation: []scenario.Placed{{Compiled: compiled}},
			}}}
			p.Tools = []*scenario.Tool{{
				Meta: scenario.Meta{ID: "pay"}, InputSchema: []byte(`{"properties": {"addr": ` + c.schema + `}}`),
			}}
			var found diag.List
			Report(p, p.Scenarios, false, &found)
			var told []string
			for _, d := range found.Sorted() {
				if d.Code == "unknown-argument" {
					told = append(told, d.Msg)
				}
			}
			if (len(told) == 1) != (c.told != "") || c.told != "" && !strings.Contains(told[0], c.told) {
				t.Errorf("%s %s with %s: %q, want %q", check.name, text, c.schema, told, c.told)
			}
		}
	}
}
