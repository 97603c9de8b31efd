package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/workflow"
)

// contextLength is the maximum length of context_slot, the start of the first user message, in characters.
const contextLength = 150

// Start is the initial state of the workflow in a scenario; nil without a workflow, or if the conversation is already
// over.
func (p *Project) Start(s *Scenario) (*workflow.State, error) {
	if p.Workflow == nil || p.Workflow.Graph == nil || s.Recorded != nil {
		return nil, nil
	}
	return p.Workflow.Graph.StartFor(s.TaskType)
}

// Prompt returns the system prompt of a scenario: that of its initial state, else the one with its task type, else the
// only one. It is nil without an error for a project without prompts.
func (p *Project) Prompt(s *Scenario) (*Prompt, error) {
	start, err := p.Start(s)
	if err != nil {
		return nil, err
	}
	if start != nil {
		return p.PromptOf(start), nil
	}
	if s.TaskType == "" {
		switch len(p.Prompts) {
		case 0:
			return nil, nil
		case 1:
			return p.Prompts[0], nil
		}
		if s.Recorded != nil {
			return nil, nil
		}
		return nil, fmt.Errorf("the scenario has no task_type, and there are several prompts: %s",
			strings.Join(p.taskTypes(), ", "))
	}
	for _, q := range p.Prompts {
		if q.TaskType == s.TaskType {
			return q, nil
		}
	}
	if len(p.Prompts) == 0 {
		return nil, fmt.Errorf("there is no prompt of task type %q, nor any other", s.TaskType)
	}
	return nil, fmt.Errorf("there is no prompt of task type %q; known: %s", s.TaskType, strings.Join(p.taskTypes(), ", "))
}

// PromptsFor returns the possible prompts of a scenario, the initial one first: with a workflow those of all reachable
// states and of their steps.
func (p *Project) PromptsFor(s *Scenario) ([]*Prompt, error) {
	first, err := p.Prompt(s)
	if err != nil {
		return nil, err
	}
	start, _ := p.Start(s)
	if start == nil {
		return p.only(first), nil
	}
	list := []*Prompt{first}
	for _, state := range p.Workflow.Graph.From(start) {
		if prompt := p.PromptOf(state); !slices.Contains(list, prompt) {
			list = append(list, prompt)
		}
	}
	for _, c := range p.CompositionsFor(s) {
		for step := range c.All() {
			if prompt := p.PromptOfStep(step); prompt != nil && !slices.Contains(list, prompt) {
				list = append(list, prompt)
			}
		}
	}
	return list, nil
}

// only is the list of one prompt: a part of the project's list, to save memory.
func (p *Project) only(prompt *Prompt) []*Prompt {
	if i := slices.Index(p.Prompts, prompt); i >= 0 {
		return p.Prompts[i : i+1 : i+1]
	}
	return []*Prompt{prompt}
}

// PromptOf is the prompt of a state, nil when it has none.
func (p *Project) PromptOf(state *workflow.State) *Prompt {
	if state.PromptTask == "" { // its steps have prompts
		return nil
	}
	for _, q := range p.Prompts {
		if q.TaskType == state.PromptTask {
			return q
		}
	}
	return nil
}

func (p *Project) taskTypes() []string {
	types := make([]string, len(p.Prompts))
	for i, q := range p.Prompts {
		types[i] = q.TaskType
	}
	slices.Sort(types)
	return types
}

// Variables returns the template variables of one conversation: defaults of the prompt, its fragments, the vars of the
// config, the variables of the scenario, region, domain, user_role, user_context and context_slot unless set, and the
// fields of its row. prompt may be nil. The error names required variables without a value.
func Variables(prompt *Prompt, s *Scenario, region string) (map[string]string, error) {
	vars := Known(prompt, s, region)
	if missing := prompt.missing(vars); len(missing) > 0 {
		return nil, fmt.Errorf("the prompt %q requires a value for %s", prompt.TaskType, strings.Join(missing, ", "))
	}
	return vars, nil
}

// Known is Variables without the error for required ones.
func Known(prompt *Prompt, s *Scenario, region string) map[string]string {
	vars := map[string]string{}
	if prompt != nil {
		vars = prompt.variables()
	}
	maps.Copy(vars, s.Variables)
	vars["region"] = region
	imply := func(name, value string) {
		if _, set := vars[name]; !set && value != "" {
			vars[name] = value
		}
	}
	imply("domain", s.Context.Domain)
	imply("user_role", s.Context.UserRole)
	imply("user_context", s.Context.UserRole)
	if _, set := vars["context_slot"]; !set {
		imply("context_slot", contextSlot(s))
	}
	s.withRow(vars)
	return vars
}

