package spans

import (
	"fmt"
	"testing"
)

func TestHidesCalls(t *testing.T) {
	t.Parallel()
	model := func(id, parent, finish string, tools ...Tool) Span {
		return Span{ID: id, Parent: parent, Kind: Model, Finish: finish, Tools: tools}
	}
	ran, asked := Span{ID: "t", Kind: ToolRun, Tools: []Tool{{Name: "f"}}}, Tool{Name: "f"}
	for i, c := range []struct {
		spans []Span
		hides bool
	}{
		{[]Span{model("1", "", "stop")}, false},
		{[]Span{model("1", "", "tool_calls")}, true},
		{[]Span{model("1", "", "TOOL_USE"), model("2", "", "end_turn")}, true},
		{[]Span{model("1", "", "tool_calls"), ran, model("2", "", "stop")}, false},
		{[]Span{model("1", "", "tool_calls"), model("2", "", "stop"), ran}, true},
		{[]Span{model("1", "", "tool_calls", asked), model("2", "", "stop")}, false},
		{[]Span{model("1", "", "tool_calls"), model("2", "1", "tool_calls", asked), model("3", "", "stop")}, false},
		{[]Span{model("1", "", "tool_calls", asked), model("2", "1", "tool_calls"), model("3", "", "stop")}, false},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if got := NewTrace(c.spans).HidesCalls(); got != c.hides {
				t.Errorf("%t", got)
			}
		})
	}
}
