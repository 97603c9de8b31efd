package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
	"github.com/arena-evals/arena/internal/workflow"
)

// A rejudged trial has the system prompt and the guardrails of its run. If the files have others now, the present agent
// was not tested. So each prompt that was used, with its guardrails, is compared with the present one.

// comparePromptAtStart compares the prompt of the first message with the present one.
func (s *session) comparePromptAtStart(was *result.Trial) {
	if s.everyReply() {
		return
	}
	named := *s.trial.Endpoint.Spec // the model of the run: prompts may differ by model
	named.Model = was.Model
	endpoint := *s.trial.Endpoint
	endpoint.Spec, s.trial.Endpoint = &named, &endpoint
	s.comparePromptText(s.promptIn(s.stateName()), was.System)
	s.doubtSkills(was)
}

// comparePromptOfState compares the prompt of a state with the present one, if it is in the transcript.
func (s *session) comparePromptOfState(m *chat.Message) {
	if m.Role == chat.System && m.State != "" && !s.everyReply() {
		s.comparePromptText(s.promptIn(m.State), m.Content)
	}
}

// comparePromptsOfSteps compares the prompts of steps with the present ones.
func (s *session) comparePromptsOfSteps(was *result.Composition) {
	if was == nil || s.everyReply() || s.trial.Project.compositions[was.Name] == nil {
		return
	}
	variables := s.variables // of the state, which still speaks
	for i := range was.Steps {
		now := s.trial.Project.compositions[was.Name].Step(was.Steps[i].ID)
		for m := range was.Steps[i].Said {
			if m.Role == chat.System && now != nil {
				s.comparePromptText(s.trial.Project.PromptOfStep(now), m.Content)
			}
		}
	}
	s.variables = variables
}

// promptIn is the present prompt of a state; without a workflow, that of the trial.
func (s *session) promptIn(state string) *scenario.Prompt {
	if s.flow == nil {
		return s.trial.Prompt
	}
	if s.flow.graph != nil {
		if at := s.flow.graph.State(state); at != nil {
			return s.trial.Project.PromptOf(at)
		}
	}
	return nil
}

// comparePromptText warns of a prompt whose text or guardrails have changed since the run. It sets the variables of
// checks to those of the prompt, as in the run.
func (s *session) comparePromptText(prompt *scenario.Prompt, told string) {
	if prompt == nil {
		return
	}
	now, err := s.systemPrompt(prompt)
	if err == nil && told != "" && !isSame(told, now) && secret.TakenOut(now, told) == nil {
		s.warnOnce(fmt.Sprintf("the prompt %q has changed since the run: what the agent was told then is judged, and not "+
			"what it would say now; arena run tries it", prompt.TaskType))
	}
	if s.trial.Finished.declaredThen == nil {
		return
	}
	then, known := s.trial.Finished.declaredThen.Names[result.DeclaredRules(prompt.TaskType)]
	if changed := otherRules(then, names.GuardrailsOf(prompt)); known && len(changed) > 0 {
		s.warnOnce(fmt.Sprintf("guardrails of the prompt %q have changed since the run (%s): what those of then did is "+
			"kept, and today's were not asked; arena run tries them", prompt.TaskType, strings.Join(changed, ", ")))
	}
	s.doubtTools(prompt)
}

// otherRules are the types of guardrails that only one of two prompts has, sorted, each once.
func otherRules(a, b []string) (types []string) {
	count := map[string]int{}
	for _, rule := range a {
		count[rule]++
	}
	for _, rule := range b {
		count[rule]--
	}
	for rule, n := range count {
		if n != 0 {
			name, _, _ := strings.Cut(rule, " ")
			types = append(types, name)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// keepText records artifacts and handed over texts of a call, which prompts of later states may show.
func (f *flow) keepText(call *checks.Call) {
	text := func(name string) string {
		value, _ := call.Args[name].(string)
		return value
	}
	switch {
	case call.Error != "":
	case call.Name == workflow.TransitionTool:
		f.context = text("context")
	case call.Name == workflow.ArtifactTool && f.graph != nil:
		if f.artifacts == nil {
			f.artifacts = map[string]string{}
		}
		name, value := text("name"), text("value")
		if at := f.graph.State(f.current); at != nil && at.Artifact(name) != nil && at.Artifact(name).Append {
			value = f.artifacts[name] + value
		}
		f.artifacts[name] = value
	}
}