// Template is the system template with the prompt's own variables filled in, except those in keep.
func (p *Prompt) Template(keep ...string) string {
	vars := p.variables()
	for _, name := range keep {
		delete(vars, name)
	}
	text, _ := Render(p.SystemTemplate, vars)
	return text
}

// variables are those of the prompt itself.
func (p *Prompt) variables() map[string]string {
	vars := make(map[string]string, len(p.Variables)+len(p.Vars)+len(p.Fragments))
	maps.Copy(vars, p.Fragments)
	for _, v := range p.Variables {
		if v.Default != nil {
			vars[v.Name] = *v.Default
		}
	}
	maps.Copy(vars, p.Vars)
	return vars
}

func (p *Prompt) missing(vars map[string]string) []string {
	if p == nil {
		return nil
	}
	var names []string
	for _, v := range p.Variables {
		if v.Required && vars[v.Name] == "" {
			names = append(names, fmt.Sprintf("%q", v.Name))
		}
	}
	return names
}

// unvalued are the variables of the prompt without a value.
func (p *Prompt) unvalued(vars map[string]string) (names []string) {
	if p == nil {
		return nil
	}
	for _, v := range p.Variables {
		if _, set := vars[v.Name]; !set {
			names = append(names, v.Name)
		}
	}
	return names
}

func contextSlot(s *Scenario) string {
	slot := s.Description
	for i := range s.Turns {
		if s.Turns[i].Role != "user" {
			continue
		}
		said := beginning(s.Turns[i].Content, contextLength)
		if s.Turns[i].Literal {
			said = Literal(said)
		}
		return strings.TrimSpace(slot + " " + said)
	}
	return slot
}

// beginning is the start of a text, of at most this many characters.
func beginning(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// SystemTemplate is the template of a prompt for one model.
func SystemTemplate(p *Prompt, model string) string {
	o, ok := p.Overrides[model]
	if !ok {
		return p.SystemTemplate
	}
	template := p.SystemTemplate
	if o.SystemTemplate != "" {
		template = o.SystemTemplate
	}
	return o.Prefix + template + o.Suffix
}

// ModelParameters are the call parameters of a prompt for one model.
func ModelParameters(p *Prompt, model string) Parameters {
	params := Parameters{Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens, Sampling: p.Sampling}
	o := p.Overrides[model].Parameters
	if o.Temperature != nil {
		params.Temperature = o.Temperature
	}
	if o.TopP != nil {
		params.TopP = o.TopP
	}
	if o.MaxTokens != nil {
		params.MaxTokens = o.MaxTokens
	}
	if o.TopK != nil {
		params.TopK, params.TopKPos = o.TopK, o.TopKPos
	}
	if o.FrequencyPenalty != nil {
		params.FrequencyPenalty = o.FrequencyPenalty
	}
	if o.PresencePenalty != nil {
		params.PresencePenalty = o.PresencePenalty
	}
	return params
}

// who names a system prompt, and the scenario with its values.
func (p *Prompt) who(s *Scenario) string {
	return fmt.Sprintf("the system prompt %q, for scenario %q: ", p.TaskType, s.ID)
}

// SystemPrompt renders the template of a prompt for one model. Unknown variables are an error, because the model would
// get "{{company}}".
func SystemPrompt(p *Prompt, model string, vars map[string]string, s *Scenario) (string, error) {
	v := Values{Vars: vars, row: s.Row}
	text, faults := v.fill(SystemTemplate(p, model), false)
	if len(faults) == 0 {
		return text, nil
	}
	return "", fmt.Errorf("the system prompt %q: %s", p.TaskType, joinFaults(faults))
}

// UserText renders a user message: the variant's perturbations first, then the variables. The error names unknown
// placeholders, which stay in the text.
func (v *Values) UserText(text string) (string, error) {
	out, faults := v.fill(text, false)
	if len(faults) > 0 {
		return out, errors.New(joinFaults(faults))
	}
	return out, nil
}

// joinFaults joins faults to one line.
func joinFaults(faults []placeholderFault) string {
	texts := make([]string, len(faults))
	for i, f := range faults {
		if texts[i] = f.msg; f.hint != "" {
			texts[i] += " (" + f.hint + ")"
		}
	}
	return strings.Join(texts, "; ")
}

// Substitute replaces {name} by the value of a perturbation. {{name}} and \{name} stay.
func Substitute(text string, values map[string]string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		j := i
		for j < len(text) && text[j] == '{' {
			j++
		}
		end := strings.IndexByte(text[j:], '}')
		value, known := "", false
		if j-i == 1 && end >= 0 && !escaped(text, i) {
			value, known = values[text[j:j+end]]
		}
		if known {
			b.WriteString(text[:i] + value)
			text = text[j+end+1:]
			continue
		}
		b.WriteString(text[:j])
		text = text[j:]
	}
	return b.String() + text
}
