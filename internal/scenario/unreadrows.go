package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
)

// rowUse is the scenarios that use the rows of a dataset, and the fields that they use.
type rowUse struct {
	first *Dataset
	reads []*variableReads
	input map[string]bool // fields that are what the user says
}

// unreadRows warns of datasets of which a scenario uses no field: each row would be the same conversation with the same
// checks. The description does not count, unless the scenario names its program, whose input is a field. It also warns
// of fields that no scenario uses.
func (b *build) unreadRows() {
	uses, order := map[string]*rowUse{}, []string(nil)
	for _, s := range b.p.Scenarios {
		if s.Dataset == nil || !s.Dataset.sound {
			continue
		}
		use := uses[s.Dataset.Name]
		if use == nil {
			use = &rowUse{first: s.Dataset, input: map[string]bool{}}
			uses[s.Dataset.Name] = use
			order = append(order, s.Dataset.Name)
		}
		prompts, err := b.p.PromptsFor(s)
		if err != nil { // is reported; it may read anything
			use.reads = append(use.reads, &variableReads{all: true})
			continue
		}
		own := *s
		own.Description = ""
		read := b.sharedReads(prompts...)
		read.addScenario(b, &own)
		read.addText(s.Outcome)
		read.addJSON(s.Metadata)
		read.addMocks(b.p, s)
		read.addRequests(b.p)
		read.addNested()
		fields := s.Dataset.Fields()
		used := slices.ContainsFunc(fields, read.reads)
		read.addText(s.Description)
		use.reads = append(use.reads, read)
		use.input[s.Dataset.InputField] = true
		if b.reported[s.Dataset.Pos] || used {
			continue
		}
		b.reported[s.Dataset.Pos] = true
		b.l.diags.Warnf(s.Dataset.Pos, s.Dataset.width, "unread-variable",
			"no field of the rows is used: each row is the same conversation, with the same checks").Hint =
			"write {{FIELD}} in a turn or a check where a field is meant, or take dataset out; FIELD can be " +
				strings.Join(fields[:min(len(fields), 10)], ", ")
	}
	for _, name := range order {
		b.unreadFields(uses[name])
	}
}

// forPeople is the first character of fields that only people read.
const forPeople = "_"

// unreadFields warns of fields of rows that nothing reads, such as an expected value. If the name is similar to a used
// one, it may be misspelled. Other fields may be for scenarios that are not loaded, or for another tool.
func (b *build) unreadFields(use *rowUse) {
	set := use.first
	if b.reported[set.Pos] {
		return
	}
	var wanted []string // by texts, and of no field
	for _, read := range use.reads {
		for _, name := range slices.Concat(slices.Collect(maps.Keys(read.names)), read.declared) {
			if _, field := slices.BinarySearch(set.Fields(), name); !field {
				wanted = append(wanted, name)
			}
		}
	}
	var others []string
	for _, field := range set.Fields() {
		read := slices.ContainsFunc(use.reads, func(r *variableReads) bool { return r.reads(field) })
		if read || field == dataset.IDField || use.input[field] || strings.HasPrefix(field, forPeople) {
			continue
		}
		if near := diag.DidYouMean(field, wanted); near != "" {
			b.l.diags.Warnf(set.Pos, set.width, "unread-variable", "nothing reads the field %q of %s", field, set.Name).
				Hint = near
			continue
		}
		others = append(others, quoted(field))
	}
	if len(others) == 0 || b.in.only != nil || b.l.opts.Lenient || b.broken[kindScenario] {
		return
	}
	const named = 10
	noun, more := "field", ""
	if len(others) > 1 {
		noun = "fields"
	}
	if n := len(others) - named; n > 0 {
		others, more = others[:named], fmt.Sprintf(" and %d more", n)
	}
	b.l.diags.Warnf(set.Pos, set.width, "unread-variable", "nothing reads the %s %s%s of %s",
		noun, strings.Join(others, ", "), more, set.Name).Hint =
		"write {{FIELD}} where a field is meant, such as in a check of what is expected; the name of a field that only " +
			"people read begins with " + forPeople
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

// addMocks adds the fields of rows in the mock replies of a scenario.
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
