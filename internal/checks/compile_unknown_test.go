package checks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
)

// TestUnknownTypesWithin: an unknown type within a combined check may be declared by the project, and is reported if
// not.
func TestUnknownTypesWithin(t *testing.T) {
	t.Parallel()
	const good = `{type: equals, params: {value: a}}`
	tried := 0
	for _, def := range Builtin() {
		if def.Family != FamilyCombined {
			continue
		}
		tried++
		for _, name := range []string{"contian", "EQUALS", "true", "0", `" equals"`, "a.b"} {
			bad := fmt.Sprintf(`{type: %s, params: {value: a}}`, name)
			for _, within := range []string{bad, "{type: not, params: {check: " + bad + "}}"} {
				lists := []string{"checks: [" + within + "]", "checks: [" + within + ", " + good + "]",
					"checks: [" + good + ", " + within + "]", "checks: [" + within + ", " + within + "]"}
				if def == notDef {
					lists = []string{"check: " + within}
				}
				for _, list := range lists {
					for _, rest := range []string{"", "max_score: 0\n", "min_score: 0.5\n"} {
						text := "type: " + def.Name + "\n" + rest + "params: {" + list + "}\n"
						spec := checkOf(t, text)
						var d diag.List
						spec.Early = true
						if out := (&Compiler{}).Compile(spec, &d); out != nil || !spec.Unknown || len(d.Sorted()) > 0 {
							t.Errorf("%sbefore the types are known: %v, unknown %v, told %v", text, out, spec.Unknown, d.Sorted())
						}
						spec.Early = false
						out := (&Compiler{}).Compile(spec, &d)
						if out != nil || !slices.ContainsFunc(d.Sorted(), func(p diag.Diagnostic) bool {
							return p.Code == "unknown-check" && p.Hint != ""
						}) {
							t.Errorf("%s%v, told %v", text, out, d.Sorted())
						}
					}
				}
			}
		}
	}
	if tried < 4 {
		t.Errorf("only %d checks are made of others", tried)
	}
}
