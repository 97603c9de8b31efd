package spans

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// asked are the calls that models asked for and of which no span has told yet that they ran.
type asked struct {
	calls []Call
	taken []bool
	by    map[string][]int // index in calls, in order, by what a run tells
}

// newAsked collects what models asked for. Where the span of a model is within that of another, as when two libraries
// tell of one call, what both tell counts once.
func newAsked(t *Trace) *asked {
	a := &asked{by: map[string][]int{}}
	told := map[int]map[string]int{} // by the span of a model: how often it asked for what
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Kind != Model || len(s.Tools) == 0 {
			continue
		}
		around := told[t.modelAround(i)]
		seen := map[string]int{}
		for n := range s.Tools {
			exact := exactly(&s.Tools[n])
			if seen[exact]++; seen[exact] <= around[exact] {
				continue
			}
			a.add(Call{Tool: s.Tools[n], Start: s.Start, Span: i})
		}
		told[i] = seen
	}
	return a
}

// modelAround is the nearest span of a model around a span; -1: there is none.
func (t *Trace) modelAround(i int) int {
	for range deepest {
		if i = t.parent[i]; i < 0 || t.Spans[i].Kind == Model {
			return i
		}
	}
	return -1
}

// exactly is the same for calls of one tool with the same arguments.
func exactly(t *Tool) string { return t.Name + "\x00" + canonical(t.Args) }

// canonical is the same for JSON that means the same.
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

func (a *asked) add(c Call) {
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

// take finds what a run was asked for: by its id, by its name and arguments, or, for a run that does not tell its
// arguments, by its name. It returns the id of the call; "" is none.
func (a *asked) take(ran *Tool) (id string) {
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

// left are the calls of which no span tells that they ran.
func (a *asked) left() (calls []Call) {
	for i := range a.calls {
		if !a.taken[i] {
			calls = append(calls, a.calls[i])
		}
	}
	return calls
}
