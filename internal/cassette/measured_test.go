package cassette

import (
	"reflect"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// TestAmountsTheJournalTakes: a cassette with a cost that the journal would refuse is refused too.
func TestAmountsTheJournalTakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"0": true, "1e15": true, "1.1e15": false, "1e300": false, "-5": false} {
		var d diag.List
		n := &node.Node{Kind: node.Scalar, Tag: "!!float", Value: text}
		if ok := (typeChecker{&node.Reader{Diags: &d}}).scalar(n, reflect.Float64, "cost_usd"); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}
