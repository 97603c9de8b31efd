package generate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkEvals returns an error for failed evals that a scenario cannot have, because no prompt declares them.
func (w *builder) checkEvals() error {
	for i := range w.s.Evals {
		if e := &w.s.Evals[i]; e.Failed && !w.guarded() && !w.g.opts.DropUnknown {
			return fmt.Errorf("the eval %q did not meet its threshold, and the scenario would have none: "+
				"name the prompt with --task-type, or a pack", e.ID)
		}
	}
	return nil
}

// checkGuardrails returns an error for a guardrail that must not fire but did, when the scenario has no such guardrail.
func (w *builder) checkGuardrails(a *recording.Verdict, n *node.Node) error {
	d, known := checks.Lookup(a.Type)
	if w.guarded() || !a.Failed() || !known || d.Name != "guardrail_triggered" {
		return nil
	}
	for _, key := range []string{"should_trigger", "expected", "assertions"} {
		if v := node.Get(node.Get(n, "params"), key); v != nil && v.Value == "false" {
			return errors.New("a guardrail fired that must not, and the scenario would have none: " +
				"name the prompt with --task-type, or a pack")
		}
	}
	return nil
}

// verdicts lists all verdicts of a recording.
func verdicts(s *recording.Session) []recording.Verdict {
	all := slices.Clone(s.Verdicts)
	for i := range s.Messages {
		all = append(all, s.Messages[i].Verdicts...)
	}
	return all
}

// assertions writes the checks of verdicts, each once; nil when there are none. A failed check that cannot be carried
// over is an error: without it the scenario would pass.
func (w *builder) assertions(
	list []recording.Verdict, surface scenario.Surface, where string,
) (*node.Node, error) {
	out := node.NewList()
	seen := map[string]bool{}
	for i := range list {
		a := &list[i]
		switch {
		case a.Unanswered && surface == scenario.ConversationAssertion:
			w.notef("%s is left out: its turn never came", a.Type)
			continue
		case a.Skipped && a.Declared.Line == 0:
			w.notef("%s %s is left out: it was skipped, and its condition was not recorded", a.Type, where)
			continue
		}
		n, err := w.g.assertion(a, surface)
		if err == nil {
			err = w.checkGuardrails(a, n)
		}
		if err != nil && a.Failed() && !a.Unanswered && !w.g.opts.DropUnknown {
			return nil, fmt.Errorf("%s %s failed and cannot be carried over: %w", a.Type, where, err)
		}
		if err != nil {
			w.notef("%s %s is left out: %v", a.Type, where, err)
			continue
		}
		if a.Failed() && !a.Unanswered {
			w.failed++
		}
		w.asksJudge = w.asksJudge || asksModel(a.Type)
		text, err := node.Text(n)
		if err != nil {
			return nil, err
		}
		if !seen[text] {
			seen[text] = true
			w.asserted++
			out.Content = append(out.Content, n)
		}
	}
	if len(out.Content) == 0 {
		return nil, nil
	}
	return out, nil
}

// fallbackAssertions adds an assertion to a scenario without any, because such a scenario could not fail. It asserts
// that the tools that worked are called again or, without tool calls, that there is a reply. It returns assertions of
// the conversation, or nil when it added one to the last turn.
func (w *builder) fallbackAssertions(turns *node.Node) *node.Node {
	tools := map[string]bool{}
	for i := range w.s.Messages {
		if r := w.s.Messages[i].ToolResult; r != nil && r.Error == "" {
			tools[r.Name] = true
		}
	}
	if len(tools) == 0 {
		w.notef("there is no assertion to carry over: the scenario asks for a reply only; add some")
		last := turns.Content[len(turns.Content)-1]
		node.Put(last, "assertions", node.NewList(placeholderCheck("min_length", "min", node.Number("1"))))
		return nil
	}
	w.notef("there is no assertion to carry over: the scenario asks for the same tools only; add some")
	names := node.NewList()
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		names.Content = append(names.Content, node.Str(scenario.Literal(name)))
	}
	return node.NewList(placeholderCheck("tools_called", "tool_names", names))
}

// placeholderCheck is a check with one parameter, marked as one that no person wrote.
func placeholderCheck(kind, param string, value *node.Node) *node.Node {
	params := node.NewMap()
	node.Put(params, param, value)
	n := node.NewMap()
	node.Put(n, "type", node.Str(kind))
	node.Put(n, "params", params)
	n.HeadComment = "# there was no assertion to carry over: say here what must be true"
	return n
}
