package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// templates reports templates that cannot be rendered, as far as it is known before the run.
func (b *build) templates() {
	type key struct {
		prompt *Prompt
		plain  bool
	}
	told, steps := map[diag.Diagnostic]bool{}, b.p.hasStepWords()
	done := map[key]bool{} // scenarios without variables of their own have the same result
	for _, s := range b.p.Scenarios {
		b.dataset(s)
		if s.lost() {
			continue
		}
		b.rowMedia(s)
		s := s.sample()
		prompts, err := b.p.PromptsFor(s)
		if err != nil {
			b.promptChoice(s, err)
			continue
		}
		if len(prompts) > 0 {
			b.warnMockVariables(s, prompts[0])
		}
		if steps {
			b.checkSteps(s, told)
		}
		if len(prompts) > 0 {
			b.personaPrompts(s, prompts[0], told)
		} else {
			b.personaPrompts(s, nil, told)
		}
		for i, prompt := range prompts {
			k := key{prompt, len(s.Variables) == 0 && s.Context == ContextMetadata{} && s.Row == nil}
			if k.plain && done[k] && !templated(s) {
				continue
			}
			done[k] = k.plain || done[k]
			if b.checkPrompt(s, prompt) && i == 0 {
				b.checkUserTexts(s, prompt)
			}
		}
	}
	b.compileOpenChecks()
}

// promptChoice reports a scenario with an ambiguous prompt; an unknown prompt is reported elsewhere.
func (b *build) promptChoice(s *Scenario, err error) {
	if s.TaskType == "" && len(b.p.Prompts) > 1 && b.p.Workflow == nil {
		b.l.diags.Errorf(s.Pos, len([]rune(s.ID)), "no-prompt", "scenario %q: %v", s.ID, err).Hint = "add task_type"
	}
}

// templated reports whether a scenario, apart from its prompt, may have placeholders.
func templated(s *Scenario) bool {
	for i := range s.Turns {
		t := &s.Turns[i]
		if slices.ContainsFunc(t.More().Chaos, func(f ToolFailure) bool { return holdsBraces(f.Message) }) {
			return true
		}
		if holdsBraces(t.Content) || slices.ContainsFunc(t.Parts, func(p chat.Part) bool { return holdsBraces(p.Text) }) {
			return true
		}
	}
	remembers := func(m SeedMemory) bool { return holdsBraces(m.Content) }
	return holdsBraces(s.Description) || holdsBraces(s.Outcome) || slices.ContainsFunc(s.SeedMemories, remembers)
}

// checkPrompt reports unknown variables in a prompt. It returns false when there is nothing to check.
func (b *build) checkPrompt(s *Scenario, prompt *Prompt) bool {
	if _, err := Variables(prompt, s, "default"); err != nil {
		at, width := s.TaskTypePos, len([]rune(s.TaskType))
		if at.Line == 0 {
			at, width = s.Pos, len([]rune(s.ID))
		}
		b.reportFaults(at, width, placeholderFault{
			code: "missing-variable", msg: err.Error(), hint: "set it under variables, or under vars of the config",
		})
		return false
	}
	v := &Values{Vars: b.known(prompt, s), row: s.Row}
	v.Empty = prompt.unvalued(v.Vars)
	if prompt != nil {
		models := append([]string{""}, slices.Sorted(maps.Keys(prompt.Overrides))...)
		for _, model := range models {
			b.checkText(v, prompt.TemplatePos, fmt.Sprintf("the system prompt %q: ", prompt.TaskType),
				SystemTemplate(prompt, model))
			b.warnEmptied(v, prompt.TemplatePos, prompt.who(s), SystemTemplate(prompt, model), s.given)
		}
	}
	return true
}

