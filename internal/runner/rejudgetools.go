package runner

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// definitionSums are the tools and skills of a project with their sums, which are made once.
type definitionSums struct {
	once          sync.Once
	tools, skills []string
}

func (d *definitionSums) of(p *scenario.Project) *definitionSums {
	d.once.Do(func() { d.tools, d.skills = names.ToolSums(p), names.SkillSums(p) })
	return d
}

// doubtTools warns of tools of a prompt that have changed since the run, and of guardrails into which the scenario
// fills in other values.
func (s *session) doubtTools(prompt *scenario.Prompt) {
	then := s.trial.Finished.declaredThen.Names
	offered := func(list []string) (sums []string) {
		for _, sum := range list {
			name, _, _ := strings.Cut(sum, " ")
			if prompt.AllToolsOK || slices.Contains(prompt.AllowedTools, name) {
				sums = append(sums, sum)
			}
		}
		return sums
	}
	was, known := then[result.DeclaredToolSums]
	changed := otherRules(offered(was), offered(s.trial.Project.sums.of(s.trial.Project.Project).tools))
	if known && len(changed) > 0 {
		s.warnOnce(fmt.Sprintf("tools of the prompt %q have changed since the run (%s): calls of what they were then are "+
			"judged; arena run tries them", prompt.TaskType, strings.Join(changed, ", ")))
	}
	shared := s.trial.shared()
	if was, known = then[result.DeclaredFill(shared.ID)]; known && names.HasOpenGuardrails(prompt) &&
		!slices.Equal(was, names.FillOf(shared)) {
		s.warnOnce(fmt.Sprintf("the scenario fills other values into the guardrails of the prompt %q than in the run: what "+
			"those of then did is kept, and today's were not asked; arena run tries them", prompt.TaskType))
	}
}

// doubtSkills warns of skills that the model asked for in the run and that have changed since.
func (s *session) doubtSkills(was *result.Trial) {
	if s.trial.Finished.declaredThen == nil {
		return
	}
	then, known := s.trial.Finished.declaredThen.Names[result.DeclaredSkillSums]
	if !known {
		return
	}
	var asked []string
	for i := range was.Turns {
		for k := range was.Turns[i].ToolCalls {
			if call := &was.Turns[i].ToolCalls[k]; call.Name == checks.SkillTool {
				name, _ := call.Args["name"].(string)
				asked = append(asked, name)
			}
		}
	}
	changed := slices.DeleteFunc(otherRules(then, s.trial.Project.sums.of(s.trial.Project.Project).skills),
		func(name string) bool {
			return !slices.Contains(asked, name)
		})
	if len(changed) > 0 {
		s.warnOnce(fmt.Sprintf("skills that the agent asked for have changed since the run (%s): what it was told then is "+
			"judged; arena run tries them", strings.Join(changed, ", ")))
	}
}
