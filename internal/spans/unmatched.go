package spans

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// unmatchedCalls are the tool calls in replies of models that are not matched with the span of a tool run yet.
type unmatchedCalls struct {
	calls []Call
	taken []bool
	by    map[string][]int // indexes in calls, in order, by key of a run
}

// newUnmatchedCalls collects the tool calls in replies of models. If the span of a model is within that of another,
// because two libraries recorded one model call, tool calls that both have count once.
func newUnmatchedCalls(t *Trace) *unmatchedCalls {
	a := &unmatchedCalls{by: map[string][]int{}}
	counts := map[int]map[string]int{} // by the span of a model: the number of its calls of each kind
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != Model || len(s.Tools) == 0 {
			continue
		}
		around := counts[t.modelAround(i)]
		seen := map[string]int{}
		for n := range s.Tools {
			exact := exactly(&s.Tools[n])
			if seen[exact]++; seen[exact] <= around[exact] {
				continue
			}
			a.add(Call{Tool: s.Tools[n], Start: s.Start, Span: i})
		}
		counts[i] = seen
	}
	return a
}

// modelAround returns the nearest enclosing span of a model; -1: none.
func (t *Trace) modelAround(i int) int {
	for range deepest {
		if i = t.parent[i]; i < 0 || t.Spans[i].Kind == Model {
			return i
		}
	}
	return -1
}

// exactly returns a key that is equal for calls of one tool with equal arguments.
func exactly(t *Tool) string { return t.Name + "\x00" + canonical(t.Args) }

// canonical returns the same text for equal JSON values.
func canonical(args string) string {
	v, err := chat.DecodeJSON([]byte(args))
	if err != nil {
		return args
	}
	return jsonvalue.Compact(jsonvalue.Map(v, func(leaf any) any {
		if n, is := jsonvalue.NumberText(leaf); is {
			return "\x00" + n
		}
		return leaf
	}))
}

func (a *unmatchedCalls) add(c Call) {
	n := len(a.calls)
	a.calls, a.taken = append(a.calls, c), append(a.taken, false)
	keys := []string{"exact\x00" + exactly(&c.Tool), "name\x00" + c.Name}
	if c.ID != "" {
		keys = append(keys, "id\x00"+c.ID+"\x00"+c.Name)
	}
	for _, key := range keys {
		a.by[key] = append(a.by[key], n)
	}
}

// take finds the call of a tool run: by its id, by its name and arguments, or by its name if the run has no arguments.
// It returns the id of the call; "": none.
func (a *unmatchedCalls) take(ran *Tool) (id string) {
	var keys []string
	if ran.ID != "" {
		keys = append(keys, "id\x00"+ran.ID+"\x00"+ran.Name)
	}
	keys = append(keys, "exact\x00"+exactly(ran))
	if ran.Args == "" {
		keys = append(keys, "name\x00"+ran.Name)
	}
	for _, key := range keys {
		open := a.by[key]
		for len(open) > 0 && a.taken[open[0]] {
			open = open[1:]
		}
		a.by[key] = open
		if len(open) == 0 {
			continue
		}
		n := open[0]
		a.taken[n] = true
		a.by[key] = open[1:]
		if ran.Args == "" {
			ran.Args = a.calls[n].Args
		}
		return a.calls[n].ID
	}
	return ""
}

// left are the calls without a span.
func (a *unmatchedCalls) left() (calls []Call) {
	for i := range a.calls {
		if !a.taken[i] {
			calls = append(calls, a.calls[i])
		}
	}
	return calls
}
