package scenario

import (
	"slices"
	"strings"
)

// unreadRows warns of datasets of which a scenario uses no field: each row would be the same conversation with the same
// checks. A description is for people, unless the scenario names its program: such have their input from a field.
func (b *build) unreadRows() {
	for _, s := range b.p.Scenarios {
		if s.Dataset == nil || !s.Dataset.sound {
			continue
		}
		prompts, err := b.p.PromptsFor(s)
		if err != nil {
			continue // is reported
		}
		own := *s
		own.Description = ""
		read := b.sharedReads(prompts...)
		read.addScenario(b, &own)
		read.addJSON(s.Metadata)
		read.addMocks(b.p, s)
		read.addRequests(b.p)
		read.addNested()
		fields := s.Dataset.Fields()
		if b.told[s.Dataset.Pos] || slices.ContainsFunc(fields, read.reads) {
			continue
		}
		b.told[s.Dataset.Pos] = true
		b.l.diags.Warnf(s.Dataset.Pos, s.Dataset.width, "unread-variable",
			"no field of the rows is used: each row is the same conversation, with the same checks").Hint =
			"write {{FIELD}} in a turn or a check where a field is meant, or take dataset out; FIELD can be " +
				strings.Join(fields[:min(len(fields), 10)], ", ")
	}
}

// addJSON adds the variables in the texts of decoded JSON, at any depth.
func (r *variableReads) addJSON(v any) {
	switch v := v.(type) {
	case string:
		r.addText(v)
	case []any:
		for _, one := range v {
			r.addJSON(one)
		}
	case map[string]any:
		for _, one := range v {
			r.addJSON(one)
		}
	}
}

// addMocks adds the fields of rows in what mocks say in a scenario.
func (r *variableReads) addMocks(p *Project, s *Scenario) {
	for i := range s.Turns {
		r.addReplies(s.Turns[i].Inline())
	}
	for _, q := range p.Providers {
		if q.Mock == nil {
			continue
		}
		r.addDefault(q.Mock.Default)
		for _, name := range metaNames(&s.Meta) {
			m := q.Mock.Scenarios[name]
			if m == nil {
				continue
			}
			r.addDefault(m.Default)
			for i := range m.Turns {
				r.addReplies([]MockReply{*m.Turns[i].Reply()})
			}
			for _, rounds := range m.Steps {
				r.addReplies(rounds)
			}
		}
	}
}

func (r *variableReads) addDefault(text *string) {
	if text != nil {
		r.addText(*text)
	}
}

func (r *variableReads) addReplies(replies []MockReply) {
	for _, reply := range replies {
		r.addText(reply.Content)
		r.addText(reply.Error)
		for _, part := range reply.Parts {
			r.addText(part.Text)
		}
		for _, call := range reply.ToolCalls {
			r.addJSON(call.Args)
		}
	}
}

// addRequests adds the fields of rows that requests to agents behind HTTP send.
func (r *variableReads) addRequests(p *Project) {
	for _, q := range p.Providers {
		if q.HTTP == nil {
			continue
		}
		for _, place := range q.HTTP.sent {
			if field, ok := strings.CutPrefix(place, rowPlace); ok {
				r.names[field] = true
			}
		}
	}
}
