package checks

import "testing"

// TestSameTool: two spellings of a tool's name are alike, and names of two tools are not.
func TestSameTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		called, tool string
		want         bool
	}{
		{"Pay", "pay", true},
		{"functions.pay", "pay", true},
		{"mcp__shop__cancel_order", "cancel_order", true},
		{"shop/cancelOrder", "cancel_order", true},
		{"cancel-order", "cancel_order", true},
		{"shop__cancel_order", "shop__cancel_order", true},
		{"payment", "pay", false},
		{"prepay", "pay", false},
		{"pay.cancel", "pay", false},
		{"cancel_order", "order", false},
	} {
		if got := sameTool(c.called, c.tool); got != c.want {
			t.Errorf("sameTool(%q, %q) = %t", c.called, c.tool, got)
		}
	}
}
