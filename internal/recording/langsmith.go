package recording

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// Runs of LangSmith, as its API lists them: calls of models and tools, and the chains around them, of many traces.

func isLangSmith(h *head) bool {
	return h.has("runtype") && (h.has("traceid") || h.has("inputs") || h.has("dottedorder"))
}

func scanLangSmith(s *scan) {
	t := &traceScan{
		scan: s, hasMessage: map[string]bool{}, silence: "there is no call of a model among the runs of any trace",
		silenceHint: "export all runs of each trace, and not only the outermost one",
	}
	s.records(func(doc value) value { return doc.get("runs").or(doc.get("data")) }, func(v value, p span) {
		if v.get("runtype").kind() != '"' {
			s.otherRecord(p, "runs with a run_type")
			return
		}
		trace, ok := v.get("traceid").or(v.get("id")).scalar()
		if !ok {
			s.errorf(s.pos(p), "missing-field", "a run has no trace_id")
			return
		}
		t.addSpan(trace, threadOf(v), callsModel(v), p)
	})
	t.join()
}

// threadOf is the conversation to which a run says it belongs; "" when it does not say.
func threadOf(run value) string {
	meta := run.get("extra").get("metadata")
	for _, name := range []string{"threadid", "sessionid", "conversationid"} {
		if id, ok := meta.get(name).str(); ok && id != "" {
			return id
		}
	}
	return ""
}

// callsModel reports whether a run, or one below it, is the call of a model.
func callsModel(run value) bool {
	if kind, _ := run.get("runtype").str(); kind == "llm" {
		return true
	}
	for child := range run.get("childruns").items {
		if callsModel(child) {
			return true
		}
	}
	return false
}

func readLangSmith(b *builder, pieces iter.Seq[piece]) {
	var spans []aiSpan
	for p := range pieces {
		spans = b.langSmithRun(spans, p.value, 0)
	}
	b.conversation(spans)
}

const maxRunDepth = 1000

// langSmithRun reads a run and its child runs.
func (b *builder) langSmithRun(spans []aiSpan, v value, depth int) []aiSpan {
	o, ok := b.object(v, "a run")
	if !ok {
		return spans
	}
	if depth > maxRunDepth {
		b.errorf(v, "too-deep", "runs are nested deeper than %d levels", maxRunDepth)
		return spans
	}
	s := aiSpan{
		pos: b.pos(v), id: b.text(o.get("id"), "id"), parent: b.text(o.get("parentrunid"), "parent_run_id"),
		start: b.instant(o.get("starttime")), end: b.instant(o.get("endtime")), failure: b.failureIn(o),
	}
	meta := o.get("extra").get("metadata")
	s.model, _ = meta.get("lsmodelname").str()
	s.provider, _ = meta.get("lsprovider").str()
	kind := b.text(o.get("runtype"), "run_type")
	switch kind {
	case "llm":
		s.operation = "chat"
		b.loggedCall(&s, o.get("inputs"), o.get("outputs"))
		b.langSmithMeasures(&s, o, meta)
	case "tool":
		s.operation = "execute_tool"
		b.loggedTool(&s, b.text(o.get("name"), "name"), o.get("inputs"), o.get("outputs"))
	case "embedding":
		s.operation = "embeddings"
	case "chain", "retriever", "prompt", "parser", "runnable", "agent", "retry", "evaluator":
		s.operation, s.given = kind, givenIn(o.get("outputs"))
		s.judge = kind == "evaluator"
	default:
		b.errorf(o.get("runtype").or(v), "unknown-value", "unknown type of run %q", cutText(kind, 40)).
			Hint = "known types: llm, tool, chain, retriever, embedding, prompt, parser"
	}
	spans = append(spans, s)
	for child := range b.list(o.get("childruns"), "child_runs") {
		spans = b.langSmithRun(spans, child, depth+1)
	}
	return spans
}

