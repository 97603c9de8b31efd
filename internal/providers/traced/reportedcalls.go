package traced

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/spans"
)

// reportedCalls are the tool calls that a program reported in another way than by its traces, and that are not matched
// with a span yet.
type reportedCalls struct {
	calls  []chat.ToolCall
	failed map[string]bool // by id: those of which the program reported that they failed
}

// add notes the calls of a reply, which the program made itself.
func (t *reportedCalls) add(r *chat.Reply) {
	t.calls = append(t.calls, r.ToolCalls...)
	if t.failed == nil {
		t.failed = map[string]bool{}
	}
	for i := range r.ToolResults {
		if res := &r.ToolResults[i]; res.Error != "" {
			t.failed[res.ID] = true
		}
	}
}

// without returns the calls of a trace that the program did not report itself. Calls of one tool are the same if their
// ids or arguments are equal, or if the span has no arguments. notice says where the two reports contradict each other;
// such calls may count twice.
func (t *reportedCalls) without(calls []spans.Call) (left []spans.Call, notice string) {
	same := []func(c *spans.Call, as, reported *chat.ToolCall) bool{
		func(c *spans.Call, _, reported *chat.ToolCall) bool { return c.ID != "" && c.ID == reported.ID },
		func(_ *spans.Call, as, reported *chat.ToolCall) bool { return exactly(as) == exactly(reported) },
		func(c *spans.Call, _, _ *chat.ToolCall) bool { return c.Args == "" },
	}
	matched := make([]bool, len(calls))
	for _, is := range same {
		for i := range calls {
			c := &calls[i]
			as := toolCall(c)
			at := slices.IndexFunc(t.calls, func(reported chat.ToolCall) bool {
				return reported.Name == c.Name && is(c, &as, &reported)
			})
			if !matched[i] && at >= 0 {
				matched[i] = true
				if reported := t.calls[at]; c.Args != "" && exactly(&as) != exactly(&reported) {
					notice = fmt.Sprintf("the program reports its call %s of %s with other arguments than its traces; the arguments "+
						"in its report count", ellipsis.Runes(reported.ID, mostText), ellipsis.Runes(c.Name, mostText))
				}
				if reported := t.calls[at]; c.Failure != "" && !t.failed[reported.ID] {
					notice = fmt.Sprintf("the program reports that its call %s of %s succeeded, and its traces that it failed: %s",
						ellipsis.Runes(reported.ID, mostText), ellipsis.Runes(c.Name, mostText), ellipsis.Runes(c.Failure, mostText))
				}
				t.calls = slices.Delete(t.calls, at, at+1)
			}
		}
	}
	for i := range calls {
		if matched[i] {
			continue
		}
		left = append(left, calls[i])
		if slices.ContainsFunc(t.calls, func(reported chat.ToolCall) bool { return reported.Name == calls[i].Name }) {
			notice = fmt.Sprintf("the program reports a call of %s with other arguments than its traces; both calls count",
				ellipsis.Runes(calls[i].Name, mostText))
		}
	}
	return left, notice
}

// toolCall converts a call of a trace. It has no id.
func toolCall(c *spans.Call) (call chat.ToolCall) {
	call.Name = c.Name
	call.SetArgs(c.Args)
	return call
}

// exactly returns a key that is equal for calls of one tool with equal arguments.
func exactly(c *chat.ToolCall) string {
	if c.BadArgs != "" {
		return c.Name + "\x00" + c.BadArgs
	}
	return c.Name + "\x00" + jsonvalue.Compact(jsonvalue.Map(c.Args, func(leaf any) any {
		if n, is := jsonvalue.NumberText(leaf); is {
			return "\x00" + n
		}
		return leaf
	}))
}
