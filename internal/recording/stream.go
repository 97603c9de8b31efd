package recording

import (
	"iter"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

func isEventStream(h *head) bool { return h.lines && h.has("schemaversion", "seq", "type") }

// streamScan finds the trials in arena's event stream, and checks that it is complete.
type streamScan struct {
	*scan
	known      []result.EventKind
	kept       []result.EventKind
	hasMessage map[string]bool // by trial: it has a message, or must have one
	seqs       seqRanges
	started    int // runs
	ended      int
}

func scanEventStream(s *scan) {
	t := &streamScan{scan: s, known: result.EventKinds(), kept: conversationKinds(), hasMessage: map[string]bool{}}
	s.completeLines(t.line)
	if s.problems.Errors() == 0 {
		t.checkComplete()
	}
	all := len(s.index.entries)
	s.index.keep(func(e *entry) bool { return t.hasMessage[e.key] })
	s.noteEmptyTrials(all - len(s.index.entries))
}

func (t *streamScan) line(l line) bool {
	word, _ := l.get("type").str()
	trial, _ := l.get("trial").scalar()
	kind, pos := result.EventKind(word), t.pos(l.span)
	switch {
	case kind == "":
		t.errorf(pos, "wrong-line", "a line of an event stream must have a type").Hint = "is this line from another file?"
		return true
	case !t.version(l.get("schemaversion"), result.EventVersion, pos):
		return false
	case !slices.Contains(t.known, kind):
		t.errorf(pos, "unknown-value", "unknown type of event %q", cutText(word, 40)).Hint =
			orKnown(diag.DidYouMean(word, kindNames(t.known)), kindNames(t.known))
		return true
	case kind == result.KindMessageCreated && trial == "":
		t.errorf(pos, "event-without-session", "a message does not say to which trial it belongs")
	case trial != "" && slices.Contains(t.kept, kind):
		status, _ := l.get("data").get("status").str()
		spoke := kind == result.KindMessageCreated || kind == result.KindTrialCompleted && judged(status)
		t.hasMessage[trial] = t.hasMessage[trial] || spoke
		t.add(trial, l.span)
		if kind == result.KindTrialCompleted && !t.hasMessage[trial] && status == result.Cancelled.String() {
			t.missing++
		}
	}
	t.count(l, kind)
	return true
}

// count collects the numbers of events, and counts starts and ends of runs.
func (t *streamScan) count(l line, kind result.EventKind) {
	if n, err := strconv.ParseInt(string(l.get("seq").text), 10, 64); err == nil && n > 0 {
		t.seqs.add(n, l.span.line)
	} else {
		t.errorf(t.pos(l.span), "missing-field", "a line of an event stream must have a seq, from 1")
	}
	switch kind {
	case result.KindRunStarted:
		t.started++
		if kept, _ := l.get("data").get("kept").number(); kept > 0 {
			t.errorf(t.pos(l.span), "cut-stream",
				"the run was resumed, and %.0f of its trials, kept from before, are not in this stream", kept).
				Hint = "read the journal in the output folder of the run"
		}
	case result.KindRunCompleted:
		t.ended++
	default: // is within a run
	}
}

// checkComplete refuses an incomplete stream: the missing part is not known.
func (t *streamScan) checkComplete() {
	t.checkGaps(&t.seqs, 1)
	if t.ended == 0 || t.ended < t.started {
		t.errorf(diag.Pos{File: t.file}, "cut-stream",
			"the stream has no %s: it ends before its run", result.KindRunCompleted).
			Hint = "of a run that was killed, read the journal in its output folder"
	}
}

func kindNames(kinds []result.EventKind) (names []string) {
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}

// conversationKinds are the kinds of events that belong to a conversation.
func conversationKinds() []result.EventKind {
	return []result.EventKind{
		result.KindTrialStarted, result.KindMessageCreated, result.KindCallCompleted, result.KindValidationFailed,
		result.KindEvalCompleted, result.KindEvalFailed, result.KindVerdict, result.KindTrialCompleted,
	}
}

func readEventStream(b *builder, pieces iter.Seq[piece]) {
	b.ordered = true
	var later []func() // calls to make when all messages are read
	for p := range pieces {
		o, ok := b.object(p.value, "a line")
		if !ok {
			continue
		}
		data, ok := b.object(o.get("data"), "data")
		if !ok {
			continue
		}
		if then := b.streamEvent(o, data); then != nil {
			later = append(later, then)
		}
	}
	b.sort()
	b.dropCopies()
	b.checkIndexes()
	for _, then := range later {
		then()
	}
}

// streamEvent reads one event. The function that it returns must be called when all messages are read.
func (b *builder) streamEvent(o, data object) (later func()) {
	s := b.session
	kind, _ := o.get("type").str()
	switch result.EventKind(kind) {
	case result.KindTrialStarted:
		s.Model, s.Region = b.text(data.get("model"), "model"), b.text(data.get("region"), "region")
		s.Tags = b.texts(data.get("tags"), "tags")
	case result.KindMessageCreated:
		s.ID = b.text(o.get("trial"), "trial")
		s.Scenario, s.Provider = b.text(o.get("scenario"), "scenario"), b.text(o.get("provider"), "provider")
		b.streamMessage(o, data)
	case result.KindCallCompleted:
		if data.get("judge").missing() {
			b.call(data, o.get("seq"))
		}
	case result.KindValidationFailed:
		return b.streamGuardrail(data)
	case result.KindEvalCompleted, result.KindEvalFailed:
		s.Evals = append(s.Evals, b.eval(data))
	case result.KindVerdict:
		return b.streamVerdict(o, data)
	case result.KindTrialCompleted:
		b.failed("", b.text(data.get("error"), "error"))
	default: // not part of the conversation
	}
	return nil
}

func (b *builder) streamMessage(o, data object) {
	e, ok := b.message(data.value)
	if !ok {
		return
	}
	e.Pos = b.pos(o.value)
	e.At = b.time(o.get("time"), "time")
	e.index, e.turn = -1, result.NoTurn
	if v := data.get("index"); !v.missing() {
		e.index = b.count(v, "index")
	}
	if v := o.get("turn"); !v.missing() {
		e.turn = b.count(v, "turn")
	}
	e.seq = b.number(o.get("seq"), "seq")
	b.add(e)
}

// checkIndexes refuses a transcript with missing messages. Indexes start at 0.
func (b *builder) checkIndexes() {
	for i := range b.events {
		e := &b.events[i]
		if e.index >= 0 && e.index != i && !b.badMessage {
			b.problems.Errorf(e.Pos, 1, "lost-message", "this is message %d of its transcript, and number %d here: one is lost",
				e.index, i).Hint = "the stream is incomplete; run it again"
			return
		}
	}
}

// streamGuardrail reads a guardrail that fired.
func (b *builder) streamGuardrail(o object) func() {
	if status, _ := o.get("status").str(); status != result.Failed.String() {
		return nil // it could not judge
	}
	v := chat.Validation{Type: b.text(o.get("validatortype"), "validator_type"), Details: jsonvalue.Object{}}
	for _, key := range []string{"action", "direction", "explanation"} {
		if text := b.text(o.get(key), key); text != "" {
			v.Details[key] = text
		}
	}
	if b.truth(o.get("monitoronly"), "monitor_only") {
		v.Details["monitor_only"] = true
	}
	index := b.count(o.get("messageindex"), "message_index")
	return func() {
		for i := range b.events {
			if b.events[i].index == index {
				b.events[i].Validations = append(b.events[i].Validations, v)
			}
		}
	}
}

// streamVerdict reads a verdict on the last reply of its turn, or on the conversation.
func (b *builder) streamVerdict(o, data object) func() {
	a := Verdict{
		Type: b.text(data.get("type"), "type"), Message: b.text(data.get("message"), "message"),
		Explanation: b.text(data.get("explanation"), "explanation"), Error: b.text(data.get("error"), "error"),
		Score: b.float(data.get("score"), "score"),
	}
	status, _ := data.get("status").str()
	a.Skipped = status == result.Skipped.String()
	a.Passed = a.Skipped || status == result.Passed.String()
	turn := result.NoTurn
	if v := o.get("turn"); !v.missing() {
		turn = b.count(v, "turn")
	}
	return func() {
		for i := len(b.events) - 1; i >= 0 && turn != result.NoTurn; i-- {
			if e := &b.events[i]; e.turn == turn && e.Role == chat.Assistant {
				e.Verdicts = append(e.Verdicts, a)
				return
			}
		}
		b.session.Verdicts = append(b.session.Verdicts, a)
	}
}

// version refuses unknown versions.
func (s *scan) version(v value, known int, pos diag.Pos) bool {
	if n, ok := v.number(); ok && n == float64(known) {
		return true
	}
	s.errorf(pos, "unknown-version", "the file has schema_version %s; this arena reads version %d",
		cutText(string(v.text), 20), known)
	return false
}
