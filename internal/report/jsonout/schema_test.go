package jsonout_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/result"
)

func validate(t *testing.T, file []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t).Validate(doc); err != nil {
		t.Errorf("the output does not fit its schema: %v", err)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonout.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("results.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaNamesEveryField compares the schema with the Go types, in both directions.
func TestSchemaNamesEveryField(t *testing.T) {
	t.Parallel()
	var root object
	if err := json.Unmarshal(jsonout.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	types := map[string]any{
		"summary": result.Summary{}, "check_count": result.CheckCount{}, "usage": result.Usage{}, "group": result.Group{},
		"assertion_stats": result.AssertionStats{}, "trial": result.Trial{}, "turn": result.Turn{},
		"tool_call": result.ToolCall{}, "verdict": result.Verdict{}, "position": diag.Pos{}, "message": chat.Message{},
		"part": chat.Part{}, "media": chat.Media{}, "call_request": chat.ToolCall{}, "call_result": chat.ToolResult{},
		"validation": chat.Validation{}, "message_usage": chat.Usage{}, "judgement": result.Judgement{},
		"side_cost": result.SideCost{}, "generated": chat.Generated{}, "firing": result.Firing{}, "guard_count": result.GuardCount{},
		"original": chat.Original{}, "left_out": chat.LeftOut{}, "context_call": chat.ContextCall{}, "opaque": chat.Opaque{}, "eval_result": result.EvalResult{}, "eval_count": result.EvalCount{},
		"eval_stats": result.EvalStats{}, "attempt": result.Attempt{}, "coverage": result.Coverage{}, "covered": result.Covered{},
		"declared": result.Declared{}, "row": result.Row{}, "gate": result.Gate{},
		"group_counts": result.GroupCounts{}, "suite_rate": result.SuiteRate{},
		"dataset_stats": result.DatasetStats{}, "rate_interval": agreement.Interval{}, "spread": result.Spread{},
		"variant_stats": result.VariantStats{}, "rows_check": result.RowsCheck{}, "worst_row": result.WorstRow{},
		"memory": result.Memory{}, "workflow": result.Workflow{}, "composition": result.Composition{},
		"trace": chat.Trace{}, "trace_span": chat.TraceSpan{},
		"step": result.Step{}, "failed_attempt": result.FailedAttempt{},
		"transition": result.Transition{}, "refused_transition": result.RefusedTransition{},
	}
	for name, v := range types {
		compare(t, name, root.Defs[name], reflect.TypeOf(v))
	}
	for name, def := range root.Defs {
		if _, ok := types[name]; !ok && len(def.Properties) > 0 {
			t.Errorf("$defs/%s has no Go type", name)
		}
	}
	if _, ok := root.Properties["runs"]; !ok {
		t.Error("the schema has no runs")
	}
	delete(root.Properties, "runs")
	root.Required = slices.DeleteFunc(root.Required, func(s string) bool { return s == "runs" })
	fields(reflect.TypeFor[result.Run](), func(name string, optional bool) {
		if name == "groups" && optional { // Write always writes them
			root.Required = slices.DeleteFunc(root.Required, func(s string) bool { return s == "groups" })
		}
	})
	compare(t, "the run", root, reflect.TypeFor[result.Run]())
}

type object struct {
	Description string
	Closed      bool
	Required    []string
	Properties  map[string]object
	Defs        map[string]object
}

// UnmarshalJSON reads what the test looks at; additionalProperties is either false or a schema.
func (o *object) UnmarshalJSON(b []byte) error {
	var raw struct {
		Description string            `json:"description"`
		Closed      json.RawMessage   `json:"additionalProperties"`
		Required    []string          `json:"required"`
		Properties  map[string]object `json:"properties"`
		Defs        map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*o = object{raw.Description, string(raw.Closed) == "false", raw.Required, raw.Properties, raw.Defs}
	return nil
}

func compare(t *testing.T, name string, o object, typ reflect.Type) {
	t.Helper()
	if !o.Closed || o.Description == "" {
		t.Errorf("%s: must be described and allow no other properties", name)
	}
	var all, required []string
	fields(typ, func(field string, optional bool) {
		all = append(all, field)
		if !optional {
			required = append(required, field)
		}
		if o.Properties[field].Description == "" {
			t.Errorf("%s.%s is not described", name, field)
		}
	})
	var known []string
	for property := range o.Properties {
		known = append(known, property)
	}
	for _, s := range [][]string{all, required, known, o.Required} {
		slices.Sort(s)
	}
	if diff := cmp.Diff(all, known); diff != "" {
		t.Errorf("%s: properties (-%s +schema):\n%s", name, typ, diff)
	}
	if diff := cmp.Diff(required, o.Required, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: required (-%s +schema):\n%s", name, typ, diff)
	}
}

// fields calls f with the JSON name of every field.
func fields(typ reflect.Type, f func(name string, optional bool)) {
	for field := range typ.Fields() {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case field.Anonymous:
			fields(field.Type, f)
		case field.IsExported() && name != "-" && name != "":
			f(name, strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"))
		}
	}
}
