package recording

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// spanOfArena takes from a span what arena alone says in its traces.
func (b *builder) spanOfArena(s *aiSpan, attrs attributes) {
	if attrs.text("arena.content_omitted") == "true" && !s.judge {
		b.broken = true
		b.errorf(value{}, "lost-message", "the span has no messages: they were too long for the collector").
			Hint = "read the journal or results.json of the run"
	}
	session := b.session
	if scenario := attrs.text("arena.scenario"); scenario != "" {
		session.Scenario, session.Region = scenario, attrs.text("arena.region")
		session.Tags = b.texts(attrs["arena.tags"], "arena.tags")
	}
	if id := attrs.text("arena.provider"); id != "" {
		s.provider = id
	}
}

// evaluations reads the results of checks among the events of a span. Without the word of arena that one decided
// something, it is a measurement.
func (b *builder) evaluations(s *aiSpan, events value) {
	for item := range events.items {
		if name, _ := item.get("name").str(); name != "gen_ai.evaluation.result" {
			continue
		}
		attrs := b.attributes(item.get("attributes"))
		name, label := attrs.text("gen_ai.evaluation.name"), attrs.text("gen_ai.evaluation.score.label")
		explanation := attrs.text("gen_ai.evaluation.explanation")
		score := b.float(attrs["gen_ai.evaluation.score.value"], "gen_ai.evaluation.score.value")
		failure := attrs.text("error.type")
		switch attrs.text("arena.surface") {
		case "guardrail":
		case "assertion":
			a := Asserted{Type: name, Score: score, Explanation: explanation, Error: failure}
			a.Skipped = label == result.Skipped.String()
			a.Passed = a.Skipped || label == result.Passed.String()
			s.asserted = append(s.asserted, a)
		default:
			b.session.Evals = append(b.session.Evals, Eval{
				ID: name, Type: name, Score: score, Explanation: explanation, Error: failure,
				Skipped: label == result.Skipped.String(),
			})
		}
	}
}

// judged puts verdicts on the last reply of the turn that they are about, or on the conversation.
func (b *builder) judged(talk []event, spans []aiSpan) {
	for i := range spans {
		s := &spans[i]
		if len(s.asserted) == 0 {
			continue
		}
		if e := lastReply(talk, s); e != nil && s.operation == "invoke_agent" {
			e.Asserted = append(e.Asserted, s.asserted...)
			continue
		}
		b.session.Asserted = append(b.session.Asserted, s.asserted...)
	}
}

// lastReply is the last reply that came while a span lasted.
func lastReply(talk []event, s *aiSpan) *event {
	for i := len(talk) - 1; i >= 0; i-- {
		if e := &talk[i]; e.Role == chat.Assistant && !e.At.Before(s.start) && !e.At.After(s.end) {
			return e
		}
	}
	return nil
}
