package conformance

import (
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// emptiest are the values that ask for the least. false is a choice, and no value that is empty.
var emptiest = []string{`""`, "[]", "{}", "0", "null", "~", "", `" "`, `[""]`, `[" "]`, "[null]", "[{}]"}

// A parameter with the emptiest value is told of, or the check can still say no: to one of the conversations of its
// examples.
func TestEmptiestValues(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, d := range checks.Builtin() {
		list := slices.DeleteFunc(readExamples(t, d), func(x example) bool { return x.Want == "" || x.HTTP != nil })
		for _, x := range list {
			if x.Want != "failed" || x.params == nil {
				continue
			}
			for key, doc := range d.ParamSchema().Properties {
				if slices.Contains([]string{"min_score", "max_score", "message"}, key) {
					continue
				}
				for _, value := range emptiest {
					if value == "0" && !slices.Contains(doc.Type, "number") && !slices.Contains(doc.Type, "integer") {
						continue // a name or a text
					}
					tried++
					if !toldOrFails(t, list, &x, key, value) {
						t.Errorf("%s: %s: %s: %q says no to nothing, without a word", d.Name, x.Name, key, value)
					}
				}
			}
		}
	}
	if tried < 2000 {
		t.Errorf("only %d were tried", tried)
	}
}

// toldOrFails reports whether an example whose parameter has another value has a problem, or fails somewhere.
func toldOrFails(t *testing.T, list []example, x *example, key, value string) bool {
	t.Helper()
	var problems diag.List
	docs := node.Parse(&node.Reader{Diags: &problems}, []byte("k: "+value+"\n"))
	params := *x.params
	params.Content = nil
	for i := 0; i < len(x.params.Content); i += 2 {
		if x.params.Content[i].Value != key {
			params.Content = append(params.Content, x.params.Content[i:i+2]...)
		}
	}
	name := *docs[0].Content[0]
	name.Value = key
	params.Content = append(params.Content, &name, docs[0].Content[1])
	spec := &scenario.Check{Type: x.Type, Pos: x.paramsPos, Params: &params, ParamsPos: x.paramsPos, Settled: true}
	compiled := (&checks.Compiler{}).Compile(spec, &problems)
	if compiled == nil || len(problems.Sorted()) > 0 {
		return true
	}
	for i := range list {
		s, _ := (&Vector{Context: list[i].vectorContext, Tools: list[i].Tools}).subject(list[i].Scope)
		if judges := list[i].judges(); judges != nil {
			s.Judges = judges
		}
		if v := compiled.Judge(t.Context(), s); v.Status != result.Passed && v.Status != result.Skipped {
			return true
		}
	}
	return false
}
