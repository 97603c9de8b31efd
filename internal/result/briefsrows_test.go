package result

import (
	"fmt"
	"testing"
)

// TestRowsHaveTheirFactsInCommon: of what is kept of the rows of a dataset, only what differs from row to row is kept
// for each.
func TestRowsHaveTheirFactsInCommon(t *testing.T) {
	t.Parallel()
	const rows = 3000 // more than are on a page
	c := &Briefs{}
	for i := range rows {
		b := BriefOf(BriefShared{Scenario: "s", Provider: "p", Region: "default", File: "s.yaml", Line: 1})
		b.Index, b.ID, b.Row, b.Session, b.Asked = i, fmt.Sprintf("s/p[%d]", i), fmt.Sprint(i), fmt.Sprint(i), fmt.Sprintf("%016x", i)
		c.add(&b)
	}
	if n := len(c.shared.values) + len(c.spent.values) + len(c.checked.values) + len(c.fates.values); n != 4 {
		t.Errorf("%d values in common, want one of each kind", n)
	}
	for i, b := range c.All() {
		if b.Asked != fmt.Sprintf("%016x", i) || b.Row != fmt.Sprint(i) || b.Scenario != "s" {
			t.Fatalf("%d is now %+v", i, b)
		}
	}
}
