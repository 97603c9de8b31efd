package recording

import (
	"cmp"
	"iter"
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// readTraces makes one conversation of the calls of a model: each holds all that was said before, or only what is new.
func readTraces(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		if s, ok := b.aiSpan(p.value); ok {
			spans = append(spans, s)
		}
	}
	slices.SortStableFunc(spans, func(x, y aiSpan) int { return x.start.Compare(y.start) })
	b.keepAgreed(spans)
	calls := b.outermost(spans)
	var talk []event
	for _, c := range calls {
		talk = append(b.hear(talk, c.input), c.output...)
		s := b.session
		s.Model, s.Provider = cmp.Or(s.Model, c.model), cmp.Or(s.Provider, c.provider)
	}
	b.judged(talk, spans)
	for _, e := range answers(talk, spans) {
		b.add(e)
	}
}

// outermost picks the calls that make the conversation: those of the outermost agent. What an agent says within a tool
// or within another agent is another conversation.
func (b *builder) outermost(spans []aiSpan) (calls []aiSpan) {
	byID := map[string]*aiSpan{}
	for i := range spans {
		byID[spans[i].id] = &spans[i]
	}
	var agents []aiSpan
	left := 0
	for i := range spans {
		s := &spans[i]
		if s.asksModel() && !nested(s, byID) {
			b.session.Error = s.failure // that of the last call: after the others the conversation went on
		}
		switch {
		case s.judge || len(s.input)+len(s.output) == 0 || s.operation == "embeddings" || s.operation == "execute_tool":
		case nested(s, byID):
			left++
		case s.operation == "invoke_agent" || s.operation == "create_agent":
			agents = append(agents, *s)
		default:
			calls = append(calls, *s)
		}
	}
	if len(calls) > 0 {
		b.wholeCalls(calls)
	}
	if left > 0 {
		b.notef("%s within tools or other agents left out", plural.Count(left, "call"))
	}
	if len(calls) == 0 {
		return agents
	}
	return calls
}

// wholeCalls refuses a conversation in which a call of the model lacks what it was told, or what it said, unless the
// next call was told that.
func (b *builder) wholeCalls(calls []aiSpan) {
	for i := range calls {
		s := &calls[i]
		what := ""
		switch {
		case s.failure != "":
		case len(s.input) == 0:
			what = "holds what the model said, and not what it was told"
		case len(s.output) == 0 && (i+1 == len(calls) || !told(calls[i+1].input, s.input[len(s.input)-1])):
			what = "holds what the model was told, and not what it said"
		}
		if what != "" {
			b.broken = true
			b.problems.Errorf(s.pos, 1, "lost-message", "the span %s", what).
				Hint = "turn on the capture of messages in the instrumentation of the agent; raise its limits"
		}
	}
}

// told says whether a message is among those that a call was sent.
func told(input []event, m event) bool {
	return slices.ContainsFunc(input, func(e event) bool { return alike(e, m) })
}

// asksModel says whether a span is a call of a model for the conversation.
func (s *aiSpan) asksModel() bool {
	switch s.operation {
	case "chat", "generate_content", "text_completion":
		return !s.judge
	case "":
		return !s.judge && len(s.input)+len(s.output) > 0
	}
	return false
}

// nested says whether a span is within a tool or within an agent that another agent calls.
func nested(s *aiSpan, byID map[string]*aiSpan) bool {
	agents := 0
	if s.operation == "invoke_agent" {
		agents++
	}
	seen := map[string]bool{s.id: true}
	for up := byID[s.parent]; s.parent != "" && up != nil && !seen[up.id]; up = byID[up.parent] {
		seen[up.id] = true
		if up.operation == "execute_tool" {
			return true
		}
		if up.operation == "invoke_agent" {
			agents++
		}
	}
	return agents > 1
}

// hear adds to a conversation what is new in the input of a call: what follows the longest end of the conversation
// with which the input begins. An input that begins as the conversation does, but goes on in another way, takes its
// place: the agent has rewritten the history, or asked once more. A system prompt is heard once.
func (b *builder) hear(talk, input []event) []event {
	if len(talk) == 0 {
		return input
	}
	spoken, fresh := unprompted(talk), unprompted(input)
	for n := min(len(spoken), len(fresh)); n > 0; n-- {
		if slices.EqualFunc(spoken[len(spoken)-n:], fresh[:n], alike) {
			return append(talk, fresh[n:]...)
		}
	}
	if len(fresh) == 0 || len(spoken) == 0 || !alike(spoken[0], fresh[0]) {
		return append(talk, fresh...)
	}
	b.notef("a call was sent another history than what was said before; the conversation is read as it was sent")
	for i := range fresh { // what a reply took is known of its own call
		if k := slices.IndexFunc(spoken, func(e event) bool { return alike(e, fresh[i]) }); k >= 0 {
			fresh[i] = spoken[k]
		}
	}
	return append(talk[:len(talk)-len(spoken):len(talk)-len(spoken)], fresh...)
}

// unprompted is a list of messages without system prompts.
func unprompted(list []event) []event {
	return slices.DeleteFunc(slices.Clone(list), func(e event) bool { return e.Role == chat.System })
}

// alike says whether two messages say the same; what their calls took is known of one of them only.
func alike(x, y event) bool {
	if x.Role != y.Role || x.Text() != y.Text() || len(x.ToolCalls) != len(y.ToolCalls) {
		return false
	}
	for i := range x.ToolCalls {
		a, b := &x.ToolCalls[i], &y.ToolCalls[i]
		if a.Name != b.Name || a.ID != b.ID || a.BadArgs != b.BadArgs || !reflect.DeepEqual(a.Args, b.Args) {
			return false
		}
	}
	return x.ToolResult == nil || y.ToolResult == nil || x.ToolResult.ID == y.ToolResult.ID
}

// answers puts the results that spans of tools hold behind the calls that have none in the conversation.
func answers(talk []event, spans []aiSpan) (out []event) {
	said := map[string]int{}
	for _, e := range talk {
		if e.ToolResult != nil {
			said[e.ToolResult.ID]++
		}
	}
	used := map[int]bool{}
	for _, e := range talk {
		out = append(out, e)
		for _, call := range e.ToolCalls {
			if said[call.ID] > 0 {
				said[call.ID]--
				continue
			}
			for i := range spans {
				s := &spans[i]
				if used[i] || s.judge || !s.toolSaid || call.ID == "" || s.tool.ID != call.ID {
					continue
				}
				used[i] = true
				result := s.tool
				out = append(out, event{Message: Message{
					Message: chat.Message{Role: chat.ToolRole, Content: result.Content, ToolResult: &result},
					Offset:  -1, At: s.end, Pos: e.Pos,
				}})
				break
			}
		}
	}
	return out
}
