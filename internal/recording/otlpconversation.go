package recording

import (
	"cmp"
	"iter"
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/sortby"
)

// readTraces makes one conversation from model calls. The input of a call is the whole history, or only what is new.
func readTraces(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		if s, ok := b.aiSpan(p.value); ok {
			spans = append(spans, s)
		}
	}
	b.conversation(spans)
}

// conversation makes one conversation from model calls and the spans around them.
func (b *builder) conversation(spans []aiSpan) {
	sortby.Func(spans, func(x, y aiSpan) int { return x.start.Compare(y.start) })
	b.keepCommon(spans)
	calls := b.outermost(spans)
	var conversation []event
	for _, c := range calls {
		conversation = append(b.addInput(conversation, c.input, c.output), c.output...)
		s := b.session
		s.Model, s.Provider = cmp.Or(s.Model, c.model), cmp.Or(s.Provider, c.provider)
	}
	b.compareOutputs(spans, calls)
	b.addVerdicts(conversation, spans)
	for _, e := range addToolResults(conversation, spans) {
		b.add(e)
	}
}

// outermost returns the calls of the outermost agent. Calls within a tool or another agent belong to another
// conversation.
func (b *builder) outermost(spans []aiSpan) (calls []aiSpan) {
	byID := map[string]*aiSpan{}
	for i := range spans {
		byID[spans[i].id] = &spans[i]
	}
	var agents []aiSpan
	left, failure := 0, ""
	for i := range spans {
		s := &spans[i]
		if s.asksModel() && !nested(s, byID) {
			failure = s.failure // only the last call counts: the conversation continued after the others
		}
		if s.silent && !s.judge && s.failure == "" && !nested(s, byID) {
			b.badMessage = true
			b.problems.Errorf(s.pos, 1, "lost-message", "the span of a call of a model holds no messages").
				Hint = "configure the instrumentation to record inputs and outputs"
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
	b.session.Error = cmp.Or(failure, b.session.Error, b.agentFailure(spans, byID))
	if len(calls) > 0 {
		b.checkCalls(calls)
	}
	if left > 0 {
		b.notef("%s within tools or other agents left out", plural.Count(left, "call"))
	}
	if len(calls) == 0 {
		return agents
	}
	return calls
}

// agentFailure is the failure of the outermost span around the last model calls: the user did not get the model's
// reply. The failure of an earlier span, after which the conversation continued, is a doubt.
func (b *builder) agentFailure(spans []aiSpan, byID map[string]*aiSpan) (failure string) {
	var last *aiSpan
	failed := map[*aiSpan]bool{}
	for i := range spans {
		s := &spans[i]
		if !s.asksModel() || nested(s, byID) {
			continue
		}
		root := s
		for range spans {
			up := byID[root.parent]
			if root.parent == "" || up == nil || up == s || up.operation == "trace" { // none of its parents failed
				break
			}
			root = up
		}
		if root == s || root.judge {
			last = nil
			continue
		}
		if last = root; root.failure != "" {
			failed[root] = true
		}
	}
	for root := range failed {
		if root != last {
			b.doubtf("a run of the agent failed, after which the conversation went on")
		}
	}
	if last != nil && last.failure != "" {
		return "the run of the agent failed: " + last.failure
	}
	return ""
}

// checkCalls refuses a conversation when a call lacks its input. It also refuses one when a call lacks its output and
// the next call does not continue its input.
func (b *builder) checkCalls(calls []aiSpan) {
	for i := range calls {
		s := &calls[i]
		what := ""
		switch {
		case s.failure != "":
		case len(s.input) == 0:
			what = "has the model's output, but not its input"
		case len(s.output) == 0 && (i+1 == len(calls) || !isAmong(calls[i+1].input, s.input[len(s.input)-1])):
			what = "has the model's input, but not its output"
		case len(s.output) == 0 && endsWith(calls[i+1].input, s.input[len(s.input)-1]):
			b.doubtf("a call of the model has no output, and the next call has the same input: the output is lost")
		}
		if what != "" {
			b.badMessage = true
			b.problems.Errorf(s.pos, 1, "lost-message", "the span %s", what).
				Hint = "turn on the capture of messages in the instrumentation of the agent; raise its limits"
		}
	}
}

// isAmong reports whether a message is in the input of a call.
func isAmong(input []event, m event) bool {
	return slices.ContainsFunc(input, func(e event) bool { return sameContent(e, m) })
}

// endsWith reports whether a message is the last of the input of a call.
func endsWith(input []event, m event) bool { return sameContent(input[len(input)-1], m) }

// asksModel reports whether a span is a model call of the conversation.
func (s *aiSpan) asksModel() bool {
	switch s.operation {
	case "chat", "generate_content", "text_completion":
		return !s.judge
	case "":
		return !s.judge && len(s.input)+len(s.output) > 0
	}
	return false
}

// nested reports whether a span is within a tool, or within an agent that another agent calls.
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

// addInput adds the new messages in the input of a call: those after the longest overlap with the end of the
// conversation. An input with the same start and another continuation replaces the conversation: the agent rewrote its
// history, or asked again. The system prompt is added once.
func (b *builder) addInput(conversation, input, output []event) []event {
	if len(conversation) == 0 {
		return input
	}
	spoken, fresh := withoutSystem(conversation), withoutSystem(input)
	for n := min(len(spoken), len(fresh)); n > 0; n-- {
		if slices.EqualFunc(spoken[len(spoken)-n:], fresh[:n], sameContent) {
			return append(conversation, fresh[n:]...)
		}
	}
	if len(fresh) == 0 || len(spoken) == 0 || !sameContent(spoken[0], fresh[0]) {
		return append(conversation, fresh...)
	}
	b.notef("a call has another history than the calls before it; the conversation is read from that history")
	for i := range spoken {
		if e := &spoken[i]; e.Role == chat.Assistant && e.Content != "" && !isAmong(fresh, *e) && !isAmong(output, *e) {
			b.doubtf("a reply is left out, because a later call has another history: %q", cutText(e.Content, 60))
		}
	}
	for i := range fresh { // keep the measures of replies
		if k := slices.IndexFunc(spoken, func(e event) bool { return sameContent(e, fresh[i]) }); k >= 0 {
			fresh[i] = spoken[k]
		}
	}
	return append(conversation[:len(conversation)-len(spoken):len(conversation)-len(spoken)], fresh...)
}

// withoutSystem drops system prompts.
func withoutSystem(list []event) []event {
	return slices.DeleteFunc(slices.Clone(list), func(e event) bool { return e.Role == chat.System })
}

// sameContent reports whether two messages have the same content. Their measures may differ.
func sameContent(x, y event) bool {
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

// addToolResults adds the results in spans of tools after calls without results, and the calls that the program made
// itself. The result of a failed span is a failure, whatever the model was sent.
func addToolResults(conversation []event, spans []aiSpan) (out []event) {
	results := map[string]int{}
	failures := map[string][]string{} // of the following results, by call id; "": it did not fail
	for _, e := range conversation {
		if e.ToolResult != nil {
			results[e.ToolResult.ID]++
		}
	}
	used := map[int]bool{}
	for _, e := range conversation {
		if e.ToolResult != nil {
			e.ToolResult = failedAs(e.ToolResult, failures)
		}
		out = append(out, e)
		for i := range e.ToolCalls {
			call := &e.ToolCalls[i]
			run := runOf(call, spans, used)
			if run >= 0 {
				used[run] = true
			}
			failure := ""
			if run >= 0 {
				failure = spans[run].tool.Error
			}
			if call.ID != "" && results[call.ID] > 0 {
				results[call.ID]--
				failures[call.ID] = append(failures[call.ID], failure)
				continue
			}
			if run < 0 || !spans[run].hasResult && (failure == "" || results[""] > 0) {
				continue
			}
			result := spans[run].tool
			result.ID = call.ID
			out = append(out, event{Message: Message{
				Message: chat.Message{Role: chat.ToolRole, Content: result.Content, ToolResult: &result},
				Offset:  -1, At: spans[run].end, Pos: e.Pos,
			}})
		}
	}
	return addRuns(out, spans, used)
}

// failedAs returns a result with the failure of the span that ran the tool, and removes that failure from the list.
func failedAs(r *chat.ToolResult, failures map[string][]string) *chat.ToolResult {
	list := failures[r.ID]
	if len(list) == 0 {
		return r
	}
	failures[r.ID] = list[1:]
	if list[0] == "" || r.Error != "" {
		return r
	}
	failed := *r
	failed.Error = list[0]
	return &failed
}

// runOf finds the span that ran a call: the one with its id, else the first without an id that has its name and, if
// both are known, its arguments. -1: there is none.
func runOf(call *chat.ToolCall, spans []aiSpan, used map[int]bool) int {
	inferred := -1
	for i := range spans {
		s := &spans[i]
		byID := s.tool.ID != "" && call.ID != ""
		switch {
		case used[i] || s.judge || !s.runsTool():
			continue
		case byID && s.tool.ID != call.ID:
			continue
		case !byID && (s.tool.Name != call.Name || s.toolArgs != nil && !reflect.DeepEqual(s.toolArgs, call.Args)):
			continue
		case !s.inferred:
			return i
		}
		if inferred < 0 {
			inferred = i
		}
	}
	return inferred
}

// duplicateRuns returns the ids of inferred tool runs that another span records too: of two nested spans of the same
// tool the inferred one, or the inner one if both are inferred.
func duplicateRuns(list []aiSpan, byID map[string]*aiSpan) map[string]bool {
	duplicates := map[string]bool{}
	for i := range list {
		s := &list[i]
		if !s.runsTool() {
			continue
		}
		seen := map[string]bool{s.id: true}
		for up := byID[s.parent]; s.parent != "" && up != nil && !seen[up.id]; up = byID[up.parent] {
			seen[up.id] = true
			switch {
			case !up.runsTool() || up.tool.Name != s.tool.Name:
			case s.inferred:
				duplicates[s.id] = true
			case up.inferred:
				duplicates[up.id] = true
			}
		}
	}
	return duplicates
}

// addRuns adds the runs of tools that belong to no call, before the reply that followed.
func addRuns(conversation []event, spans []aiSpan, used map[int]bool) []event {
	byID := map[string]*aiSpan{}
	for i := range spans {
		byID[spans[i].id] = &spans[i]
	}
	duplicates := duplicateRuns(spans, byID)
	for i := range spans {
		s := &spans[i]
		if used[i] || s.judge || !s.runsTool() || s.tool.Name == "" || s.inferred && duplicates[s.id] || nested(s, byID) {
			continue
		}
		call := chat.ToolCall{ID: cmp.Or(s.tool.ID, s.id), Name: s.tool.Name, Args: s.toolArgs, BadArgs: s.toolBadArgs}
		if call.Args == nil && call.BadArgs == "" {
			call.Args = jsonvalue.Object{}
		}
		asked := chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}
		if s.toolArgs == nil {
			asked.Unreported = []string{chat.UnreportedArguments}
		}
		asked.Usage, asked.CostUSD = &chat.Usage{}, new(0.0) // no model was called
		ran := []event{{Message: Message{Message: asked, Offset: -1, At: s.start, Pos: s.pos}}}
		if s.hasResult || s.failure != "" {
			result := s.tool
			result.ID = call.ID
			ran = append(ran, event{Message: Message{
				Message: chat.Message{Role: chat.ToolRole, Content: result.Content, ToolResult: &result},
				Offset:  -1, At: s.end, Pos: s.pos,
			}})
		}
		at := slices.IndexFunc(conversation, func(e event) bool {
			return e.Role == chat.Assistant && !e.At.IsZero() && !e.At.Before(s.end)
		})
		if at < 0 {
			at = len(conversation)
		}
		conversation = slices.Insert(conversation, at, ran...)
	}
	return conversation
}
