package recording

import (
	"iter"

	"github.com/arena-evals/arena/internal/diag"
)

func isEventStream(h *head) bool { return h.lines && h.has("schemaversion", "seq", "type") }

// scanEventStream finds the trials of arena's own stream of events.
func scanEventStream(s *scan) {
	started := map[string][]span{} // events that tell of a trial, until its first message
	s.wholeLines(func(l line) bool {
		kind, _ := l.get("type").str()
		if kind == "" {
			s.errorf(s.pos(l.span), "wrong-line", "a line of an event stream must have a type").
				Hint = "is this line from another file?"
			return true
		}
		if !s.version(l.get("schemaversion"), diag.Pos{File: s.file, Line: l.span.line, Col: 1}) {
			return false
		}
		trial, _ := l.get("trial").scalar()
		switch kind {
		case "trial.started":
			started[trial] = append(started[trial], l.span)
		case messageCreated:
			if trial == "" {
				s.errorf(s.pos(l.span), "event-without-session", "a message does not say to which trial it belongs")
				return true
			}
			for _, p := range started[trial] {
				s.add(trial, p)
			}
			delete(started, trial)
			s.add(trial, l.span)
		}
		return true
	})
}

func readEventStream(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a line")
		if !ok {
			continue
		}
		s := b.session
		s.ID = b.text(o.get("trial"), "trial")
		if kind, _ := o.get("type").str(); kind != messageCreated {
			data := o.get("data")
			s.Scenario, _ = data.get("scenario").scalar()
			s.Provider, _ = data.get("provider").scalar()
			s.Model, _ = data.get("model").scalar()
			s.Region, _ = data.get("region").scalar()
			continue
		}
		e, ok := b.message(o.get("data"))
		if !ok {
			continue
		}
		e.Pos = b.pos(o.value)
		e.At = b.time(o.get("time", "timestamp"), "time")
		if f := b.float(o.get("seq"), "seq"); f != nil {
			e.seq = int64(*f)
		}
		b.add(e)
	}
}
