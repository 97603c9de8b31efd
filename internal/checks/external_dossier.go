package checks

// dossierParams select the data for an external evaluator. All checks with an external evaluator have them.
type dossierParams struct {
	Criteria string              `param:"criteria" is:"prose" doc:"What to evaluate by, passed on."`
	Messages bool                `param:"include_messages" default:"true" doc:"Send the transcript."`
	Calls    bool                `param:"include_tool_calls" default:"false" doc:"Send the tool calls."`
	Extra    map[string]anyValue `param:"extra" doc:"Further fields, sent under extra and beside the others."`
}

// dossier is the data for an external evaluator.
type dossier struct {
	criteria        string
	messages, calls bool
	extra           map[string]any // nil: none
}

func (p *dossierParams) dossier() *dossier {
	d := &dossier{criteria: p.Criteria, messages: p.Messages, calls: p.Calls}
	if len(p.Extra) > 0 {
		d.extra = make(map[string]any, len(p.Extra))
		for name, v := range p.Extra {
			d.extra[name] = v.v
		}
	}
	return d
}

// of returns the data of a subject. It omits empty fields. extra never replaces a field.
func (d *dossier) of(s *Subject) map[string]any {
	body := map[string]any{"current_output": repliesText(s)}
	if d.messages {
		body["messages"] = messagesOf(s)
	}
	if calls := callsOf(s); d.calls && len(calls) > 0 {
		body["tool_calls"] = calls
	}
	if d.criteria != "" {
		body["criteria"] = d.criteria
	}
	if len(s.Variables) > 0 {
		body["variables"] = s.Variables
	}
	if d.extra != nil {
		body["extra"] = d.extra
	}
	for name, v := range d.extra {
		if _, taken := body[name]; !taken {
			body[name] = v
		}
	}
	return body
}
