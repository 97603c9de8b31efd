package recording

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Results of promptfoo, as JSON or as JSON lines: each is a prompt and its output, with the verdicts on it.

func isPromptfoo(h *head) bool {
	return h.has("results") && (h.has("evalid") || h.has("shareableurl") || !h.keys["results"].get("stats").missing()) ||
		h.has("testidx", "promptidx") || h.has("gradingresult", "testcase")
}

func scanPromptfoo(s *scan) {
	n, expected := 0, -1
	var all span
	s.records(func(doc value) value {
		results := doc.get("results")
		if stats := results.get("stats"); stats.kind() == '{' {
			expected = 0
			for _, name := range []string{"successes", "failures", "errors"} {
				count, _ := stats.get(name).number()
				expected += int(count)
			}
		}
		if results.kind() == '{' {
			return results.get("results")
		}
		return results
	}, func(v value, p span) {
		if v.get("prompt").missing() || v.get("response").missing() && v.get("error").missing() {
			s.otherRecord(p, "a prompt and a response")
			return
		}
		if n++; n == 1 {
			all = p
		}
		s.add(fmt.Sprint(n), p)
	})
	if s.problems.Errors() == 0 && expected >= 0 && n != expected {
		s.errorf(s.pos(span{line: max(all.line, 1), col: max(all.col, 1)}), "lost-trials",
			"the file counts %d results, found %d: it was edited or merged", expected, n)
	}
}

func readPromptfoo(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		if o, ok := b.object(p.value, "a result"); ok {
			b.promptfooResult(o)
		}
	}
}

func (b *builder) promptfooResult(o object) {
	s := b.session
	s.ID = b.text(o.get("id"), "id")
	if s.Provider = b.text(o.get("provider").get("label"), "label"); s.Provider == "" {
		provider := o.get("provider")
		s.Provider = b.text(provider.get("id").or(provider), "provider")
	}
	for _, name := range []string{"vars", "metadata"} {
		if v := o.get(name); v.kind() == '{' {
			b.keep(v)
		}
	}
	prompt := o.get("prompt")
	raw := prompt
	if prompt.kind() == '{' {
		raw = prompt.get("raw")
	}
	if raw.kind() != '"' {
		b.errorf(raw.or(prompt), "missing-content", "the prompt of a result must be text, found %s", describe(raw))
	}
	if messages := jsonIn(textOf(raw)); messages.kind() == '[' && isMessages(messages) {
		for _, e := range b.logged(raw, chat.User, "the prompt") {
			b.add(e)
		}
	} else {
		text := b.text(raw, "the prompt")
		b.add(event{Message: Message{Message: chat.Message{Role: chat.User, Content: text}, Offset: -1, Pos: b.pos(raw)}})
	}
	response := o.get("response")
	reason, _ := o.get("failurereason").number()
	if response.kind() == '{' {
		if r, ok := b.object(response, "a response"); ok {
			b.failed("", b.failureIn(r))
		}
	}
	if s.Error == "" && (reason == 2 || response.missing()) {
		s.Error = b.failure(o.get("error"))
	}
	b.doubtPromptfoo(response)
	b.doubtRaw(response)
	b.furtherTurns(o, response)
	if output := response.get("output"); !output.missing() {
		b.promptfooReply(o, response, output)
	} else if s.Error == "" {
		b.errorf(response.or(o.value), "missing-content", "a result has neither an output nor an error")
	}
}

// doubtPromptfoo notes that the provider calls the reply a refusal, or that its guardrails flagged it.
func (b *builder) doubtPromptfoo(response value) {
	if refused, _ := b.flag(response.get("isrefusal")); refused {
		b.doubtf("the provider reports that the model refused")
	}
	guardrails := response.get("guardrails")
	for _, of := range [][2]string{
		{"flagged", "flagged the call"}, {"flaggedinput", "flagged the input"}, {"flaggedoutput", "flagged the output"},
	} {
		if set, _ := b.flag(guardrails.get(of[0])); set {
			why, _ := guardrails.get("reason").str()
			b.doubtf("guardrails of the provider %s", strings.TrimSuffix(of[1]+": "+cutText(why, 80), ": "))
		}
	}
}