// checkUserTexts reports unknown variables in user messages.
func (b *build) checkUserTexts(s *Scenario, prompt *Prompt) {
	v := &Values{Vars: Known(prompt, s, "default"), row: s.Row}
	v.Empty = prompt.unvalued(v.Vars)
	check := func(at diag.Pos, what, text string) {
		b.checkText(v, at, what, text)
		b.warnEmptied(v, at, what, text, nil)
	}
	check(s.Pos, "description: ", s.Description)
	check(s.Pos, "expected_outcome: ", s.Outcome)
	if s.Window != nil && s.Window.Relevance != nil {
		check(s.Window.Relevance.Pos, "custom_query: ", s.Window.Relevance.OwnQuery)
	}
	for i := range s.SeedMemories {
		check(s.SeedMemories[i].Pos, "seed_memories: ", s.SeedMemories[i].Content)
	}
	for _, one := range sampleVariants(s) {
		v.Singles = one
		for i := range s.Turns {
			t := &s.Turns[i]
			for _, p := range t.said() {
				switch {
				case t.Literal:
				case v.saysNothing(p.Text):
					b.l.diags.Errorf(t.Said, 1, "empty-value", "%s", emptySaid(&p)+
						": nothing is left of "+strconv.Quote(p.Text)+" once its variables are filled in").Hint =
						"give the variable a value"
				default:
					check(t.Said, "", p.Text)
				}
			}
			for _, c := range t.More().Chaos {
				check(c.Pos, "message: ", c.Message)
			}
		}
	}
}

// warnMockVariables warns of variables in mock replies, which are sent unchanged. Replies to literal turns are not
// checked.
func (b *build) warnMockVariables(s *Scenario, prompt *Prompt) {
	if slices.ContainsFunc(s.Turns, func(t Turn) bool { return t.Literal }) {
		return
	}
	var vars map[string]string
	var told diag.Pos
	look := func(at diag.Pos, text string) {
		walkPlaceholders(text, func(name string, _, _ int) {
			if vars == nil {
				vars = b.known(prompt, s)
			}
			if s.Row != nil && s.Row.Values[name] != nil { // a field of the row
				return
			}
			if _, known := vars[name]; known && told != at {
				told = at
				b.l.diags.Warnf(at, 1, "foreign-template",
					"a mock reply to scenario %q contains {{%s}}, and is sent as written", s.ID, name).Hint =
					"mock replies are not templates: write the value itself"
			}
		})
	}
	for i := range s.Turns {
		for _, r := range s.Turns[i].Inline() {
			for one := range r.Each() {
				look(s.Turns[i].Said, one.Content)
			}
		}
	}
	for _, q := range b.p.Providers {
		if q.Mock == nil {
			continue
		}
		for _, name := range metaNames(&s.Meta) {
			if m := q.Mock.Scenarios[name]; m != nil {
				for i := range m.Turns {
					if m.Turns[i].reply == nil {
						look(m.Pos, m.Turns[i].text)
						continue
					}
					for one := range m.Turns[i].reply.Each() {
						look(m.Pos, one.Content)
					}
				}
			}
		}
	}
}

// said are the parts of a user message, or its text alone.
func (t *Turn) said() []chat.Part {
	if len(t.Parts) > 0 {
		return t.Parts
	}
	return []chat.Part{{Text: t.Content}}
}

// emptySaid says that a user message, or a part of it, is empty.
func emptySaid(p *chat.Part) string {
	if p.Type == "" {
		return "content is empty"
	}
	return "a part of type " + p.Type + " is empty"
}

// warnEmptied warns of placeholders in a text with an empty value. It does not if the files have errors, because the
// value may be missing due to one of them.
func (b *build) warnEmptied(v *Values, at diag.Pos, what, text string, given func(name string) bool) {
	if b.l.diags.Errors() > 0 {
		return
	}
	for _, f := range v.emptied(text, given) {
		b.l.diags.Warnf(at, 1, f.code, "%s", what+f.msg).Hint = f.hint
	}
}

