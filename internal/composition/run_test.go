package composition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// host runs leaves by a function.
type host func(ctx context.Context, s *Step, input any) (any, error)

func (host) Begin(*Step) {}
func (host) End(*Record) {}

func (host) Words(s *Step, text string) (string, error) {
	if strings.Contains(text, "{{none}}") {
		return "", errors.New("nothing is called none")
	}
	return strings.NewReplacer("{{id}}", s.ID, "{{ref}}", "${input}").Replace(text), nil
}

func (host) Unknown(v any) bool { return v == "taken out" }

func (h host) Open(s *Step, _ *Step) Leaf { return &leaf{h, s} }

type leaf struct {
	run  host
	step *Step
}

func (l *leaf) Run(ctx context.Context, input any) (any, error) { return l.run(ctx, l.step, input) }
func (l *leaf) Close(*Record)                                   {}

// echo answers with what its table says for the step, else with its input.
func echo(outputs map[string]any) Host {
	return host(func(_ context.Context, s *Step, input any) (any, error) {
		v, ok := outputs[s.ID]
		if !ok {
			return input, nil
		}
		if err, failed := v.(error); failed {
			return nil, err
		}
		return v, nil
	})
}

// told is an outcome in one line: what each step did, then the output or the error.
func told(out *Outcome, err error) string {
	var parts []string
	for i := range out.Records {
		rec := out.Records[i]
		text := rec.Step.ID + "="
		switch {
		case rec.Skipped:
			text += "skipped"
		case rec.Err != nil:
			text += "error"
		case rec.Step.Kind == Branch:
			text += "→" + rec.Target
		default:
			text += jsonvalue.Compact(rec.Output)
		}
		if rec.Attempts > 1 {
			text += fmt.Sprintf("(%d)", rec.Attempts)
		}
		parts = append(parts, text)
	}
	if err != nil {
		return strings.Join(parts, " ") + " ! " + err.Error()
	}
	return strings.Join(parts, " ") + " → " + Text(out.Output)
}

