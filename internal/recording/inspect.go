package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// Logs of inspect_ai as JSON: the samples of an evaluation, each a conversation.

func isInspect(h *head) bool { return h.has("version", "status", "eval") }

func scanInspect(s *scan) {
	n, total, status := 0, 0.0, ""
	s.records(func(doc value) value {
		total, _ = doc.get("results").get("totalsamples").number()
		status, _ = doc.get("status").str()
		if doc.get("samples").kind() == 0 {
			s.errorf(diag.Pos{File: s.file, Line: 1, Col: 1}, "lost-message",
				"the log has no samples: it is only the header of one").
				Hint = "write the log with its samples: inspect log dump FILE"
			return value{text: []byte("[]")}
		}
		return doc.get("samples")
	}, func(v value, p span) {
		if v.get("messages").kind() != '[' {
			s.otherRecord(p, "a list of messages in each sample")
			return
		}
		n++
		s.add(fmt.Sprint(n), p)
	})
	if s.problems.Errors() == 0 && int(total) > n {
		s.errorf(diag.Pos{File: s.file, Line: 1, Col: 1}, "lost-trials", "the log counts %.0f samples, found %d", total, n)
	}
	if status == "started" || status == "cancelled" || status == "error" {
		s.notef("the evaluation did not end by itself: its status is %q", status)
	}
}

func readInspect(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		if o, ok := b.object(p.value, "a sample"); ok {
			b.inspectSample(o)
		}
	}
}

func (b *builder) inspectSample(o object) {
	s := b.session
	s.ID = b.text(o.get("id"), "id")
	if epoch, ok := o.get("epoch").scalar(); ok && epoch != "1" {
		s.ID += "#" + epoch
	}
	output := o.get("output")
	s.Model = b.text(output.get("model"), "model")
	if meta := o.get("metadata"); meta.kind() == '{' {
		b.keep(meta)
	}
	for item := range o.get("messages").items {
		b.inspectMessage(b.attached(item, o.get("attachments")))
	}
	b.failed("", b.failure(o.get("error")))
	if limit := o.get("limit"); !limit.missing() && s.Error == "" {
		kind, _ := limit.get("type").scalar()
		s.Error = strings.TrimSpace("the sample was ended by a limit " + kind)
	}
	if n := len(b.events); n > 0 && b.events[n-1].Role == chat.Assistant {
		b.compareGiven(givenIn(output.get("completion")), b.events[n-1])
		b.compareCalls(output, &b.events[n-1])
	}
	if invalid := o.get("invalidation"); !invalid.missing() {
		why, _ := invalid.get("reason").str()
		b.doubtf("%s", strings.TrimSuffix("the sample was marked invalid: "+cutText(why, 80), ": "))
	}
	b.inspectScores(o.get("scores"))
	b.inspectCalls(o.get("events"))
	b.compareEvents(o)
	if len(b.calls) == 0 && !output.missing() {
		b.calls = []modelCall{b.inspectCall(output)}
	}
}

// compareCalls notes when the output of a sample calls other tools than its last message.
func (b *builder) compareCalls(output value, last *event) {
	for choice := range output.get("choices").items {
		var outputCalls []string
		for call := range choice.get("message").get("toolcalls").items {
			name, _ := call.get("function").str()
			outputCalls = append(outputCalls, name)
		}
		var read []string
		for i := range last.ToolCalls {
			read = append(read, last.ToolCalls[i].Name)
		}
		if !slices.Equal(outputCalls, read) {
			b.doubtf("the output calls %s and the last message %s, which is what is judged", listed(outputCalls), listed(read))
		}
		return
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "no tool"
	}
	return cutText(strings.Join(names, ", "), 80)
}

var attachment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"attachment://([0-9a-f]+)"`) })

// attached restores long texts, which the log replaces by names.
func (b *builder) attached(v, attachments value) value {
	if !bytes.Contains(v.text, []byte(`"attachment://`)) {
		return v
	}
	text := attachment().ReplaceAllFunc(v.text, func(found []byte) []byte {
		name := attachment().FindSubmatch(found)[1]
		for key, member := range attachments.members {
			if bytes.Equal(key, name) && member.kind() == '"' {
				return member.text
			}
		}
		b.badMessage = true
		b.errorf(v, "lost-message", "the sample has no attachment %s, which a message names", name)
		return found
	})
	return value{text, v.at}
}