// checkText reports unknown variables in a text.
func (b *build) checkText(v *Values, at diag.Pos, what, text string) {
	_, faults := v.fill(text, false)
	for _, f := range faults {
		f.msg = what + f.msg
		b.reportFaults(at, 1, f)
	}
	if len(faults) > 0 {
		return
	}
	doubts := v.doubts(expand(Substitute(text, v.Singles), v.templates()))
	for _, f := range append(strayBrace(text, true), doubts...) {
		b.l.diags.Warnf(at, 1, f.code, "%s", what+f.msg).Hint = f.hint
	}
}

// reportFaults reports a text with mistakes in placeholders. Other tools send it literally.
func (b *build) reportFaults(at diag.Pos, width int, f placeholderFault) {
	d := diag.Diagnostic{Pos: at, Width: width, Code: f.code, Msg: f.msg, Hint: f.hint}
	if b.l.opts.Lenient {
		d.Severity = diag.Warning
	}
	b.l.diags.Add(d)
}

// known are the variables of a scenario, and those that its workflow sets.
func (b *build) known(prompt *Prompt, s *Scenario) map[string]string {
	vars := Known(prompt, s, "default")
	if w := b.p.Workflow; w != nil {
		for _, name := range w.variables() {
			vars[name] = ""
		}
	}
	return vars
}

// sampleVariants returns variants that use every value of every perturbation: the first of each, and one more for each
// other value. It is one empty map without perturbations.
func sampleVariants(s *Scenario) []map[string]string {
	first := map[string]string{}
	var rest []map[string]string
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			if _, taken := first[p.Name]; !taken {
				first[p.Name] = p.Values[0]
			}
		}
	}
	for i := range s.Turns {
		for _, p := range s.Turns[i].More().Perturbations {
			for _, text := range p.Values[1:] {
				other := maps.Clone(first)
				other[p.Name] = text
				rest = append(rest, other)
			}
		}
	}
	return append([]map[string]string{first}, rest...)
}

// compileOpenChecks compiles checks with placeholders for the conversations that are known from the files.
func (b *build) compileOpenChecks() {
	if len(b.p.Open) == 0 {
		return
	}
	for _, s := range b.p.Scenarios {
		b.settleFor(s)
	}
	for _, e := range b.p.Evals {
		b.settleFor(e.Scenario())
	}
}

func (b *build) settleFor(s *Scenario) {
	prompt, err := b.p.Prompt(s)
	if err != nil || s.lost() {
		return // is reported
	}
	if s.Dataset != nil {
		all := s.RowSamples(prompt, "default")
		b.p.EachOpen(s, prompt, func(o *OpenCheck, _ int) { o.BindRows(all, conversationSuffix(s), b.l.diags) })
		return
	}
	v := ValuesOf(prompt, s, "default")
	for _, one := range sampleVariants(s) {
		v.Singles = one
		b.p.EachOpen(s, prompt, func(o *OpenCheck, _ int) { o.Bind(v, conversationSuffix(s), b.l.diags) })
	}
}

// conversationSuffix names the conversation in messages.
func conversationSuffix(s *Scenario) string { return fmt.Sprintf(" (%s)", s.ID) }

// EachOpen visits the checks with placeholders of a scenario, with the index of their turn, or -1.
func (p *Project) EachOpen(s *Scenario, prompt *Prompt, visit func(o *OpenCheck, turn int)) {
	one := func(compiled any, turn int) {
		if o, ok := compiled.(*OpenCheck); ok {
			visit(o, turn)
		}
	}
	for _, c := range p.Globals {
		one(c.Compiled, -1)
	}
	for _, c := range s.Conversation {
		one(c.Compiled, -1)
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Assertions {
			one(c.Compiled, i)
		}
	}
	for _, e := range p.EvalsFor(prompt) {
		one(e.Compiled, -1)
	}
	if prompt == nil {
		return
	}
	for _, v := range prompt.Validators {
		one(v.Compiled, -1)
	}
}
