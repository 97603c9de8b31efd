package node

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
)

func TestTextKeepsTheStyle(t *testing.T) {
	t.Parallel()
	const file = `name: a
params:
  patterns: [order, "A-1"] # both
  text: |
    one
    two
list:
  - {a: 'x'}
`
	var problems diag.List
	docs := Parse(&Reader{File: "x.yaml", Diags: &problems}, []byte(file))
	if len(docs) != 1 {
		t.Fatal(problems.Sorted())
	}
	got, err := Text(docs[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	some := Pick(docs[0], func(key string) bool { return key != "params" })
	if diff := cmp.Diff([]string{"name", "list"}, Keys(some)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Contains(Keys(docs[0]), "params") {
		t.Error("picking took the key away")
	}
	if Pick(docs[0], func(string) bool { return false }) != nil {
		t.Error("nothing is something")
	}
}
