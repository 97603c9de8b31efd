package recording

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/sortby"
)

// finish sorts the messages, drops copies, pairs calls with results and sets times.
func (b *builder) finish() {
	b.sort()
	b.dropCopies()
	b.dropFirstCopy()
	b.addMeasures()
	b.prependPrompt()
	if len(b.events) == 0 && b.problems.Errors() > b.before {
		return // the problems explain it
	}
	if len(b.events) == 0 {
		b.problems.Errorf(b.startPos(), 1, "empty-recording", "there is no message in the conversation, read as %s",
			b.session.Format)
		return
	}
	b.markIncomplete()
	b.refuseEmptyReplies()
	b.refuseLostSteps()
	b.pair()
	b.setTimes()
	b.session.Messages = make([]Message, len(b.events))
	for i := range b.events {
		b.session.Messages[i] = b.events[i].Message
	}
	b.events = nil
	if b.session.Start == "" {
		b.session.Start = startOf(b.session.Messages)
	}
	b.setMissingInfo()
}

// markIncomplete reads the finish reasons of replies, and makes a conversation incomplete when a reply ended with an
// error.
func (b *builder) markIncomplete() {
	for i := range b.events {
		m := &b.events[i].Message
		m.FinishReason = finishReason(m.FinishReason)
		if m.Original != nil {
			m.Original.FinishReason = finishReason(m.Original.FinishReason)
		}
		if m.Role == chat.Assistant && chat.BrokeOff(m.FinishReason) && b.session.Error == "" {
			b.session.Error = fmt.Sprintf("the call of the model failed: a reply ended with finish reason %q", m.FinishReason)
		}
	}
}

// refuseLostSteps refuses replies of compositions if the format does not record their steps. Without the steps' calls
// and replies every check that forbids something would pass.
func (b *builder) refuseLostSteps() {
	for i := range b.events {
		e := &b.events[i]
		if e.ModelCalls == nil || e.Steps != nil || e.traced {
			continue
		}
		b.badMessage = true
		b.problems.Errorf(e.Pos, 1, "lost-steps", "%s", lostSteps(b.session.Format)).Hint = stepsHint
		return
	}
}

// lostSteps is the message that a format does not record the steps of a composition.
func lostSteps(f Format) string {
	return fmt.Sprintf("the steps of a composition answered here, and a recording of the format %s does not tell what "+
		"they called and said", f)
}

const stepsHint = "take results.json or journal.jsonl of the run, which do"

// refuseEmptyReplies refuses replies without content and calls: every check that forbids something would pass. The last
// reply of an incomplete conversation may be empty.
func (b *builder) refuseEmptyReplies() {
	events := b.events
	if b.session.Error != "" {
		events = events[:len(events)-1]
	}
	for i := range events {
		e := &events[i]
		if e.Role == chat.Assistant && e.Content == "" && len(e.Parts) == 0 && len(e.ToolCalls) == 0 {
			b.badMessage = true
			b.problems.Errorf(e.Pos, 1, "missing-content", "a message of the assistant has neither content nor tool calls").
				Hint = lostHint
		}
	}
}

// startPos is the position of the piece that was read last.
func (b *builder) startPos() diag.Pos {
	if b.piece.loc == nil {
		return diag.Pos{File: b.file}
	}
	return b.pos(value{})
}

// sort orders the messages by number, if all have one.
func (b *builder) sort() {
	numbered := 0
	for i := range b.events {
		if b.events[i].seq > 0 {
			numbered++
		}
	}
	bySeq := func(x, y event) int { return cmp.Compare(x.seq, y.seq) }
	switch {
	case numbered == 0 || slices.IsSortedFunc(b.events, bySeq):
	case numbered < len(b.events):
		b.notef("%d of %d messages have no seq; all are in the order of the file", len(b.events)-numbered, len(b.events))
	default:
		sortby.Func(b.events, bySeq)
		b.notef("the events were not in order; they are sorted by seq")
	}
}

// dropCopies drops repeated messages with the same number, and refuses different messages with the same number.
func (b *builder) dropCopies() {
	dropped := 0
	kept := b.events[:0]
	for _, e := range b.events {
		if n := len(kept); n > 0 && e.seq > 0 && kept[n-1].seq == e.seq {
			if !same(&kept[n-1], &e) {
				b.problems.Errorf(e.Pos, 1, "duplicate-seq", "seq %d is already used on line %d, for another message",
					e.seq, kept[n-1].Pos.Line)
			}
			dropped++
			continue
		}
		kept = append(kept, e)
	}
	b.events = kept
	if dropped > 0 {
		b.notef("%s left out that repeat the seq of an earlier one", plural.Count(dropped, "message"))
	}
}

// same reports whether two events are the same message.
func same(x, y *event) bool { return reflect.DeepEqual(x.Message.Message, y.Message.Message) }

// dropFirstCopy drops the copy of the first user message without a time, which some tools write.
func (b *builder) dropFirstCopy() {
	first := -1
	for i := range b.events {
		e := &b.events[i]
		if e.Role == chat.Assistant {
			return
		}
		if e.Role != chat.User {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		if f := &b.events[first]; same(f, e) && f.At.IsZero() != e.At.IsZero() {
			if !e.At.IsZero() {
				f.At, f.Offset, f.offset = e.At, e.Offset, e.offset
			}
			b.events = slices.Delete(b.events, i, i+1)
			b.notef("the first message of the user is repeated without a time; the copy is left out")
		}
		return
	}
}

// prependPrompt puts the system prompt first, unless a message has it.
func (b *builder) prependPrompt() {
	if b.system == nil || len(b.events) == 0 {
		return
	}
	i := slices.IndexFunc(b.events, func(e event) bool { return e.Role == chat.System })
	switch {
	case i < 0:
		b.events = slices.Insert(b.events, 0, *b.system)
	case b.events[i].Content != b.system.Content:
		b.notef("the system prompt beside the messages differs from the one among them, which is used")
	}
}

// setTimes completes the times of the messages, absolute and since the start.
func (b *builder) setTimes() {
	s := b.session
	for i := range b.events {
		if s.Started.IsZero() {
			s.Started = b.events[i].At
		}
	}
	for i := range b.events {
		e := &b.events[i]
		switch {
		case e.offset && e.At.IsZero() && !s.Started.IsZero():
			e.At = s.Started.Add(e.Offset)
		case !e.offset && !e.At.IsZero():
			e.Offset = max(e.At.Sub(s.Started), 0)
		}
	}
}
