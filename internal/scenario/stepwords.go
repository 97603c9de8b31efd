package scenario

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
)

// StepValues are the values of the placeholders in a step: those of its prompt, or else of the state's prompt, which
// may be nil.
func (p *Project) StepValues(step *composition.Step, state *Prompt, s *Scenario, region string) *Values {
	prompt := p.PromptOfStep(step)
	if prompt == nil {
		prompt = state
	}
	return ValuesOf(prompt, s, region)
}

// eachStep visits the steps that a scenario may run, with the prompt of their state.
func (p *Project) eachStep(s *Scenario, visit func(c *Composition, step *composition.Step, state *Prompt)) {
	start, _ := p.Start(s) // a wrong name is reported already
	if start == nil {
		return
	}
	for _, state := range p.Workflow.Graph.From(start) {
		if c := p.Composition(state.Composition); c != nil && state.Stops() {
			for step := range c.All() {
				visit(c, step, p.PromptOf(state))
			}
		}
	}
}

// checkSteps reports placeholders in the steps of a scenario without a value. told holds reported problems.
func (b *build) checkSteps(s *Scenario, told map[diag.Diagnostic]bool) {
	b.p.eachStep(s, func(c *Composition, step *composition.Step, state *Prompt) {
		for _, word := range step.Words() {
			if !holdsBraces(word.Text) {
				continue
			}
			at, width := c.At(step), utf8.RuneCountInString(step.ID)
			for _, f := range b.p.StepValues(step, state, s, "default").stepFaults(c, word) {
				key := diag.Diagnostic{Pos: at, Msg: f.msg}
				if told[key] {
					continue
				}
				told[key] = true
				f.msg = fmt.Sprintf("the step %q: %s: %s%s", step.ID, word.Field, f.msg, conversationSuffix(s))
				b.reportFaults(at, width, f)
			}
		}
	})
}

// stepFaults finds what is wrong with the placeholders in a text of a step.
func (v *Values) stepFaults(c *Composition, word composition.Word) []placeholderFault {
	if names := Placeholders(word.Text); word.Key && len(names) > 0 {
		return []placeholderFault{{code: "foreign-template", msg: "a key cannot hold the placeholder {{" + names[0] + "}}"}}
	}
	if word.Key {
		return nil
	}
	text, faults := v.fill(word.Text, false)
	for i := range faults {
		if name := strings.TrimSpace(faults[i].name); isReference(c, name) {
			faults[i].hint = "write ${" + name + "}"
		}
	}
	if word.Field != "input" { // input is text for a model
		faults = append(faults, v.structured(word.Text, false)...)
	}
	if len(faults) == 0 && word.Alone && strings.TrimSpace(text) == "" {
		faults = append(faults, emptyTextFault(word.Text))
	}
	return faults
}

// isReference reports whether the name of a placeholder is a reference to a step.
func isReference(c *Composition, name string) bool {
	parts := strings.Split(name, ".")
	return parts[0] == "input" || len(parts) > 1 && parts[1] == "output" && c.Step(parts[0]) != nil
}

// addSteps adds the variables in the steps that a scenario may run.
func (r *variableReads) addSteps(p *Project, s *Scenario) {
	p.eachStep(s, func(_ *Composition, step *composition.Step, _ *Prompt) {
		for _, word := range step.Words() {
			r.addText(word.Text)
		}
	})
}

// hasStepWords reports whether a step of the project holds placeholders.
func (p *Project) hasStepWords() bool {
	for _, c := range p.Compositions {
		for step := range c.All() {
			if slices.ContainsFunc(step.Words(), func(w composition.Word) bool { return holdsBraces(w.Text) }) {
				return true
			}
		}
	}
	return false
}
