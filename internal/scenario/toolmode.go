package scenario

import (
	"slices"

	"github.com/arena-evals/arena/internal/node"
)

// toolSection is a part of a tool that only some modes read.
type toolSection struct {
	key   string
	modes []string
	does  string // how the tool answers where the section counts
}

// toolSections are the parts of a tool that not every mode reads.
var toolSections = []toolSection{
	{"http", []string{"live"}, "call it"},
	{"exec", []string{"exec"}, "run it"},
	{"client", []string{"client"}, "ask the user's side"},
	{"mock_result", simulations, simulate},
	{"mock_result_file", simulations, simulate},
	{"mock_template", simulations, simulate},
	{"mock_template_file", simulations, simulate},
	{"mock_parts", simulations, simulate},
}

// simulations are the modes of tools whose results are in their file.
var simulations = []string{"mock", "client"}

const simulate = "simulate it"

// toolMode checks the settings of a tool against its mode: missing ones, and those without effect.
func (d *decoder) toolMode(spec *node.Node, t *toolFile) {
	switch {
	case t.mode == nil && t.http != nil:
		d.Missing(spec, "a tool with http", "mode").Hint = "write mode: live to call it; to simulate it, take http out"
	case t.mode == nil && t.exec != nil:
		d.Missing(spec, "a tool with exec", "mode").Hint = "write mode: exec to run it; to simulate it, take exec out"
	case t.mode == nil && t.client != nil:
		d.Missing(spec, "a tool with client", "mode").Hint =
			"write mode: client for the user's side; to simulate it without consent, take client out"
	case t.Mode == "live" && t.http == nil:
		d.Missing(spec, "a tool of mode live", "http")
	case t.Mode == "exec" && t.exec == nil:
		d.Missing(spec, "a tool of mode exec", "exec")
	default:
		d.idleSections(spec, t)
	}
	if t.Mode == "" {
		t.Mode = "mock"
	}
	if !slices.Contains(simulations, t.Mode) {
		t.MockResult, t.MockTemplate, t.MockParts = nil, "", nil
		t.result, t.template, t.parts = nil, nil, nil
	}
	if t.Mode != "client" {
		t.Client = nil
	} else if t.Client == nil {
		t.Client = new(ClientTool)
	}
	if t.Mode != "exec" {
		t.Exec = nil
	} else if t.Exec != nil {
		d.program(t)
	}
	if t.Mode != "live" {
		t.HTTP = nil
	} else if t.HTTP != nil {
		d.endpoint(t)
	}
	switch t.Mode {
	case "mock", "client", "exec", "live":
		return
	}
	at := t.mode
	d.need("tools of mode "+t.Mode, at, Feature{Tool: t.ID})
}

// idleSections warns of sections that the mode of a tool does not use: a reader of the file would think that the tool
// is simulated when it is called, or vice versa.
func (d *decoder) idleSections(spec *node.Node, t *toolFile) {
	mode := t.Mode
	if mode == "" {
		mode = "mock"
	}
	for _, s := range toolSections {
		if at := node.KeyOf(spec, s.key); at != nil && !slices.Contains(s.modes, mode) {
			d.Warnf(at, NoEffect, "%s has no effect: the tool %s has mode %s", s.key, t.ID, mode).Hint =
				"take it out, or write mode: " + s.modes[0] + " to " + s.does
		}
	}
	c := node.KeyOf(t.client, "validate_output")
	if c != nil && t.Client.ValidateOutput && t.Mode == "client" && t.outputs == nil {
		d.Warnf(c, NoEffect, "validate_output has no effect: the tool %s has no output_schema", t.ID).Hint =
			"write the output_schema, or take it out"
	}
}

// only reports whether a value is the only one of its kind; the second one is refused.
func (d *decoder) only(v, first *node.Node, key, file string) bool {
	if first != nil {
		d.Foreignf(v, "duplicate-key", "the tool has both %s and %s", key, file).Hint = "keep one of the two"
	}
	return first == nil
}

// oneAnswer warns of results of a simulated tool that another one replaces.
func (d *decoder) oneAnswer(t *toolFile) {
	used, by := t.template, "mock_template"
	if used == nil {
		used, by = t.parts, "mock_parts"
	}
	for _, other := range []struct {
		at  *node.Node
		key string
	}{{t.parts, "mock_parts"}, {t.result, "mock_result"}} {
		if used != nil && other.at != nil && other.at != used {
			d.Warnf(other.at, "unused-field", "%s is not used: the tool has %s", other.key, by)
		}
	}
}
