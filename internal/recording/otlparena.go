package recording

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// spanOfArena reads the attributes that only arena writes.
func (b *builder) spanOfArena(s *aiSpan, attrs attributes) {
	if attrs.text("arena.content_omitted") == "true" && !s.judge {
		b.badMessage = true
		b.errorf(value{}, "lost-message", "the span has no messages: they were too long for the collector").
			Hint = "read the journal or results.json of the run"
	}
	if attrs.text("arena.step") != "" && !s.judge && !b.badMessage {
		b.badMessage = true
		b.errorf(value{}, "lost-steps", "%s", lostSteps(b.session.Format)).Hint = stepsHint
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

// evaluations reads the results of checks from the events of a span. Without arena's mark for a verdict they are evals.
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
			a := Verdict{Type: name, Score: score, Explanation: explanation, Error: failure}
			a.Skipped = label == result.Skipped.String()
			a.Passed = a.Skipped || label == result.Passed.String()
			s.verdicts = append(s.verdicts, a)
		default:
			b.session.Evals = append(b.session.Evals, Eval{
				ID: name, Type: name, Score: score, Explanation: explanation, Error: failure,
				Skipped: label == result.Skipped.String(),
			})
		}
	}
}

// addVerdicts adds verdicts to the last reply of their turn, or to the conversation.
func (b *builder) addVerdicts(conversation []event, spans []aiSpan) {
	for i := range spans {
		s := &spans[i]
		if len(s.verdicts) == 0 {
			continue
		}
		if e := lastReply(conversation, s); e != nil && s.operation == "invoke_agent" {
			e.Verdicts = append(e.Verdicts, s.verdicts...)
			continue
		}
		b.session.Verdicts = append(b.session.Verdicts, s.verdicts...)
	}
}

// lastReply is the last reply within the time of a span.
func lastReply(conversation []event, s *aiSpan) *event {
	for i := len(conversation) - 1; i >= 0; i-- {
		if e := &conversation[i]; e.Role == chat.Assistant && !e.At.Before(s.start) && !e.At.After(s.end) {
			return e
		}
	}
	return nil
}