// isMessages reports whether a value is a list of messages with roles.
func isMessages(list value) bool {
	n := 0
	for item := range list.items {
		if item.get("role").kind() != '"' {
			return false
		}
		n++
	}
	return n > 0
}

func (b *builder) promptfooReply(o object, response, output value) {
	e := event{Message: Message{Offset: -1, Pos: b.pos(output)}}
	switch replies := b.promptfooOutput(output); {
	case replies == nil:
		e.Role, e.Content = chat.Assistant, textOf(output)
	case len(replies) == 1:
		e = replies[0]
	default:
		b.badMessage = true
		return
	}
	m := &e.Message
	m.FinishReason = b.text(response.get("finishreason"), "finishReason")
	m.Cached = b.truth(response.get("cached"), "cached")
	b.promptfooMeasures(m, o, response)
	for item := range o.get("gradingresult").get("componentresults").items {
		v := Verdict{
			Passed: b.truth(item.get("pass"), "pass"), Score: b.float(item.get("score"), "score"),
			Explanation: b.text(item.get("reason"), "reason"), Type: "assertion",
		}
		if assertion := item.get("assertion"); assertion.kind() == '{' {
			v.Type, v.Params = b.text(assertion.get("type"), "type"), raw(assertion)
		}
		e.Verdicts = append(e.Verdicts, v)
	}
	b.add(e)
}

// promptfooOutput reads an output that holds tool calls; nil for any other output. Some providers write calls as JSON
// paragraphs after the text.
func (b *builder) promptfooOutput(output value) []event {
	list := nestedJSON(output)
	switch {
	case list.kind() == '[' && isCalls(list):
		calls := map[string]value{"toolcalls": {list.text, output.at}}
		return b.splitMessage(object{output, calls}, b.pos(output), chat.Assistant)
	case output.kind() == '{' && (!output.get("toolcalls").missing() || !output.get("functioncall").missing()):
		return b.logged(output, chat.Assistant, "the output")
	}
	text, ok := output.str()
	if !ok || !strings.Contains(text, `"tool_use"`) {
		return nil
	}
	var parts []json.RawMessage
	calls := 0
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		block := jsonIn(paragraph)
		if kind, _ := block.get("type").str(); kind == "tool_use" {
			parts = append(parts, block.text)
			calls++
			continue
		}
		parts = append(parts, rawObject(map[string]value{
			"type": {text: []byte(`"text"`)}, "text": {text: quoteJSON(paragraph)},
		}))
	}
	if calls == 0 {
		return nil
	}
	content := map[string]value{"content": {jsonList(parts), output.at}}
	return b.splitMessage(object{output, content}, b.pos(output), chat.Assistant)
}

// isCalls reports whether a list is one of tool calls.
func isCalls(list value) bool {
	n := 0
	for item := range list.items {
		kind, _ := item.get("type").str()
		if item.get("function").kind() != '{' && kind != "tool_use" && kind != "function_call" {
			return false
		}
		n++
	}
	return n > 0
}

// quoteJSON writes a text as JSON.
func quoteJSON(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil { // a text can always be encoded
		return []byte(`""`)
	}
	return out
}

// promptfooMeasures reads tokens, cost and latency. In promptfoo 0 means not measured, and cached replies cost nothing.
func (b *builder) promptfooMeasures(m *Message, o object, response value) {
	usage := response.get("tokenusage")
	in, out := b.tokens(usage.get("prompt"), "prompt"), b.tokens(usage.get("completion"), "completion")
	if in+out > 0 {
		m.Usage = &chat.Usage{
			InputTokens: in, OutputTokens: out,
			ReasoningTokens: b.tokens(usage.get("completiondetails").get("reasoning"), "reasoning"),
		}
		checkTotal(&m.Message, !usage.get("prompt").missing(), !usage.get("completion").missing(), usage.get("total"))
	}
	if m.Cached {
		return
	}
	if m.CostUSD = b.amount(response.get("cost"), "cost"); m.CostUSD == nil {
		if f := b.amount(o.get("cost"), "cost"); f != nil && *f > 0 {
			m.CostUSD = f
		}
	}
	for _, v := range []value{response.get("latencyms"), o.get("latencyms")} {
		if f := b.amount(v, "latencyMs"); f != nil && m.LatencyMS == 0 {
			m.LatencyMS = *f
		}
	}
}
