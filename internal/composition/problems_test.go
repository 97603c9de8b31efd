package composition

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	p := func(id string, input any) *Step { return &Step{ID: id, Kind: Prompt, Input: input} }
	asks := func(op Op, path string, value any) *Step {
		return &Step{ID: "r", Kind: Branch, Then: "b", If: &Predicate{Path: path, Op: op, Value: value}}
	}
	asked := func(id string, s *Step) *Step {
		s.ID = id
		return s
	}
	typed := &Step{ID: "a", Kind: Prompt, Schema: []byte(`{"type": "object", "properties": {"yes": {"type": "boolean"},
		"n": {"type": ["integer", "null"]}, "kind": {"type": "string", "enum": ["a", "b"]}, "any": {}}}`)}
	for _, tc := range []struct {
		name   string
		steps  []*Step
		output string
		want   []string // step key: text
	}{
		{"fine", []*Step{{ID: "a", Kind: Prompt, Input: "${input}", Schema: []byte("{}")}, p("b", "${a.output.x}")}, "b", nil},
		{"text has no parts", []*Step{p("a", nil), p("b", "${a.output.x}")}, "", []string{
			`b input: the step "a" gives text, in which there is no "x"`}},
		{"later", []*Step{p("a", "${b.output}"), p("b", nil)}, "", []string{`a input: the step "b" comes later`}},
		{"itself", []*Step{p("a", "${a.output}")}, "", []string{`a input: the step "a" refers to itself`}},
		{"misspelt", []*Step{p("route", nil), p("b", map[string]any{"x": []any{"${ruote.output}"}})}, "",
			[]string{`b input: there is no step "ruote"`}},
		{"no output", []*Step{p("a", nil), p("b", "${a.text}")}, "", []string{`b input: ${a.text} is neither ${input…} nor ${STEP.output…}`}},
		{"empty part", []*Step{p("a", "${input..x}")}, "", []string{
			`a input: ${input..x} has an empty part: write ${input.NAME} or ${STEP.output.NAME}`}},
		{"ids", []*Step{p("a-b", nil), p("input", nil), p("c", nil), p("c", nil)}, "", []string{
			`a-b id: "a-b" cannot be the id of a step`, "input id: no step can be called input: ${input} is what the user said",
			`c id: a second step is called "c"`}},
		{"depends", []*Step{{ID: "a", Kind: Prompt, DependsOn: []string{"b", "x"}}, p("b", nil)}, "", []string{
			`a depends_on: the step "b" comes later`, `a depends_on: there is no step "x"`}},
		{"branch", []*Step{p("a", nil), {ID: "r", Kind: Branch, Then: "a", Else: "nope", If: &Predicate{
			Not: &Predicate{Path: "${z.output}", Op: Less, Value: "x"}}}}, "", []string{
			`r then: the step "a" does not come after the branch`, `r else: there is no step "nope"`,
			`r predicate: there is no step "z"`, `r predicate: less_than compares numbers, and value is none`}},
		{"in without a list", []*Step{{ID: "r", Kind: Branch, Then: "a", If: &Predicate{Path: "input", Op: In, Value: "x"}},
			p("a", nil)}, "", []string{`r predicate: in needs a list of values`}},
		{"text is no number", []*Step{p("a", nil), asks(Equals, "${a.output}", json.Number("7")), p("b", nil)}, "", []string{
			`r predicate: ${a.output} is text, and never equals 7`}},
		{"text has no order", []*Step{p("a", nil), asks(Less, "a.output", json.Number("7")), p("b", nil)}, "", []string{
			`r predicate: a.output is text, and less_than compares numbers`}},
		{"text in texts", []*Step{p("a", nil), asks(In, "a.output", []any{"7", nil, "{{n}}"}), p("b", nil)}, "", nil},
		{"no text", []*Step{p("a", nil), asks(NotIn, "a.output", []any{"no", false}), p("b", nil)}, "", []string{
			`r predicate: a.output is text, and never equals false`}},
		{"declared", []*Step{typed, asks(Equals, "${a.output.yes}", true),
			asked("r2", asks(Equals, "${a.output.n}", json.Number("1.0"))), asked("r3", asks(Greater, "${a.output.n}", json.Number("1"))),
			asked("r4", asks(Equals, "${a.output.kind}", "b")), asked("r5", asks(Equals, "${a.output.any}", true)),
			asked("r6", asks(Equals, "${a.output.n}", "{{n}}")), p("b", nil)}, "", nil},
		{"declared otherwise", []*Step{typed, asks(Equals, "${a.output.yes}", "true"), p("b", nil)}, "", []string{
			`r predicate: ${a.output.yes} is declared as boolean, and never equals "true"`}},
		{"declared without order", []*Step{typed, asks(Less, "${a.output.yes}", json.Number("1")), p("b", nil)}, "", []string{
			`r predicate: ${a.output.yes} is declared as boolean, and less_than compares numbers`}},
		{"none of the words", []*Step{typed, asks(NotEquals, "${a.output.kind}", "B"), p("b", nil)}, "", []string{
			`r predicate: ${a.output.kind} is one of ["a","b"], and never equals "B"`}},
		{"of a branch", []*Step{
			{ID: "l", Kind: Parallel, Strategy: Barrier, Into: "o", Branches: []*Step{p("c", nil), typed}},
			asks(Equals, "${l.output.o.c}", true), p("b", nil)}, "", []string{
			`r predicate: ${l.output.o.c} is text, and never equals true`}},
		{"agent", []*Step{{ID: "a", Kind: Agent}}, "", []string{`a termination: termination has neither max_steps nor tool_called`}},
		{"output", []*Step{p("a", nil)}, "b", []string{` output: there is no step "b"`}},
		{"parallel", []*Step{{ID: "p", Kind: Parallel, Branches: []*Step{{ID: "p", Kind: Branch}}}}, "", []string{
			`p branches: a parallel step needs two branches or more`, `p kind: a branch step cannot stand inside a parallel step`,
			`p id: a second step is called "p"`}},
		{"the other way", []*Step{p("k", nil), {ID: "r", Kind: Branch, Then: "a", Else: "b", If: &Predicate{Path: "k.output", Op: Equals,
			Value: "x"}}, p("a", nil), p("b", "${a.output}"), p("c", "${b.output}"), {ID: "d", Kind: Prompt, Input: "${b.output}",
			DependsOn: []string{"b"}}}, "a", []string{
			`b input: the step "a" is always skipped when this one runs`,
			`c input: the step "b" can be skipped, and this one fails then`,
			` output: the output is that of the step "a", which can be skipped: the composition fails then`}},
		{"parts of a parallel output", []*Step{{ID: "p", Kind: Parallel, Into: "all", Strategy: Append, Branches: []*Step{
			p("x", nil), p("y", nil)}}, p("a", "${p.output.al} ${p.output.all.2} ${p.output.all.0}")}, "", []string{
			`a input: the step "p" gives what its branches gave as "all", and no "al"`,
			`a input: the step "p" gives a list of 2, in which there is no "2"`}},
		{"a key that the schema does not have", []*Step{{ID: "a", Kind: Prompt, Schema: []byte(
			`{"type": "object", "properties": {"kind": {"type": "string"}}, "additionalProperties": false}`)},
			p("b", "${a.output.knid}")}, "", []string{`b input: the schema of a declares no "knid"`}},
		{"a key that the schema of a branch does not have", []*Step{
			{ID: "l", Kind: Parallel, Strategy: Barrier, Into: "o", Branches: []*Step{p("c", nil), typed}},
			asks(Equals, "${l.output.o.a.yess}", true), p("b", "${l.output.o.c.x}"),
		}, "", []string{
			`r predicate: the schema of a declares no "yess"`, `b input: the step "c" gives text, in which there is no "x"`}},
		{"an open reference", []*Step{p("a", "is ${input.x")}, "", []string{`a input: a reference is not closed: ${input.x`}},
		{"siblings do not see each other", []*Step{{ID: "p", Kind: Parallel, Branches: []*Step{p("x", nil), p("y", "${x.output}")}}},
			"", []string{`y input: the step "x" comes later`}},
	} {
		c := &Composition{Steps: tc.steps, Output: tc.output}
		var got []string
		for _, problem := range c.Problems() {
			id := ""
			if problem.Step != nil {
				id = problem.Step.ID
			}
			got = append(got, id+" "+problem.Key+": "+problem.Text)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
	}
}
