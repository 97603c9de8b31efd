package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// world counts the sources that are opened and closed.
type world struct {
	mu      sync.Mutex
	opened  int
	notices []string
}

func (w *world) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, text)
}

// origin opens sources with one tool that says which of them answers.
func (w *world) origin(name string, scope Scope, list ...chat.Tool) *Opener {
	return &Opener{
		Name: name, Scope: scope,
		Needed: func(allowed []string) bool {
			return slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(a, name) })
		},
		Open: func() Source {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.opened++
			return &counted{w: w, name: fmt.Sprintf("%s %d", name, w.opened), list: list}
		},
	}
}

type counted struct {
	w    *world
	name string
	list []chat.Tool
}

func (c *counted) List(context.Context) ([]chat.Tool, error) {
	if c.list == nil {
		return nil, errors.New("it does not start")
	}
	return c.list, nil
}

func (c *counted) Call(_ context.Context, call chat.ToolCall) chat.ToolResult {
	if call.Name == "srv__fail" {
		return Failure(call, chat.ErrorExecution, "it broke")
	}
	return chat.ToolResult{Content: c.name + " " + Canonical(call.Args)}
}

func (c *counted) Close() error {
	c.w.tell("closed " + c.name)
	return nil
}

func offer(name, schema string) chat.Tool {
	return chat.Tool{Name: name, Schema: json.RawMessage(schema)}
}

// stocked is a box that holds what its sources list for a prompt.
func stocked(t *testing.T, k *Kit, scenario string, allowed ...string) *Box {
	t.Helper()
	box := k.Box(scenario)
	for _, o := range box.Listing(allowed) {
		list, err := box.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := box.Take(o, list); err != nil {
			t.Fatal(err)
		}
	}
	return &box
}

func resultOf(t *testing.T, b *Box, name, args string) string {
	t.Helper()
	c := chat.ToolCall{ID: "c1", Name: name}
	c.Args, c.BadArgs = chat.ParseArgs(args)
	res := b.Call(t.Context(), c)
	if res.Error == "" && (res.ID != "c1" || res.Name != name) {
		t.Errorf("the result of %s is for %s %s", name, res.ID, res.Name)
	}
	return res.Text()
}

// TestScopes: a source is opened when somebody needs it, once for all that share it, and closed when its scope ends.
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scope   Scope
		says    string // by two trials of one scenario and one of another
		notices string
	}{
		{PerRun, "srv 1 srv 1 srv 1", "end closed srv 1"},
		{PerScenario, "srv 1 srv 1 srv 2", "closed srv 1 closed srv 2 end"},
		{PerSession, "srv 1 srv 2 srv 3", "closed srv 1 closed srv 2 closed srv 3 end"},
	} {
		w := &world{}
		k := NewKit(registry(t), w.origin("srv", c.scope, offer("srv__a", `{"type":"object"}`)),
			w.origin("other", c.scope))
		k.Expect("a", 2)
		k.Expect("b", 1)
		var says []string
		for _, scenario := range []string{"a", "a", "b"} {
			box := stocked(t, k, scenario, "srv__*")
			text := resultOf(t, box, "srv__a", `{}`)
			if again := resultOf(t, box, "srv__a", `{}`); again != text {
				t.Errorf("%v: %s, then %s", c.scope, text, again)
			}
			says = append(says, strings.TrimSuffix(text, " {}"))
			if err := errors.Join(box.Close(), k.Done(scenario)); err != nil {
				t.Error(err)
			}
		}
		w.tell("end")
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.says+": "+c.notices, strings.Join(says, " ")+": "+strings.Join(w.notices, " ")); diff != "" {
			t.Errorf("scope %d (-want +got):\n%s", c.scope, diff)
		}
	}
}

// TestListed: the tools of a source are called like those of files: found by name, with arguments that were repaired
// and held against the schema.
func TestListed(t *testing.T) {
	t.Parallel()
	w := &world{}
	number := `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	k := NewKit(registry(t, spec("order", nil)),
		w.origin("srv", PerRun, offer("srv__z", number), offer("srv__b", number), offer("srv__fail", `{}`)))
	box := stocked(t, k, "s", "order", "srv__*")
	for _, c := range []struct{ name, args, want string }{
		{"srv__b", `{"n": "7"}`, `srv 1 {"n":7}`},
		{"srv__b", `{}`, "invalid arguments for srv__b: missing property 'n'"},
		{"srv__b", `7`, "the arguments are not a JSON object: 7"},
		{"srv__fail", `{"any": 1}`, "it broke"},
		{"srv__c", `{}`, `tool not found: srv__c (did you mean srv__b?)`},
	} {
		if got := resultOf(t, box, c.name, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.name, c.args, got, c.want)
		}
	}
	names := func(list []chat.Tool) (names []string) {
		for _, t := range list {
			names = append(names, t.Name)
		}
		return names
	}
	if got := names(box.Offered([]string{"order", "srv__b"})); !slices.Equal(got, []string{"srv__b"}) {
		t.Errorf("offered %v", got)
	}
	if got := names(box.Offered([]string{"srv__*"})); !slices.Equal(got, []string{"srv__b", "srv__fail", "srv__z"}) {
		t.Errorf("offered %v", got)
	}
	if !box.Has("order") || !box.Has("srv__z") || box.Has("srv__c") {
		t.Error("has what it should not, or the reverse")
	}
	if other := stocked(t, k, "s", "order"); other.Has("srv__z") {
		t.Error("a prompt that does not want the source has its tools")
	}
}

func TestBadLists(t *testing.T) {
	t.Parallel()
	w := &world{}
	o := w.origin("srv", PerRun)
	box := NewKit(registry(t, spec("order", nil)), o).Box("")
	if _, err := box.List(t.Context(), o); err == nil || err.Error() != "srv: it does not start" {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		list      []chat.Tool
		unchecked string
		problem   string
	}{
		{[]chat.Tool{offer("a", ""), offer("a", "")}, "", `srv: there are two tools "a"`},
		{[]chat.Tool{offer("order", "")}, "", `srv: there are two tools "order"`},
		{[]chat.Tool{offer("a", `{"type": 7}`), offer("b", "")}, "a", ""},
		{[]chat.Tool{offer("b", "")}, "", ""},
	} {
		unchecked, err := box.Take(o, c.list)
		got := ""
		for _, why := range unchecked {
			got += why.Tool
			if misfit := box.Fits(why.Tool, nil); misfit == nil || misfit.Error() != why.Error() {
				t.Errorf("%s: nobody is told that nobody knows: %v", why.Tool, misfit)
			}
			if err := box.Takes(why.Tool, map[string]any{"x": 1}); err != nil {
				t.Errorf("%s: a call is refused: %v", why.Tool, err)
			}
		}
		if got != c.unchecked || fmt.Sprint(err) != "<nil>" && err.Error() != c.problem ||
			err == nil && c.problem != "" {
			t.Errorf("%v: unchecked %q, %v", c.list, got, err)
		}
	}
	if box.Has("a") || !box.Has("b") {
		t.Error("what is not listed any more can be called")
	}
}
