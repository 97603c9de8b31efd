package recording

import "strings"

// dropped tells of attributes and events that a span has lost on its way. What a message was among them, nobody judges.
func (b *builder) dropped(s *aiSpan, o object) {
	const hint = "raise the limit of attributes and events of a span in the instrumentation of the agent"
	inEvents, ofMessages := value{}, false
	for item := range o.get("events").items {
		name, _ := item.get("name").str()
		holds := roleOfEvent(name) != "" || strings.HasPrefix(name, "gen_ai.content.") || name == inferenceDetails
		ofMessages = ofMessages || holds
		if n := item.get("droppedattributescount"); holds && hasNumber(n) {
			inEvents = inEvents.or(n)
		}
	}
	for _, lost := range []struct {
		n       value
		what    string
		certain bool // messages stood where something was dropped
	}{
		{o.get("droppedattributescount"), "attributes of the span", len(s.input)+len(s.output) > 0 && !ofMessages},
		{o.get("droppedeventscount"), "events of the span", ofMessages},
		{inEvents, "attributes of an event of the span", true},
	} {
		switch {
		case !hasNumber(lost.n):
		case lost.certain:
			b.errorf(lost.n, "lost-message", "%s %s were dropped, and messages may have been among them",
				lost.n.text, lost.what).
				Hint = hint
		case s.asksModel() || s.runsTool():
			b.doubtf("%s %s were dropped on their way: what a model or a tool said may be among them", lost.n.text, lost.what)
		}
	}
}

// inferenceDetails is the event that holds all messages of a call.
const inferenceDetails = "gen_ai.client.inference.operation.details"
