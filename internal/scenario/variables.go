package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/workflow"
)

// contextLength is how much of the first user message goes into context_slot, in characters.
const contextLength = 150

// Start is the state of the workflow in which the conversation of a scenario begins; nil where there is no workflow, or
// where the conversation is over already.
func (p *Project) Start(s *Scenario) (*workflow.State, error) {
	if p.Workflow == nil || p.Workflow.Graph == nil || s.Recorded != nil {
		return nil, nil
	}
	return p.Workflow.Graph.StartFor(s.TaskType)
}

// Prompt returns the system prompt that a scenario speaks to: that of the state in which it starts, else the one of its
// task type, or the only one of the project. A project without prompts has none, which is nil and no error.
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

// PromptsFor are the system prompts that a scenario may speak to, that of its start first: with a workflow those of all
// states that can follow.
func (p *Project) PromptsFor(s *Scenario) ([]*Prompt, error) {
	first, err := p.Prompt(s)
	if err != nil {
		return nil, err
	}
	list := []*Prompt{first}
	start, _ := p.Start(s)
	if start == nil {
		return list, nil
	}
	for _, state := range p.Workflow.Graph.From(start) {
		if prompt := p.PromptOf(state); !slices.Contains(list, prompt) {
			list = append(list, prompt)
		}
	}
	return list, nil
}

// PromptOf is the prompt of a state, nil when it has none.
func (p *Project) PromptOf(state *workflow.State) *Prompt {
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

// Variables are the template variables of one conversation: defaults of the prompt, its fragments, the vars of the
// config, the variables of the scenario, and region, domain, user_role, user_context and context_slot where nobody
// set them. prompt may be nil. The error names required variables that nothing sets.
func Variables(prompt *Prompt, s *Scenario, region string) (map[string]string, error) {
	vars := Known(prompt, s, region)
	if missing := prompt.missing(vars); len(missing) > 0 {
		return nil, fmt.Errorf("the prompt %q requires a value for %s", prompt.TaskType, strings.Join(missing, ", "))
	}
	return vars, nil
}

// Known is Variables whether or not required ones are set.
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
	return vars
}

// Template is the system template with everything filled in that the prompt brings with it, except the variables to be
// kept.
func (p *Prompt) Template(keep ...string) string {
	vars := p.variables()
	for _, name := range keep {
		delete(vars, name)
	}
	text, _ := Render(p.SystemTemplate, vars)
	return text
}

// variables are those that the prompt brings with it.
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

// beginning is at most so many characters of a text.
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

// SystemPrompt renders the template of a prompt for one model. What nothing is known for is an error that names it: a
// model that is told "{{company}}" is not the one under test.
func SystemPrompt(p *Prompt, model string, vars map[string]string) (string, error) {
	v := Values{Vars: vars}
	text, faults := v.fill(SystemTemplate(p, model), false)
	if len(faults) == 0 {
		return text, nil
	}
	return "", fmt.Errorf("the system prompt %q: %s", p.TaskType, inOne(faults))
}

// UserText renders what a user says: the values of a variant of the perturbations first, then the variables. The error
// says what nothing is known for; the text holds it as it stands.
func (v *Values) UserText(text string) (string, error) {
	out, faults := v.fill(text, false)
	if len(faults) > 0 {
		return out, errors.New(inOne(faults))
	}
	return out, nil
}

// inOne joins faults into one line.
func inOne(faults []fault) string {
	texts := make([]string, len(faults))
	for i, f := range faults {
		if texts[i] = f.msg; f.hint != "" {
			texts[i] += " (" + f.hint + ")"
		}
	}
	return strings.Join(texts, "; ")
}

// Substitute puts the values of one variant of the perturbations into a turn: {name} becomes its value, {{name}} is
// left alone, and so is \{name}.
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