var inspectFields = newLazyFields(`role content source id model tool_calls tool_call_id function error tool_error
	metadata internal`)

func (b *builder) inspectMessage(v value) {
	o, ok := b.object(v, "a message")
	if !ok {
		b.badMessage = true
		return
	}
	b.checkFields(o, "a message", inspectFields())
	members := map[string]value{}
	for _, name := range []string{"role", "content", "toolcallid"} {
		if member := o.get(name); !member.missing() {
			members[name] = member
		}
	}
	if name := o.get("function"); !name.missing() {
		members["name"] = name
	}
	if failure := o.get("error", "toolerror"); !failure.missing() {
		members["error"] = value{quoteJSON(b.failure(failure)), failure.at}
	}
	if calls := o.get("toolcalls"); !isEmpty(calls) {
		members["toolcalls"] = value{b.inspectToolCalls(calls), calls.at}
	}
	for _, e := range b.splitMessage(object{v, members}, b.pos(v), "") {
		b.add(e)
	}
}

// inspectToolCalls writes calls as other formats have them.
func (b *builder) inspectToolCalls(list value) []byte {
	var calls []json.RawMessage
	for item := range b.list(list, "tool_calls") {
		o, ok := b.object(item, "a tool call")
		if !ok {
			continue
		}
		b.knownMembers(o, "a tool call", "id", "function", "arguments", "type", "parse_error", "view", "internal")
		function := map[string]value{"name": o.get("function").or(value{text: []byte(`""`)})}
		// unparsable arguments count as missing
		if args := o.get("arguments"); !args.missing() && isEmpty(o.get("parseerror")) {
			function["arguments"] = args
		}
		call := map[string]value{"function": {text: rawObject(function)}}
		if id := o.get("id"); !id.missing() {
			call["id"] = id
		}
		calls = append(calls, rawObject(call))
	}
	return jsonList(calls)
}

// inspectCalls reads the events about model calls.
func (b *builder) inspectCalls(events value) {
	for item := range events.items {
		if kind, _ := item.get("event").str(); kind == "model" && item.get("error").missing() {
			b.calls = append(b.calls, b.inspectCall(item.get("output")))
		}
	}
}

func (b *builder) inspectCall(output value) (c modelCall) {
	m := &c.measures
	for choice := range output.get("choices").items {
		if word, ok := choice.get("stopreason").str(); ok && m.FinishReason == "" {
			if m.FinishReason = word; word == "max_tokens" {
				m.FinishReason = "length"
			}
		}
	}
	if usage := output.get("usage"); usage.kind() == '{' {
		m.Usage = &chat.Usage{
			OutputTokens:     b.tokens(usage.get("outputtokens"), "output_tokens"),
			CachedTokens:     b.tokens(usage.get("inputtokenscacheread"), "input_tokens_cache_read"),
			CacheWriteTokens: b.tokens(usage.get("inputtokenscachewrite"), "input_tokens_cache_write"),
			ReasoningTokens:  b.tokens(usage.get("reasoningtokens"), "reasoning_tokens"),
		}
		m.Usage.InputTokens = b.tokens(usage.get("inputtokens"), "input_tokens")
		cached := m.Usage.CachedTokens + m.Usage.CacheWriteTokens
		if total := b.tokens(usage.get("totaltokens"), "total_tokens"); total >= m.Usage.Total()+cached {
			m.Usage.InputTokens += cached // some models do not count them in the input
		}
		checkTotal(m, !usage.get("inputtokens").missing(), !usage.get("outputtokens").missing(), usage.get("totaltokens"))
	}
	if f := b.amount(output.get("time"), "time"); f != nil {
		m.LatencyMS = *f * 1000
	}
	return c
}

// inspectScores reads the scores of a sample. Words for right and wrong become numbers.
func (b *builder) inspectScores(scores value) {
	for key, item := range scores.members {
		name := string(plainKey(key))
		e := Eval{ID: name, Type: name, Explanation: b.text(item.get("explanation"), "explanation")}
		v := item.get("value")
		word, _ := v.scalar()
		if f, ok := v.number(); ok {
			e.Score = &f
		} else if f, ok := map[string]float64{"C": 1, "true": 1, "P": 0.5, "I": 0, "N": 0, "false": 0}[word]; ok {
			e.Score = &f
		}
		e.Explanation = cmp.Or(e.Explanation, b.text(item.get("answer"), "answer"))
		b.session.Evals = append(b.session.Evals, e)
	}
}
