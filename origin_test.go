package arena_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena"
)

// TestProjectsOfOneName has the trials of two projects told apart that are copies of each other.
func TestProjectsOfOneName(t *testing.T) {
	t.Parallel()
	const config = "kind: Arena\nmetadata: {name: shop}\nspec: {scenarios: [{file: refund.yaml}], providers: []}\n"
	const refund = "id: refund\nturns: [{role: user, content: Hi, mock: [Yes], " +
		"assertions: [{type: contains, params: {patterns: [Yes]}}]}]\n"
	suite, err := arena.Load(arena.Options{Dir: files(t,
		"a/config.arena.yaml", config, "a/refund.yaml", refund,
		"b/config.arena.yaml", config, "b/refund.yaml", refund,
	), Paths: []string{"a/config.arena.yaml", "b/config.arena.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	var ids []string
	for _, p := range suite.Trials() {
		ids = append(ids, p.ID)
	}
	want := []string{"a/config.arena.yaml:refund/mock/default", "b/config.arena.yaml:refund/mock/default"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	res, err := suite.Run(t.Context(), ids[1])
	if err != nil || len(res.Trials) != 1 {
		t.Errorf("%+v, %v; want one trial", res, err)
	}
}