// loggedCall reads the input and the output of a model, in any form.
func (b *builder) loggedCall(s *aiSpan, input, output value) {
	before := b.problems.Errors()
	s.input = oneReply(b.logged(input, chat.User, "the input of a call"))
	if s.failure == "" || !isEmpty(output) {
		s.output = oneReply(b.logged(output, chat.Assistant, "the output of a call"))
	}
	if inner := nestedJSON(output); s.failure == "" && inner.kind() == '{' {
		if o, ok := b.object(inner, "the output of a call"); ok && !inner.get("choices").missing() {
			s.failure = b.failureIn(o)
		}
	}
	if n := len(s.output); n > 1 {
		b.doubtf("a call has %d outputs; the last one is taken", n)
		s.output = s.output[n-1:]
	}
	s.silent = len(s.input)+len(s.output) == 0 && b.problems.Errors() == before
	for i := range s.input {
		s.input[i].At = s.start
	}
	for i := range s.output {
		s.output[i].At = s.end
		s.output[i].LatencyMS = s.latency()
	}
}

// loggedTool reads the run of a tool.
func (b *builder) loggedTool(s *aiSpan, name string, input, output value) {
	if s.tool.Name = cmp.Or(name, "unnamed"); name == "" {
		b.doubtf("a run of a tool has no name, so its tool is not known")
	}
	s.toolArgs, s.toolBadArgs = b.loggedArgs(input)
	s.tool.Error, s.tool.LatencyMS = s.failure, s.latency()
	if output.missing() {
		return
	}
	s.hasResult = true
	output = onlyMember(output).or(output)
	if fields := output.get("kwargs").or(output); chainRole(kindOf(fields, output)) == chat.ToolRole {
		s.tool.ID, _ = fields.get("toolcallid").str()
		output = fields.get("content")
	}
	s.tool.Content = textOf(output)
}

// argumentKeys are the names under which frameworks keep the arguments of a tool, all together.
var argumentKeys = []string{"kwargs", "toolinput"}

// loggedArgs are the arguments of a tool run. Both are empty if they are not recorded.
func (b *builder) loggedArgs(input value) (args chat.Args, bad string) {
	inner := onlyMember(input)
	for _, key := range argumentKeys {
		if v := input.get(key); inner.missing() && v.kind() == '{' && isOnly(input, key) {
			inner = v
		}
	}
	if inner.kind() == '{' || nestedJSON(inner).kind() == '{' {
		input = nestedJSON(inner)
	}
	text, isText := inner.str()
	text = strings.TrimSpace(text)
	switch {
	case input.missing():
		return nil, ""
	case isText && strings.HasPrefix(text, "{") && jsonIn(text).missing(): // a dict in Python's notation
		return nil, text
	case !isEmpty(input.get("args")) && input.get("kwargs").kind() == '{': // positional arguments, without names
		return nil, string(input.text)
	}
	return b.args(input)
}

// isOnly reports whether no other member of an object has content.
func isOnly(o value, name string) bool {
	for key, member := range o.members {
		if foldKey(key) != name && !isEmpty(member) {
			return false
		}
	}
	return true
}

// kindOf is the type of a message, or of its class.
func kindOf(fields, around value) string {
	if constructorRole(around) == chat.ToolRole {
		return "tool"
	}
	kind, _ := fields.get("type").str()
	return kind
}

// langSmithMeasures adds the tokens and the cost that the run itself records.
func (b *builder) langSmithMeasures(s *aiSpan, o object, meta value) {
	if len(s.output) == 0 {
		return
	}
	m := &s.output[len(s.output)-1].Message
	if model, ok := o.get("outputs").get("model").str(); ok {
		s.model = cmp.Or(model, s.model)
	}
	if m.Usage == nil {
		b.cost(&m.Message, o.get("outputs").get("usagemetadata").or(meta.get("usagemetadata")).or(o.value))
	}
	if v := o.get("totalcost"); !v.missing() {
		m.CostUSD = b.amountIn(v, "total_cost")
	}
}

// amountIn is amount for a number that may be written as a text.
func (b *builder) amountIn(v value, what string) *float64 {
	if text, ok := v.str(); ok {
		v.text = []byte(text)
		if _, isNumber := v.number(); !isNumber {
			v.text = []byte(fmt.Sprintf("%q", text))
		}
	}
	return b.amount(v, what)
}
