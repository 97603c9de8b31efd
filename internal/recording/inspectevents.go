package recording

import "strings"

// compareEvents compares the messages of a sample with its events: what a model said when it was called, and what
// became of its tools. The messages are judged, which a solver may have changed.
func (b *builder) compareEvents(o object) {
	said, failed := map[string]string{}, map[string]string{} // by the id of the message and of the call
	for item := range o.get("events").items {
		switch kind, _ := item.get("event").str(); kind {
		case "model":
			for choice := range item.get("output").get("choices").items {
				m := choice.get("message")
				if id, ok := m.get("id").str(); ok {
					said[id] = b.inspectText(m, o.value)
				}
			}
		case "tool":
			if id, ok := item.get("id").str(); ok && !isEmpty(item.get("error")) {
				failed[id] = b.failure(item.get("error"))
			}
		}
	}
	for m := range o.get("messages").items {
		switch role, _ := m.get("role").str(); role {
		case "assistant":
			id, _ := m.get("id").str()
			if text, told := said[id]; told && text != b.inspectText(m, o.value) {
				b.doubtf("the events tell that the model said something else than a message that is judged: %q", cutText(text, 60))
			}
		case "tool":
			id, _ := m.get("toolcallid").str()
			if why := failed[id]; why != "" && isEmpty(m.get("error").or(m.get("toolerror"))) {
				b.doubtf("the events tell of a call of a tool that failed, and its message does not: %s", cutText(why, 60))
			}
		}
	}
}

// inspectText is the text of a message, without thoughts.
func (b *builder) inspectText(m, sample value) string {
	content := b.attached(m.get("content"), sample.get("attachments"))
	if text, ok := content.str(); ok {
		return strings.TrimSpace(text)
	}
	var all []string
	for part := range content.items {
		if kind, _ := part.get("type").str(); kind == "text" {
			text, _ := part.get("text").str()
			all = append(all, strings.TrimSpace(text))
		}
	}
	return strings.Join(all, "\n")
}
