package checks

import (
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestTableIsSortedUniqueAndDocumented(t *testing.T) {
	t.Parallel()
	all := Builtin()
	if !slices.IsSortedFunc(all, func(a, b *Def) int { return cmp.Compare(a.Name, b.Name) }) {
		t.Error("the table is not sorted by name")
	}
	seen := map[string]string{scenario.Wrapper: "the long spelling"}
	claim := func(name, owner string) {
		if by, taken := seen[name]; taken {
			t.Errorf("%s belongs to %s and to %s", name, by, owner)
		}
		seen[name] = owner
	}
	for _, d := range all {
		for _, name := range d.Names() {
			claim(name, d.Name)
			if got, ok := Lookup(name); !ok || got != d {
				t.Errorf("%s is not found", name)
			}
		}
		if !slices.Contains(Families(), d.Family) || d.Surfaces == 0 || d.Needs == 0 && d.Family != FamilyCombined || !strings.HasSuffix(d.Summary, ".") {
			t.Errorf("%s is not described: %+v", d.Name, d)
		}
		if !strings.HasSuffix(d.Scoring, ".") {
			t.Errorf("%s: Scoring must say in sentences how the score comes about, found %q", d.Name, d.Scoring)
		}
	}
}

// prefixes are the first words of the file names of each family.
var prefixes = map[Family][]string{
	FamilyContent: {"content"}, FamilyJSON: {"json"}, FamilyTools: {"tool", "tools"}, FamilyAgents: {"agent", "skill"},
	FamilyWorkflow: {"workflow", "composition"}, FamilyMedia: {"media"}, FamilyJudge: {"judge"}, FamilyRAG: {"rag"},
	FamilySafety: {"safety"}, FamilyExternal: {"external"}, FamilyBudget: {"budget"},
	FamilyMeta: {"guardrail", "invariant"}, FamilyBehaviour: {"behaviour"}, FamilyTrace: {"trace"},
	FamilyCombined: {"combined"},
}

// fileOf is the file of a check: its name, with the prefix of its family unless the name has it.
func fileOf(d *Def) string {
	for _, word := range prefixes[d.Family] {
		if strings.HasPrefix(d.Name, word+"_") {
			return d.Name + ".go"
		}
	}
	return prefixes[d.Family][0] + "_" + d.Name + ".go"
}

// TestEachCheckHasItsFile: the list of files is a table of contents.
func TestEachCheckHasItsFile(t *testing.T) {
	t.Parallel()
	for _, d := range Builtin() {
		text, err := os.ReadFile(fileOf(d))
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		if !regexp.MustCompile(`Name: +"` + d.Name + `"`).Match(text) {
			t.Errorf("%s does not declare %s", fileOf(d), d.Name)
		}
	}
}

func TestParametersAreDocumented(t *testing.T) {
	t.Parallel()
	for _, d := range Builtin() {
		known := map[string]bool{}
		for _, p := range d.Params() {
			if p.Shape.Label() == "" || !strings.HasSuffix(p.Doc, ".") {
				t.Errorf("%s: %s is not described: %+v", d.Name, p.Name, p)
			}
			if p.Required && p.Default != "" {
				t.Errorf("%s: %s is required and has a default", d.Name, p.Name)
			}
			for _, key := range p.Spellings() {
				if known[key] {
					t.Errorf("%s: %s means two parameters", d.Name, key)
				}
				known[key] = true
			}
		}
		for _, name := range d.AnyOf {
			if !known[name] {
				t.Errorf("%s: AnyOf names %s, which it does not have", d.Name, name)
			}
		}
	}
}

// The schema of the parameters accepts what the examples use and refuses keys that are no parameters.
func TestParamSchema(t *testing.T) {
	t.Parallel()
	for _, d := range Builtin() {
		text, err := json.Marshal(d.ParamSchema())
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := buildSchema(string(text))
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		for _, spec := range exampleSpecs(t, d) {
			if spec.Type != d.Name {
				continue
			}
			if err := compiled.Validate((&node.Reader{}).Any(spec.Params)); err != nil {
				t.Errorf("%s: %s: %v", d.Name, spec.Pos, err)
			}
		}
		if err := compiled.Validate(map[string]any{"no_such_parameter": true}); err == nil {
			t.Errorf("%s: any key is a parameter", d.Name)
		}
	}
}

func TestNeedsDecideGroupsAndOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		needs    Needs
		groups   string
		dearness int
	}{
		{NeedsReply, "default fast-running", 0},
		{NeedsCalls | NeedsUsage, "default fast-running", 0},
		{NeedsReply | NeedsCompute, "default long-running", 1},
		{NeedsReply | NeedsEmbedding, "default long-running", 3},
		{NeedsTool, "default long-running external", 2},
		{NeedsReply | NeedsNetwork, "default long-running external", 2},
		{NeedsReply | NeedsModel, "default long-running external", 3},
	} {
		if got := strings.Join(tc.needs.Groups(), " "); got != tc.groups || tc.needs.Cost() != tc.dearness {
			t.Errorf("%b: %s, %d; want %s, %d", tc.needs, got, tc.needs.Cost(), tc.groups, tc.dearness)
		}
	}
}
