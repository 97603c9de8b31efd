package checks

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

// readWith reads assertions, one on each line, and compiles them with one compiler.
func readWith(t *testing.T, c *Compiler, lines ...string) ([]*Compiled, *diag.List) {
	t.Helper()
	problems := &diag.List{}
	r := &node.Reader{File: "x.yaml", Diags: problems}
	var all []*Compiled
	for _, n := range node.Parse(r, []byte(strings.Join(lines, "\n---\n"))) {
		all = append(all, c.Compile(scenario.ReadCheck(r, n, scenario.TurnAssertion), problems))
	}
	return all, problems
}

func TestEqualChecksAreOne(t *testing.T) {
	t.Parallel()
	const check = `{type: regex, params: {pattern: 'ORD-\d+'}}`
	all, problems := readWith(t, &Compiler{}, check, check, `{params: {pattern: 'ORD-\d+'}, type: regex}`,
		`{type: regex, params: {pattern: 'ORD-\d+', expect_match: false}}`, `{type: regex, params: {pattern: 'ORD-\d+'}, min_score: 1}`)
	if list := problems.Sorted(); len(list) > 0 {
		t.Fatal(list)
	}
	for i, same := range []bool{true, true, true, false, false} {
		if got := all[i].Check == all[0].Check; got != same {
			t.Errorf("check %d is the first one: %t, want %t", i, got, same)
		}
		if want := int32(2*i + 1); all[i].Pos.Line != want {
			t.Errorf("check %d is in line %d, want %d", i, all[i].Pos.Line, want)
		}
	}
}

// TestEachCheckIsRemarkedOn compiles the same doubtful check twice: there is a warning at both positions.
func TestEachCheckIsRemarkedOn(t *testing.T) {
	t.Parallel()
	const check = `{type: regex, params: {pattern: 'a*'}}`
	_, problems := readWith(t, &Compiler{}, check, check)
	if list := problems.Sorted(); len(list) != 2 || list[0].Pos.Line == list[1].Pos.Line {
		t.Errorf("got %v", list)
	}
}

// TestQuotesMakeADifference compares a text in quotes with one that YAML may have read as another value.
func TestQuotesMakeADifference(t *testing.T) {
	t.Parallel()
	_, problems := readWith(t, &Compiler{}, `{type: content_excludes, params: {patterns: ["no"]}}`,
		`{type: content_excludes, params: {patterns: [no]}}`)
	if list := problems.Sorted(); len(list) != 1 || list[0].Pos.Line != 3 {
		t.Errorf("got %v", list)
	}
}

// BenchmarkCompileAlike compiles checks that suites repeat word for word.
func BenchmarkCompileAlike(b *testing.B) {
	r := &node.Reader{File: "x.yaml", Diags: &diag.List{}}
	docs := node.Parse(r, []byte(`{type: json_schema, params: {schema: {type: object, required: [id], properties: `+
		`{id: {type: string, pattern: '^ORD-[0-9]+$'}, n: {type: integer, minimum: 1}}}}}`))
	c := &Compiler{}
	b.ReportAllocs()
	for b.Loop() {
		c.Compile(scenario.ReadCheck(r, docs[0], scenario.TurnAssertion), r.Diags)
	}
}
