package recording

import (
	"iter"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

func isSessionDocument(h *head) bool { return h.kind == '{' && h.has("metadata", "events") }

func isSessionLines(h *head) bool {
	kind, _ := h.keys["type"].str()
	return h.lines && (kind == "metadata" && h.has("metadata") || kind == "event" && h.has("event"))
}

// scanDocuments makes the file one session, or each line when the first is a document.
func scanDocuments(s *scan) {
	if first, _, _ := s.firstLine(); first.kind() == '{' {
		s.completeLines(func(l line) bool {
			s.add(strconv.Itoa(int(l.line)), l.span)
			return true
		})
		return
	}
	if _, p, ok := s.document(); ok {
		s.add("", p)
	}
}

func readSessionDocument(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		o, ok := b.object(p.value, "a session")
		if !ok {
			return
		}
		events := o.get("events")
		if events.kind() != '[' {
			b.errorf(o.value, "wrong-type", "events must be a list, found %s", describe(events))
			return
		}
		expected := b.metadata(o.get("metadata"))
		n := 0
		for item := range events.items {
			b.sessionEvent(item)
			n++
		}
		b.checkEventCount(expected, n)
	}
}

// scanSessionLines finds sessions in lines. Each starts with its metadata.
func scanSessionLines(s *scan) {
	key := ""
	s.completeLines(func(l line) bool {
		kind, _ := l.get("type").str()
		switch {
		case kind == "metadata" && !l.get("metadata").missing():
			key = string(rune(len(s.index.entries) + 1))
		case kind == "event" && !l.get("event").missing():
		default:
			s.errorf(s.pos(l.span), "wrong-line", "a line of a session must be metadata or an event").
				Hint = "is this line from another file?"
			return true
		}
		s.add(key, l.span)
		return true
	})
}

func readSessionLines(b *builder, pieces iter.Seq[piece]) {
	expected, n := 0, 0
	for p := range pieces {
		o, ok := b.object(p.value, "a line")
		if !ok {
			continue
		}
		if m := o.get("metadata"); !m.missing() {
			expected = b.metadata(m)
			continue
		}
		b.sessionEvent(o.get("event"))
		n++
	}
	b.checkEventCount(expected, n)
}

func (b *builder) sessionEvent(v value) {
	if o, ok := b.object(v, "an event"); ok {
		seq := o.get("seq", "sequence")
		if !seq.missing() {
			b.seqs.add(b.number(seq, "seq"), b.pos(v).Line)
		}
		b.event(o, seq)
	}
}

// metadata reads the metadata of a session, and returns the expected number of events; 0: not known.
func (b *builder) metadata(v value) (events int) {
	if v.missing() {
		return 0
	}
	o, ok := b.object(v, "metadata")
	if !ok {
		return 0
	}
	b.keep(o.value)
	b.doubtMetadata(o)
	s := b.session
	if version := b.text(o.get("version"), "version"); version != "" && major(version) != "1" {
		b.errorf(o.get("version"), "unknown-version", "the session has version %q; arena reads version 1",
			cutText(version, 20))
	}
	s.ID = b.text(o.get("sessionid", "id"), "session_id")
	s.Scenario = b.text(o.get("scenarioid", "scenario"), "scenario_id")
	s.Provider = b.text(o.get("providerid", "providername", "provider"), "provider_id")
	s.Model = b.text(o.get("model"), "model")
	s.Tags = b.texts(o.get("tags"), "tags")
	s.Started = b.time(o.get("starttime", "startedat"), "start_time")
	b.judges(o.get("judgetargets"))
	// Only exports of a runtime have a version. Other files have durations in milliseconds.
	b.durationsInMS = o.get("version").missing()
	return b.count(o.get("eventcount"), "event_count")
}

func major(version string) string {
	m, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	return m
}

func (b *builder) judges(v value) {
	if v.missing() {
		return
	}
	if _, ok := b.object(v, "judge_targets"); !ok {
		return
	}
	b.session.Judges = map[string]JudgeTarget{}
	for key, member := range v.members {
		target, ok := b.object(member, "a judge target")
		if !ok {
			return
		}
		b.session.Judges[string(key)] = JudgeTarget{
			ID: b.text(target.get("id"), "id"), Type: b.text(target.get("type"), "type"),
			Model: b.text(target.get("model"), "model"),
		}
	}
}

// checkEventCount refuses a session with missing events.
func (b *builder) checkEventCount(expected, found int) {
	if len(b.seqs.ranges) > 0 && b.problems.Errors() == b.before {
		if missing, line := b.seqs.gap(b.seqs.first()); line > 0 {
			b.problems.Errorf(diag.Pos{File: b.file, Line: line}, 1, "lost-events",
				"seq %d is missing before this event: events are lost", missing).Hint = "export the session again"
		}
	}
	if expected > found {
		b.errorf(value{}, "lost-events", "the metadata promises %d events, found %d", expected, found).
			Hint = "the recording is incomplete; export it again"
	}
}