func TestRun(t *testing.T) {
	t.Parallel()
	prompt := func(id string, input any, after ...string) *Step {
		return &Step{ID: id, Kind: Prompt, Input: input, DependsOn: after}
	}
	branch := func(id string, p Predicate, then, other string) *Step {
		return &Step{ID: id, Kind: Branch, If: &p, Then: then, Else: other}
	}
	isBill := Predicate{Path: "${kind.output.name}", Op: Equals, Value: "bill"}
	bill, order := map[string]any{"kind": map[string]any{"name": "bill"}}, map[string]any{"kind": map[string]any{"name": "order"}}
	routed := []*Step{prompt("kind", nil), branch("route", isBill, "a", "b"), prompt("a", "A"), prompt("b", "B"),
		prompt("end", "done", "a", "b")}
	boom := errors.New("boom")
	both := &Step{ID: "both", Kind: Parallel, Into: "all", Strategy: Append,
		Branches: []*Step{prompt("x", "1"), prompt("y", "2")}}
	with := func(s *Step, change func(*Step)) *Step {
		c := *s
		change(&c)
		return &c
	}
	for _, tc := range []struct {
		name    string
		steps   []*Step
		output  string
		input   any
		outputs map[string]any
		want    string
	}{
		{"one step takes the input", []*Step{prompt("a", nil)}, "", "hello", nil, `a="hello" → hello`},
		{"a whole reference keeps its type", []*Step{prompt("a", "${input.n}")}, "", map[string]any{"n": 2.0}, nil, `a=2 → 2`},
		{"within text", []*Step{prompt("a", "n=${input.n}, o=${input}")}, "", map[string]any{"n": 2.0}, nil,
			`a="n=2, o={\"n\":2}" → n=2, o={"n":2}`},
		{"at any depth", []*Step{prompt("a", map[string]any{"l": []any{"${input.0}", true}})}, "", []any{"z"}, nil,
			`a={"l":["z",true]} → {"l":["z",true]}`},
		{"output of a step", []*Step{prompt("a", nil), prompt("b", "${a.output.k}!")}, "", "", map[string]any{
			"a": map[string]any{"k": "v"}}, `a={"k":"v"} b="v!" → v!`},
		{"nothing there", []*Step{prompt("a", "${input.x.y}")}, "", map[string]any{"x": 1.0}, nil,
			`a=error ! step a: ${input.x.y} is not there: there is no "y" in 1`},
		{"braces in a reply are no references", []*Step{prompt("a", nil), prompt("b", "${a.output}")}, "", "${input}", nil,
			`a="${input}" b="${input}" → ${input}`},
		{"words beside references are filled in, and are none", []*Step{prompt("a", []any{"{{id}} {{ref}} ${input}{{id}}", "{{ref}}"})}, "",
			"{{id}}", nil, `a=["a ${input} {{id}}a","${input}"] → ["a ${input} {{id}}a","${input}"]`},
		{"words without a value", []*Step{prompt("a", "x ${input} {{none}}")}, "", "", nil, `a=error ! step a: nothing is called none`},
		{"words are compared", []*Step{branch("r", Predicate{Not: &Predicate{Path: "input", Op: In, Value: []any{"{{id}}"}}}, "a", "b"),
			prompt("a", "A"), prompt("b", "B")}, "", "r", nil, `r=→b a=skipped b="B" → B`},
		{"words without a value are not compared", []*Step{branch("r", Predicate{Path: "input", Op: Equals, Value: "{{none}}"}, "a", ""),
			prompt("a", "A")}, "", "r", nil, `r=error ! step r: nothing is called none`},
		{"then", routed, "", "", bill, `kind={"name":"bill"} route=→a a="A" b=skipped end="done" → done`},
		{"else", routed, "", "", order, `kind={"name":"order"} route=→b a=skipped b="B" end="done" → done`},
		{"what depends on skipped steps alone is skipped", append(routed[:4:4], prompt("end", "done", "b")), "", "", bill,
			`kind={"name":"bill"} route=→a a="A" b=skipped end=skipped → A`},
		{"what a skipped branch leads to is skipped", []*Step{prompt("kind", nil), branch("route", isBill, "a", "r2"),
			prompt("a", "A"), branch("r2", isBill, "b", "c"), prompt("b", "B"), prompt("c", "C")}, "", "", bill,
			`kind={"name":"bill"} route=→a a="A" r2=skipped b=skipped c=skipped → A`},
		{"both ways lead to one step", []*Step{branch("route", isBill, "a", "a"), prompt("a", "A")}, "", "", nil,
			`route=→a a="A" → A`},
		{"no way else", []*Step{branch("route", isBill, "a", ""), prompt("a", "A"), prompt("b", "B")}, "", "", nil,
			`route=→ a=skipped b="B" → B`},
		{"a reference to a skipped step", []*Step{branch("route", isBill, "a", ""), prompt("a", "A"),
			prompt("b", "${a.output}")}, "", "", nil,
			`route=→ a=skipped b=error ! step b: ${a.output} is not there: the step "a" gave no output`},
		{"the chosen output", []*Step{prompt("a", "A"), prompt("b", "B")}, "a", "", nil, `a="A" b="B" → A`},
		{"the chosen output was skipped", []*Step{branch("route", isBill, "a", ""), prompt("a", "A")}, "a", "", nil,
			`route=→ a=skipped ! the output is that of step a, which was skipped`},
		{"nothing gave an output", []*Step{branch("route", isBill, "", "")}, "", "", nil, `route=→ ! no step gave an output`},
		{"an error ends it", []*Step{prompt("a", "A"), prompt("b", "B")}, "", "", map[string]any{"a": boom},
			`a=error ! step a: boom`},
		{"tried again", []*Step{with(prompt("a", "A"), func(s *Step) { s.Attempts = 3 })}, "", "", map[string]any{"a": boom},
			`a=error(3) ! step a: boom`},
		{"tried again at once", []*Step{with(both, func(s *Step) { s.Attempts = 2 })}, "", "", map[string]any{"x": boom},
			`both=error(2) x=error(2) y="2" ! step both: branch x: boom`},
		{"append", []*Step{both}, "", "", nil, `both={"all":["1","2"]} x="1" y="2" → {"all":["1","2"]}`},
		{"replace", []*Step{with(both, func(s *Step) { s.Strategy = Replace })}, "", "", nil,
			`both={"all":"2"} x="1" y="2" → {"all":"2"}`},
		{"barrier", []*Step{with(both, func(s *Step) { s.Strategy = Barrier })}, "", "", nil,
			`both={"all":{"x":"1","y":"2"}} x="1" y="2" → {"all":{"x":"1","y":"2"}}`},
		{"branches by their own id", []*Step{both, prompt("c", "${x.output}${both.output.all.1}")}, "", "", nil,
			`both={"all":["1","2"]} x="1" y="2" c="12" → 12`},
		{"all errors together", []*Step{both}, "", "", map[string]any{"x": boom, "y": errors.New("bang")},
			"both=error x=error y=error ! step both: branch x: boom\nbranch y: bang"},
		{"one of two fails", []*Step{both}, "", "", map[string]any{"x": boom}, `both=error x=error y="2" ! step both: branch x: boom`},
		{"a branch without its step", []*Step{branch("route", isBill, "a", ""), prompt("a", "A"),
			with(both, func(s *Step) { s.Branches = []*Step{prompt("x", "1", "a"), prompt("y", "2")} })}, "", "", nil,
			`route=→ a=skipped both={"all":["2"]} x=skipped y="2" → {"all":["2"]}`},
		{"arguments of a tool", []*Step{{ID: "t", Kind: Tool, Tool: "find", Args: map[string]any{"id": "${input.id}"}}}, "",
			map[string]any{"id": "A-1"}, nil, `t={"id":"A-1"} → {"id":"A-1"}`},
	} {
		c := &Composition{Steps: tc.steps, Output: tc.output}
		if got := told(c.Run(t.Context(), tc.input, echo(tc.outputs))); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// All branches of a parallel step run at the same time: each waits for the others.
func TestParallelAtOnce(t *testing.T) {
	t.Parallel()
	const n = 8
	s := &Step{ID: "p", Kind: Parallel, Into: "all", Strategy: Append}
	for i := range n {
		s.Branches = append(s.Branches, &Step{ID: fmt.Sprintf("b%d", i), Kind: Prompt})
	}
	var all sync.WaitGroup
	all.Add(n)
	_, err := (&Composition{Steps: []*Step{s}}).Run(t.Context(), "", host(func(context.Context, *Step, any) (any, error) {
		all.Done()
		all.Wait()
		return "", nil
	}))
	if err != nil {
		t.Error(err)
	}
}

func TestCancelledIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := &Composition{Steps: []*Step{{ID: "a", Kind: Prompt, Attempts: 5}}}
	out, err := c.Run(ctx, "", host(func(ctx context.Context, _ *Step, _ any) (any, error) {
		cancel()
		return nil, ctx.Err()
	}))
	if !errors.Is(err, context.Canceled) || out.Records[0].Attempts != 1 {
		t.Errorf("%v after %d attempts", err, out.Records[0].Attempts)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hello": `"hello"`, ` {"a": 1} `: `{"a":1}`, "[1, 2]": "[1,2]", "42": `"42"`, `{"a": 1} and more`: `"{\"a\": 1} and more"`,
		"{broken": `"{broken"`, "": `""`,
	} {
		if got := jsonvalue.Compact(Input(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func asTheyStand(text string) (string, error) { return text, nil }

// TestPredicatesOfVariables: a variable has no type of its own; it is compared as what it is compared with.
func TestPredicatesOfVariables(t *testing.T) {
	t.Parallel()
	values := strings.NewReplacer("{{two}}", "2", "{{on}}", "true", "{{shop}}", "Teas")
	s := &scope{
		words:   func(text string) (string, error) { return values.Replace(text), nil },
		outputs: map[string]any{}, input: map[string]any{"n": json.Number("2.0"), "text": "2", "on": true, "said": "true"},
	}
	for _, tc := range []struct {
		path  string
		op    Op
		value any
		want  string
	}{
		{"input.n", Equals, "{{two}}", "true"}, {"input.n", In, []any{"{{shop}}", "{{two}}"}, "true"},
		{"input.n", Greater, "{{two}}", "false"}, {"input.n", GreaterOrSame, "{{two}}", "true"},
		{"input.text", Equals, "{{two}}", "true"}, {"input.n", Equals, "2", "false"}, {"input.n", Equals, "{{shop}}", "false"},
		{"input.on", Equals, "{{on}}", "true"}, {"input.said", Equals, "{{on}}", "true"},
		{"input.n", Less, "{{shop}}", `false the value is "Teas", and less_than compares numbers`},
	} {
		ok, err := (&Predicate{Path: tc.path, Op: tc.op, Value: tc.value}).holds(s)
		got := fmt.Sprint(ok)
		if err != nil {
			got += " " + err.Error()
		}
		if got != tc.want {
			t.Errorf("%s %s %v: %s, want %s", tc.path, tc.op, tc.value, got, tc.want)
		}
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	s := &scope{
		words: asTheyStand, unknown: host(nil).Unknown, outputs: map[string]any{"a": "text"},
		input: map[string]any{"n": 2.0, "s": "x", "nothing": nil, "out": "taken out"},
	}
	cmpr := func(path string, op Op, v any) *Predicate { return &Predicate{Path: path, Op: op, Value: v} }
	yes, no := cmpr("${input.n}", Equals, 2.0), cmpr("${input.n}", Equals, 3.0)
	for _, tc := range []struct {
		p    *Predicate
		want string
	}{
		{yes, "true"}, {no, "false"},
		{cmpr("input.n", NotEquals, 3.0), "true"},
		{cmpr("input.s", In, []any{"x", "y"}), "true"}, {cmpr("input.s", NotIn, []any{"x"}), "false"},
		{cmpr("input.n", Less, 3.0), "true"}, {cmpr("input.n", Less, 2.0), "false"}, {cmpr("input.n", LessOrSame, 2.0), "true"},
		{cmpr("input.n", Greater, 1.0), "true"}, {cmpr("input.n", GreaterOrSame, 2.5), "false"},
		{cmpr("input.gone", Equals, nil), "true"}, {cmpr("${gone.output}", NotEquals, "x"), "true"},
		{cmpr("input.s", Less, 3.0), `false input.s is "x", and less_than compares numbers`},
		{cmpr("input.gone", Greater, 3.0), `false input.gone is null, and greater_than compares numbers`},
		{&Predicate{Path: "${a.output}", Exists: new(true)}, "true"}, {&Predicate{Path: "b.output", Exists: new(true)}, "false"},
		{&Predicate{Path: "b.output", Exists: new(false)}, "true"}, {&Predicate{Path: "input.nothing", Exists: new(true)}, "true"},
		{&Predicate{All: []*Predicate{yes, no}}, "false"}, {&Predicate{All: []*Predicate{yes, yes}}, "true"},
		{&Predicate{Any: []*Predicate{no, yes}}, "true"}, {&Predicate{Any: []*Predicate{no, no}}, "false"},
		{cmpr("input.out", NotEquals, "x"), "false not known: the value of input.out was taken out of the recording, so the branch cannot be decided"},
		{&Predicate{Path: "input.out", Exists: new(true)}, "true"},
		{&Predicate{Not: no}, "true"}, {&Predicate{Not: &Predicate{All: []*Predicate{no}}}, "true"},
	} {
		ok, err := tc.p.holds(s)
		got := fmt.Sprint(ok)
		if err != nil {
			got += " " + err.Error()
		}
		if got != tc.want {
			t.Errorf("%s %s %v: %s, want %s", tc.p.Path, tc.p.Op, tc.p.Value, got, tc.want)
		}
	}
}

// FuzzReferences looks for texts in which filling and finding disagree, or that make one of them fall over.
func FuzzReferences(f *testing.F) {
	f.Add("a ${input.x} ${step.output.y.0}", `{"x": {"y": [1]}}`)
	f.Add("${${input}}", "[]")
	f.Fuzz(func(t *testing.T, text, input string) {
		s := &scope{words: asTheyStand, input: Input(input), outputs: map[string]any{"step": Input(input)}}
		broken := false
		references(text, func(inner string) {
			r, err := parse(inner)
			if err != nil {
				broken = true
				return
			}
			if _, ok := s.look(r); !ok {
				broken = true
			}
		})
		if _, err := s.fill(text); (err != nil) != broken {
			t.Errorf("%q in %q: filled with error %v, found broken %v", text, input, err, broken)
		}
	})
}

// FuzzPredicates looks for values on which predicates fall over, or contradict each other.
func FuzzPredicates(f *testing.F) {
	f.Add("input.a", "equals", `{"a": 1}`, "1")
	f.Add("${step.output.0}", "in", `["x"]`, `["x", 2]`)
	f.Add("input", "less_than", `"1e400"`, "3")
	f.Fuzz(func(t *testing.T, path, op, input, value string) {
		decoded, err := chat.DecodeJSON([]byte(value))
		if err != nil {
			return
		}
		s := &scope{words: asTheyStand, input: Input(input), outputs: map[string]any{"step": Input(input)}}
		p := &Predicate{Path: path, Op: Op(op), Value: decoded}
		if !slices.Contains(Ops, p.Op) {
			return
		}
		holds, failed := p.holds(s)
		not, alsoFailed := (&Predicate{Not: p}).holds(s)
		all, _ := (&Predicate{All: []*Predicate{p, p}}).holds(s)
		some, _ := (&Predicate{Any: []*Predicate{p, p}}).holds(s)
		if (failed != nil) != (alsoFailed != nil) || failed == nil && (not == holds || all != holds || some != holds) {
			t.Errorf("%s %s %s in %s: %v, not %v, all %v, any %v, %v", path, op, value, input, holds, not, all, some, failed)
		}
		opposite := map[Op]Op{Equals: NotEquals, In: NotIn, Less: GreaterOrSame, Greater: LessOrSame}[p.Op]
		if opposite == "" || failed != nil {
			return
		}
		if other, err := (&Predicate{Path: path, Op: opposite, Value: decoded}).holds(s); err != nil || other == holds {
			t.Errorf("%s %s %s in %s: %v, and %s %v, %v", path, op, value, input, holds, opposite, other, err)
		}
	})
}
