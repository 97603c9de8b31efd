package resulttest

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

const supportFile = "scenarios/support.yaml"

// Workflow is a run of n trials of a workflow: the first reaches the end, the second goes in a circle until a full
// state is replaced by another one, the third never leaves its start, and so on. Some declared parts are never used.
func Workflow(n int) *result.Run {
	return covered("support", n, declaredSupport(), Generated{Len: n, Make: flowTrial})
}

func declaredSupport() []result.Coverage {
	named := func(names ...string) (list []result.Covered) {
		for _, name := range names {
			list = append(list, result.Covered{Name: name})
		}
		return list
	}
	return []result.Coverage{{
		File: "config.arena.yaml", Start: "intake",
		States: named("intake", "desk", "returns", "human", "done"),
		Transitions: []result.Covered{
			{From: "intake", Event: "Hard", To: "human"}, {From: "intake", Event: "Known", To: "desk"},
			{From: "intake", To: "human"},
			{From: "desk", Event: "More", To: "intake"}, {From: "desk", Event: "Return", To: "returns"},
			{From: "desk", Event: "Solved", To: "done"},
			{From: "returns", Event: "Solved", To: "done"},
		},
		Skills: named("refunds", "tone"),
		Tools:  named("get_order", "issue_refund"),
	}}
}

// flow makes the messages of a trial with a workflow.
type flow struct {
	state string
	way   result.Workflow
	calls int
}

func (f *flow) enters(state string) chat.Message {
	f.state = state
	return chat.Message{Role: chat.System, State: state, Content: "You are the " + state + " of a tea shop."}
}

func (f *flow) says(text string) chat.Message {
	m := agentReply(text)
	m.State = f.state
	return m
}

func (f *flow) call(tool string, args chat.Args, answer string) []chat.Message {
	f.calls++
	id := fmt.Sprintf("call_%d", f.calls)
	m := calls(id, tool, args)
	m.State = f.state
	return []chat.Message{m, returns(id, tool, answer)}
}

// moves makes a transition; instead is the state that replaces the target, or "".
func (f *flow) moves(turn int, event, to, instead string) []chat.Message {
	step := result.Transition{From: f.state, To: to, Event: event, Turn: turn}
	answer := fmt.Sprintf(`{"status":"transition_scheduled","event":%q,"target_state":%q}`, event, to)
	if instead != "" {
		step.To, step.Redirected = instead, to
	}
	f.way.Transitions = append(f.way.Transitions, step)
	messages := f.call("workflow__transition", jsonvalue.Object{"event": event}, answer)
	return append(messages, f.enters(step.To))
}

func flowTrial(i int) *result.Trial {
	f := &flow{state: "intake", way: result.Workflow{Start: "intake", Transitions: []result.Transition{}}}
	var turns []result.Turn
	switch i % 3 {
	case 0:
		first := append(f.moves(0, "Known", "desk", ""), f.call("skill__activate", jsonvalue.Object{"name": "refunds"},
			`{"instructions":"Be generous.","added_tools":["issue_refund"]}`)...)
		first = append(first, f.call("get_order", jsonvalue.Object{"order_id": "B-1"}, `{"status":"shipped"}`)...)
		turns = append(turns, turn("My teapot is broken.", append(first, f.says("It was order B-1, I see."))...))
		turns = append(turns, turn("Thanks!", append(f.moves(1, "Solved", "done", ""), f.says("Goodbye."))...))
		f.way.Artifacts, f.way.Complete = map[string]string{"case": "a broken teapot"}, true
	case 1:
		for k := range 2 {
			messages := append(f.moves(k, "Known", "desk", ""), f.says("Tell me more."))
			back := ""
			if k == 1 {
				back = "human"
			}
			messages = append(messages, f.moves(k, "More", "intake", back)...)
			turns = append(turns, turn("And now?", append(messages, f.says("One moment."))...))
		}
	case 2:
		turns = append(turns, turn("Hello.", f.says("Hello, what is it about?")))
		turns[0].Assertions = []result.Verdict{failed("state_is", supportFile, 12, 0, "in intake, not in desk")}
		f.way.Refused = []result.RefusedTransition{{
			From: "intake", Event: "Solved", Reason: `state "intake" has no event "Solved"`,
		}}
	}
	t := trial(supportFile, 3, fmt.Sprintf("support-%d", i), "gpt-4o", turns...)
	f.way.State = f.state
	t.Index, t.Workflow, t.System = i, &f.way, "You are the intake of a tea shop."
	t.Settle()
	return t
}

// hostileFlow is a way through states of an enemy.
func hostileFlow() *result.Workflow {
	w := &result.Workflow{Start: Poison, State: "constructor", Transitions: []result.Transition{
		{From: Poison, To: "__proto__", Event: Poison}, {From: "__proto__", To: "constructor", Redirected: Poison},
	}}
	for i := range 40 { // more than a drawing can hold
		w.Transitions = append(w.Transitions, result.Transition{
			From: "constructor", To: "constructor", Event: fmt.Sprintf("%d%s", i, strings.Repeat("x", 300)), Turn: i,
		})
	}
	return w
}

func hostileCoverage() []result.Coverage {
	return []result.Coverage{{
		File: Poison, Trials: 1, Start: Poison,
		States:      []result.Covered{{Name: Poison, Trials: 1}, {Name: "__proto__"}, {Name: "constructor"}},
		Transitions: []result.Covered{{From: Poison, Event: Poison, To: "__proto__"}, {From: "__proto__", To: "constructor"}},
		Skills:      []result.Covered{{Name: Poison}}, Tools: []result.Covered{{Name: Poison}},
	}}
}
